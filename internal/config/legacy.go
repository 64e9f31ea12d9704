package config

// Keys that files of this layout had in older versions. They are read without effect and
// with a warning, so that such files continue to work.

func legacyProject() map[string]string {
	return map[string]string{
		"fail_fast":               " (fail_fast is a key of a check)",
		"parallel":                " (allow_parallel replaced it)",
		"cli.adapters":            "",
		"stop_hook.auto_push_pr":  "",
		"stop_hook.auto_fix_pr":   "",
		"stop_hook.base_branch":   " (base_branch is a key of its own)",
		"stop_hook.check_timeout": " (deadline_seconds replaced it)",
	}
}

func legacyGlobal() map[string]string {
	return map[string]string{
		"stop_hook.auto_push_pr": "",
		"stop_hook.auto_fix_pr":  "",
	}
}

func legacyCheck() map[string]string {
	return map[string]string{"rerun_command": ""}
}

func legacyReview() map[string]string {
	const json = " (a reviewer answers in JSON)"
	return map[string]string{
		"name":              " (a review is named by its file)",
		"prompt":            " (the prompt is the text below)",
		"include_context":   "",
		"include_full_repo": "",
		"fail_fast":         "",
		"pass_pattern":      json,
		"fail_pattern":      json,
		"ignore_pattern":    json,
	}
}
