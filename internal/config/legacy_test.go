package config

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// oldProject has every key and form of older versions, of agent-gauntlet and of its
// successor.
func oldProject() map[string]string {
	return map[string]string{
		"config.yml": `# top
name: my-project # the name
git_ref: main
max_previous_logs: 5
rerun_new_issue_threshold: 3
logging:
  level: debug
  # inner
  console:
    format: pretty
parallel: true

cli:
  # which ones
  adapters:
    codex:
      model: fast # quick
      thinking_budget: low
    claude: {allow_tool_use: false}
stop_hook:
  auto_push_pr: true
checks:
  # builds it
  build: # in place
    command: make build
    # a minute
    timeout: 60
  vet: {command: go vet ./..., parallel: true}
reviews:
  whole:
    builtin: all-reviewers
    num_reviews: 2
entry_points:
  - path: "."
    checks:
      - build
      - vet
      - unit # by its name inside
      # the linter
      - lint:
          command: |
            # not a comment
            make lint
          fix_with_skill: fix lint
      - types
    reviews:
      - whole
      - quality
      - old
      - given:
          prompt_file: prompts/given.md
          enabled: false # for now
      - built-in:security
`,
		"checks/test.yml":     "name: unit\ncommand: make test\nrerun_command: make test-again # faster\n",
		"checks/types.yml":    "command: make types\nfix_instructions_file: fix/types.md # how\n",
		"fix/types.md":        "Run make types.\n",
		"prompts/given.md":    "Look at names.\n",
		"reviews/quality.yml": "# ours\nbuiltin: code-quality\nreviewers:\n  - claude # first\nenabled: true\n",
		"reviews/old.md":      "---\nname: old\nreviewers: [codex]\nskill_name: reviewing # theirs\n---\n",
	}
}

