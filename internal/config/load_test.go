package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// project writes files (path → content, relative to .gauntlet/) and returns the root.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		p := filepath.Join(root, Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// env is an environment with a home that holds nothing.
func env(t testing.TB, pairs ...string) func(string) string {
	t.Helper()
	m := map[string]string{"HOME": filepath.Join(t.TempDir(), "home")}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

const minimal = "entry_points:\n  - path: .\n    checks: [lint]\n"

func TestLoadErrors(t *testing.T) {
	lint := "command: go vet ./...\n"
	tests := map[string]struct {
		files map[string]string
		want  string // the whole error
	}{
		"unknown key": {
			map[string]string{"config.yml": "max_retrys: 2\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:1: max_retrys: unknown key (did you mean "max_retries"?)`,
		},
		"unknown nested key": {
			map[string]string{"config.yml": minimal + "stop_hook:\n  enabld: false\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:5:3: stop_hook.enabld: unknown key (did you mean "enabled"?)`,
		},
		"unknown key in a list": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    cheks: [lint]\n"},
			`.gauntlet/config.yml:3:5: entry_points[0].cheks: unknown key (did you mean "checks"?)`,
		},
		"unknown key, nothing near": {
			map[string]string{"config.yml": minimal + "zebra: 1\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:4:1: zebra: unknown key`,
		},
		"wrong type number": {
			map[string]string{"config.yml": "max_retries: lots\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:14: max_retries: must be a number, not the text "lots"`,
		},
		"wrong type bool": {
			map[string]string{"config.yml": minimal + "stop_hook:\n  enabled: yes\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:5:12: stop_hook.enabled: must be true or false, not the text "yes"`,
		},
		"wrong type bool, quoted": {
			map[string]string{"config.yml": minimal + "stop_hook:\n  enabled: \"off\"\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:5:12: stop_hook.enabled: must be true or false, not the text "off"`,
		},
		"section that is on but empty": {
			map[string]string{"config.yml": "checkpoint:\n  commit_gate: on\n"},
			`.gauntlet/config.yml:2:16: checkpoint.commit_gate.paths: is required`,
		},
		"action without id": {
			map[string]string{"config.yml": "checkpoint:\n  always: [{run: x}]\n"},
			`.gauntlet/config.yml:2:12: checkpoint.always[0].id: is required`,
		},
		"wrong type text": {
			map[string]string{"config.yml": "base_branch: 12\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:14: base_branch: must be text, not 12; put it in quotes`,
		},
		"wrong type list": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    checks: lint\n"},
			`.gauntlet/config.yml:3:13: entry_points[0].checks: must be a list, not the text "lint"`,
		},
		"wrong type mapping": {
			map[string]string{"config.yml": minimal + "stop_hook: [1]\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:4:12: stop_hook: must be a mapping of keys to values, not a list`,
		},
		"not a mapping": {
			map[string]string{"config.yml": "- a\n- b\n"},
			`.gauntlet/config.yml:1:1: must be a mapping of keys to values, not a list`,
		},
		"whole number": {
			map[string]string{"config.yml": "max_retries: 1.5\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:14: max_retries: must be a whole number, not 1.5`,
		},
		"out of range": {
			map[string]string{"config.yml": "max_retries: -1\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:14: max_retries: must be at least 0, not -1`,
		},
		"exclusive bound": {
			map[string]string{"config.yml": minimal + "stop_hook: {deadline_seconds: 0}\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:4:31: stop_hook.deadline_seconds: must be greater than 0, not 0`,
		},
		"not an address": {
			map[string]string{"config.yml": minimal + "remote: {url: ftp://cache}\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:4:15: remote.url: must be an http or https address, not "ftp://cache"`,
		},
		"address with a password": {
			map[string]string{"config.yml": minimal + "remote: {url: 'https://me:secret@cache'}\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:4:15: remote.url: must not contain a user or password; put them into remote.auth of your own configuration`,
		},
		"bad enum": {
			map[string]string{"config.yml": "rerun_new_issue_threshold: hihg\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:28: rerun_new_issue_threshold: must be one of critical, high, medium, low, not "hihg" (did you mean "high"?)`,
		},
		"unknown check": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    checks:\n      - lint\n      - tset\n", "checks/lint.yml": lint, "checks/test.yml": lint},
			`.gauntlet/config.yml:5:9: entry_points[0].checks[1]: no check named "tset": .gauntlet/checks/tset.yml does not exist (did you mean "test"?)`,
		},
		"unknown review": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    reviews: [quality]\n"},
			`.gauntlet/config.yml:3:15: entry_points[0].reviews[0]: no review named "quality": .gauntlet/reviews/quality.md does not exist`,
		},
		"review without a reviewer": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    reviews: [quality]\n", "reviews/quality.md": "Look.\n"},
			`.gauntlet/config.yml:3:15: entry_points[0].reviews[0]: review "quality" has no reviewer: set cli.default_preference here or cli_preference in .gauntlet/reviews/quality.md`,
		},
		"no entry points": {
			map[string]string{"config.yml": "max_retries: 1\n"},
			`.gauntlet/config.yml:1:1: entry_points: at least one entry point is required (or a checkpoint or autonomy section)`,
		},
		"empty file": {
			map[string]string{"config.yml": ""},
			`.gauntlet/config.yml:1:1: entry_points: at least one entry point is required (or a checkpoint or autonomy section)`,
		},
		"only comments": {
			map[string]string{"config.yml": "# nothing\n\n# here\n"},
			`.gauntlet/config.yml:1:1: entry_points: at least one entry point is required (or a checkpoint or autonomy section)`,
		},
		"entry point without a path": {
			map[string]string{"config.yml": "entry_points:\n  - checks: [lint]\n", "checks/lint.yml": lint},
			`.gauntlet/config.yml:2:5: entry_points[0].path: is required`,
		},
		"entry point that leaves the project": {
			map[string]string{"config.yml": "entry_points:\n  - path: a/../../b\n"},
			`.gauntlet/config.yml:2:5: entry_points[0].path: "a/../../b" leaves the project`,
		},
		"absolute entry point": {
			map[string]string{"config.yml": "entry_points:\n  - path: /etc\n"},
			`.gauntlet/config.yml:2:5: entry_points[0].path: "/etc" must be relative to the project root`,
		},
		"bad glob": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    exclude: ['a[']\n"},
			`.gauntlet/config.yml:3:15: entry_points[0].exclude[0]: "a[" is not a valid glob`,
		},
		"option as base branch": {
			map[string]string{"config.yml": "base_branch: --upload-pack=x\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:1: base_branch: "--upload-pack=x" must not begin with a dash`,
		},
		"log_dir that is the project": {
			map[string]string{"config.yml": "log_dir: .\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:1: log_dir: "." is the whole project; use a directory of its own, such as gauntlet_logs`,
		},
		"log_dir in git": {
			map[string]string{"config.yml": "log_dir: .git/logs\n" + minimal, "checks/lint.yml": lint},
			`.gauntlet/config.yml:1:1: log_dir: ".git/logs" must not be in .git; use a directory of its own, such as gauntlet_logs`,
		},
		"check without a command": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "timeout: 3\n"},
			`.gauntlet/checks/lint.yml:1:1: command: is required`,
		},
		"check with an empty command": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "parallel: true\ncommand:\n"},
			`.gauntlet/checks/lint.yml:2:1: command: must not be empty`,
		},
		"check with a blank command": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "command: '  '\n"},
			`.gauntlet/checks/lint.yml:1:10: command: must not be empty`,
		},
		"empty check": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": ""},
			`.gauntlet/checks/lint.yml:1:1: command: is required`,
		},
		"fail_fast with parallel": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\nparallel: true\nfail_fast: true\n"},
			`.gauntlet/checks/lint.yml:3:1: fail_fast: cannot be used together with parallel: true; remove one`,
		},
		"timeout zero": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\ntimeout: 0\n"},
			`.gauntlet/checks/lint.yml:2:10: timeout: must be greater than 0, not 0`,
		},
		"fix instructions outside": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\nfix_instructions: ../secret\n"},
			`.gauntlet/checks/lint.yml:2:1: fix_instructions: "../secret" must name a file under .gauntlet/`,
		},
		"fix instructions missing": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\nfix_instructions: fix/lint.md\n"},
			`.gauntlet/checks/lint.yml:2:1: fix_instructions: .gauntlet/fix/lint.md does not exist`,
		},
		"bad environment name": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": "command: x\nenv:\n  'A=B': c\n"},
			`.gauntlet/checks/lint.yml:3:3: env.A=B: is not a name for an environment variable`,
		},
		"review: unknown key": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    reviews: [q]\n", "reviews/q.md": "---\nmodel: x\nnum_review: 2\n---\nLook.\n"},
			`.gauntlet/reviews/q.md:3:1: num_review: unknown key (did you mean "num_reviews"?)`,
		},
		"review: out of range": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    reviews: [q]\n", "reviews/q.md": "---\nnum_reviews: 0\n---\nLook.\n"},
			`.gauntlet/reviews/q.md:2:14: num_reviews: must be at least 1, not 0`,
		},
		"review: unclosed front matter": {
			map[string]string{"config.yml": "entry_points:\n  - path: .\n    reviews: [q]\n", "reviews/q.md": "---\nnum_reviews: 1\nLook.\n"},
			`.gauntlet/reviews/q.md:1:1: the front matter that begins with --- has no closing ---`,
		},
		"checkpoint: bad preset": {
			map[string]string{"config.yml": "checkpoint:\n  preset: golang\n"},
			`.gauntlet/config.yml:2:11: checkpoint.preset: must be one of teleclaude, go, node, python, rust, not "golang"`,
		},
		"checkpoint: action without anything to do": {
			map[string]string{"config.yml": "checkpoint:\n  always:\n    - id: logs\n"},
			`.gauntlet/config.yml:3:7: checkpoint.always[0]: action "logs" needs run or text`,
		},
		"checkpoint: after nothing": {
			map[string]string{"config.yml": "checkpoint:\n  always:\n    - {id: logs, run: make logs, after: log}\n"},
			`.gauntlet/config.yml:3:34: checkpoint.always[0].after: unknown action "log" (did you mean "logs"?)`,
		},
		"checkpoint: two categories of one name": {
			map[string]string{"config.yml": "checkpoint:\n  categories:\n    - name: a\n    - name: a\n"},
			`.gauntlet/config.yml:4:7: checkpoint.categories[1].name: category "a" is there twice; keep one`,
		},
		"checkpoint: commit gate without paths": {
			map[string]string{"config.yml": "checkpoint:\n  commit_gate: {}\n"},
			`.gauntlet/config.yml:2:16: checkpoint.commit_gate.paths: is required`,
		},
		"autonomy: bad commit": {
			map[string]string{"config.yml": "autonomy:\n  commit: all\n"},
			`.gauntlet/config.yml:2:11: autonomy.commit: must be one of notes, work, not "all"`,
		},
		"two files for one check": {
			map[string]string{"config.yml": minimal, "checks/lint.yml": lint, "checks/lint.yaml": lint},
			`.gauntlet/checks/lint.yml: there is another file for check "lint"; keep one`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Load(project(t, tt.files), env(t))
			if err == nil {
				t.Fatalf("no error; want %s", tt.want)
			}
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLoadHostileYAML(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i, prev := 'b', 'a'; i < 'm'; i, prev = i+1, i {
		bomb += string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(prev)+",", 9) + "]\n"
	}
	tests := map[string]struct{ content, want string }{
		"duplicate key":   {"max_retries: 1\nmax_retries: 2\n" + minimal, "config.yml:2:1"},
		"tab":             {"entry_points:\n\t- path: .\n", "config.yml:2:1: is indented by a tab"},
		"unclosed flow":   {"entry_points: [a\n", "is not valid YAML"},
		"unclosed quote":  {"base_branch: \"abc\n", "is not valid YAML"},
		"bad indent":      {"entry_points:\n  - path: .\n   checks: []\n", "config.yml:"},
		"bomb":            {bomb + minimal, "config.yml:1:1: a: unknown key"},
		"bomb in a list":  {"entry_points:\n  - path: .\n    checks: &a [x,x,x,x,x,x,x,x,x]\n    reviews: [*a,*a]\n", "must be text, not a list"},
		"alias of itself": {"entry_points: &a [*a]\n", "config.yml:"},
		"missing anchor":  {"entry_points: *nope\n", "config.yml:1:"},
		"deep flow":       {"entry_points: " + strings.Repeat("[", 200_000), "nested too deeply"},
		"deep block":      {strings.Repeat("- ", 200_000), "nested too deeply"},
		"deep mapping":    {strings.Repeat("? ", 200_000), "nested too deeply"},
		"many tags":       {"base_branch: " + strings.Repeat("!a ", 100_000) + "x\n", "too many anchors and tags"},
		"many keys": {func() string {
			var b strings.Builder
			for i := range 80_000 {
				b.WriteString("k" + strconv.Itoa(i) + ": 1\n")
			}
			return b.String()
		}(), "has too many keys and values"},
		"too large":        {"# " + strings.Repeat("x", maxFile) + "\n", "is larger than 1 MiB"},
		"two documents":    {minimal + "---\nmax_retries: 1\n", "config.yml:5:1: has more than one YAML document"},
		"not UTF-8":        {"base_branch: a\nlog_dir: \xff\xfe\n", "config.yml:2:10: is not UTF-8 text"},
		"CR LF":            {"max_retries: 2 # c\r\nbase_branch: main\r\nlog_dri: x\r\n", "config.yml:3:1: log_dri: unknown key"},
		"line break":       {"log_dir: |\n  logs\n" + minimal, "config.yml:1:10: log_dir: must be one line without control characters"},
		"NUL in a text":    {"base_branch: \"a\\0b\"\n" + minimal, "base_branch: must not contain a NUL character"},
		"complex key":      {"? [a, b]\n: c\n" + minimal, "config.yml:2:1: is not valid YAML"},
		"number overflow":  {"max_retries: 99999999999999999999999\n" + minimal, "config.yml:1:14: max_retries: must be"},
		"infinite":         {"stop_hook:\n  run_interval_minutes: .inf\n", "config.yml:2:25: stop_hook.run_interval_minutes: must be a number, not .inf"},
		"a scalar":         {"just text\n", "must be a mapping of keys to values"},
		"null in a list":   {"entry_points:\n  - path: .\n    checks:\n      -\n", "entry_points[0].checks[0]: must not be empty"},
		"blank in a list":  {"entry_points:\n  - path: .\n    checks: ['']\n", "entry_points[0].checks[0]: must not be empty"},
		"traversing check": {"entry_points:\n  - path: .\n    checks: ['../../x']\n", "no check named"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Load(project(t, map[string]string{"config.yml": tt.content, "checks/lint.yml": "command: x\n"}), env(t))
			if err == nil {
				t.Fatalf("no error; want %q", tt.want)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %s\nwant it to contain %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}