// A policy of older versions is read, means what it meant there, and every key is named
// once.
func TestOldPolicyIsRead(t *testing.T) {
	l, err := Load(project(t, oldProject()), env(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Project.CLI.DefaultPreference; !slices.Equal(got, []string{"codex", "claude"}) {
		t.Errorf("the reviewers are %v", got)
	}
	checks := map[string]string{"build": "make build", "vet": "go vet ./...", "unit": "make test", "lint": "# not a comment\nmake lint\n", "types": "make types"}
	for name, command := range checks {
		if c := l.Checks[name]; c == nil || c.Command != command {
			t.Errorf("check %s is %+v", name, c)
		}
	}
	if got := l.Checks["lint"].FixText; !strings.Contains(got, `"fix lint"`) {
		t.Errorf("the instructions of lint are %q", got)
	}
	if got := l.Checks["types"].FixText; got != "Run make types.\n" {
		t.Errorf("the instructions of types are %q", got)
	}
	if got := *l.Checks["build"].Timeout; got != 60 {
		t.Errorf("build may take %v s", got)
	}
	prompts := map[string]string{"whole": "# Security", "quality": "# Code quality", "old": `"reviewing"`, "given": "Look at names.", "built-in:security": "# Security"}
	for name, part := range prompts {
		if r := l.Reviews[name]; r == nil || !strings.Contains(r.Prompt, part) {
			t.Errorf("review %s is %+v", name, r)
		}
	}
	if l.Reviews["given"].Mode != ModeOff || l.Reviews["quality"].Mode == ModeOff {
		t.Error("enabled does not decide the mode")
	}
	if got := l.Reviews["quality"].CLIPreference; !slices.Equal(got, []string{"claude"}) {
		t.Errorf("the reviewers of quality are %v", got)
	}
	for _, key := range []string{
		"config.yml:2:1: name:", "git_ref", "max_previous_logs", "logging", "rerun_new_issue_threshold", ": parallel", "cli.adapters", "auto_push_pr", ": checks:", ": reviews:",
		"reviews.whole.builtin", "fix_with_skill", "entry_points[0].checks[3]: is", "given.prompt_file", "given.enabled", "built-in:security",
		"test.yml:1:1: name", "rerun_command", "fix_instructions_file", "quality.yml:2:1: builtin", "quality.yml:3:1: reviewers", "quality.yml:5:1: enabled", "skill_name", "old.md:2:1: name",
	} {
		count := 0
		for _, w := range l.Warnings {
			if strings.Contains(w, key) {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%d warnings name %s:\n%s", count, key, strings.Join(l.Warnings, "\n"))
		}
	}
}

// The rewritten policy has no old key, means the same, and has every comment.
func TestMigrate(t *testing.T) {
	root := project(t, oldProject())
	before := ReadPolicy(root)
	after, left, err := Migrate(root, before, env(t))
	if err != nil || len(left) > 0 {
		t.Fatal(err, left)
	}
	l, err := LoadPolicy(root, after, env(t))
	if err != nil || len(l.Warnings) > 0 {
		t.Fatal(err, l.Warnings)
	}
	want := []string{
		"checks/build.yml", "checks/lint.yml", "checks/test.yml", "checks/types.yml", "checks/vet.yml", "config.yml", "fix/fix-lint.md", "fix/types.md", "prompts/given.md",
		"reviews/given.md", "reviews/old.md", "reviews/quality.md", "reviews/security.md", "reviews/whole.md",
	}
	if got := after.Names(); !slices.Equal(got, want) {
		t.Errorf("the files are %v", got)
	}
	all := ""
	for _, f := range after {
		all += string(f.Data)
	}
	for _, comment := range []string{"# top", "# the name", "# inner", "# which ones", "# quick", "# builds it", "# in place", "# a minute", "# by its name inside", "# the linter", "# for now", "# faster", "# how", "# ours", "# first", "# theirs"} {
		if strings.Count(all, comment) != 1 {
			t.Errorf("%q is there %d times", comment, strings.Count(all, comment))
		}
	}
	if got := string(after["checks/build.yml"].Data); got != "# builds it\n# in place\ncommand: make build\n# a minute\ntimeout: 60\n" {
		t.Errorf("build is %q", got)
	}
	if !slices.Equal(l.Project.EntryPoints[0].Checks, []string{"build", "vet", "test", "lint", "types"}) {
		t.Errorf("the checks are %v", l.Project.EntryPoints[0].Checks)
	}
	again, _, err := Migrate(root, after, env(t))
	if err != nil || !maps.EqualFunc(after, again, func(a, b PolicyFile) bool { return string(a.Data) == string(b.Data) }) {
		t.Error("a second migration changes something", err)
	}
}

// What cannot be rewritten safely stays and is named; nothing else is lost by it.
func TestMigrateLeavesWhatItCannotEdit(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		left  string
	}{
		"braces":          {map[string]string{"config.yml": "{name: x, entry_points: [{path: ., checks: [a]}]}\n", "checks/a.yml": "command: a\n"}, "config.yml"},
		"gate in braces":  {map[string]string{"config.yml": "entry_points:\n  - path: .\n    checks: [{a: {command: a}}]\n"}, "config.yml"},
		"line ends":       {map[string]string{"config.yml": minimal + "name: x\r\n", "checks/lint.yml": "command: a\n"}, "config.yml"},
		"two prompts":     {map[string]string{"config.yml": "cli: {default_preference: [claude]}\nentry_points:\n  - path: .\n    reviews: [r]\n", "reviews/r.md": "---\nskill_name: s\n---\nmine\n"}, "r.md"},
		"file is taken":   {map[string]string{"config.yml": minimal, "checks/lint.yml": "command: a\nfix_with_skill: s\n", "fix/s.md": "mine\n"}, "lint.yml"},
		"name is no file": {map[string]string{"config.yml": "entry_points:\n  - path: .\n    checks:\n      - a/b:\n          command: a\n"}, "config.yml"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := project(t, tt.files)
			before := ReadPolicy(root)
			after, left, err := Migrate(root, before, env(t))
			if err != nil {
				t.Fatal(err)
			}
			if len(left) != 1 || !strings.Contains(left[0], tt.left) {
				t.Errorf("left are %q", left)
			}
			for file := range before {
				if string(before[file].Data) != string(after[file].Data) {
					t.Errorf("%s was changed to %q", file, after[file].Data)
				}
			}
		})
	}
}

// CR LF stays, and a policy that is broken is not touched.
func TestMigrateKeepsLineEnds(t *testing.T) {
	root := project(t, map[string]string{"config.yml": strings.ReplaceAll("name: x\n"+minimal, "\n", "\r\n"), "checks/lint.yml": "command: a\n"})
	after, left, err := Migrate(root, ReadPolicy(root), env(t))
	if got := string(after["config.yml"].Data); err != nil || len(left) > 0 || got != strings.ReplaceAll(minimal, "\n", "\r\n") {
		t.Errorf("%q %v %v", got, left, err)
	}
	root = project(t, map[string]string{"config.yml": "name: x\n" + minimal})
	if _, _, err := Migrate(root, ReadPolicy(root), env(t)); err == nil {
		t.Error("a broken policy is rewritten")
	}
}

// A gate in config.yml is reported where it is written.
func TestInlineGateErrors(t *testing.T) {
	tests := map[string]string{
		"checks:\n  a:\n    comand: x\nentry_points:\n  - path: .\n    checks: [a]\n":                                     `.gauntlet/config.yml:3:5: checks.a.comand: unknown key (did you mean "command"?)`,
		"checks:\n  a: {command: x, parallel: true, fail_fast: true}\nentry_points:\n  - path: .\n    checks: [a]\n":      "fail_fast: cannot be used together",
		"entry_points:\n  - path: .\n    checks:\n      - a: {command: x}\n      - a: {command: y}\n":                     `there is another check named "a"; keep one`,
		"checks: [a]\nentry_points:\n  - path: .\n    checks: [a]\n":                                                      "must be a mapping of names to gates",
		"cli: {default_preference: [claude]}\nentry_points:\n  - path: .\n    reviews:\n      - a: {builtin: nonsense}\n": `no built-in prompt named "nonsense"`,
		"cli: {default_preference: [claude]}\nentry_points:\n  - path: .\n    reviews:\n      - a: {prompt_file: ../x}\n": "must name a file under .gauntlet/",
		"checks: {a: {command: x}}\nentry_points:\n  - path: .\n    checks: [{a: {command: y}, b: {command: z}}]\n":       "must be text",
	}
	for text, want := range tests {
		_, err := Load(project(t, map[string]string{"config.yml": text}), env(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, not %q", text, err, want)
		}
	}
}
