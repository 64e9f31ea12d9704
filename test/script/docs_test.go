package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// example is one command of the documentation, and what it says is printed.
type example struct {
	page, command string
	prints        []string
}

// elsewhere are beginnings of commands that this test leaves out, and why.
var elsewhere = map[string]string{
	"make ":                   "the build itself",
	"npm install ":            "needs a release (packaging/release)",
	"brew install ":           "needs a release (packaging/release)",
	"go install ":             "needs a release (packaging/release)",
	"cd your-project":         "the test is there already",
	"gauntlet ui":             "serves until it is interrupted (ui/ and test/page)",
	"gauntlet-fleet ":         "needs servers (test/fleet)",
	"DATABASE_URL=":           "needs servers (test/fleet)",
	"OTEL_":                   "needs servers (test/fleet)",
	"bazel-remote ":           "needs servers (test/fleet)",
	"install -d ":             "configures a server (test/fleet)",
	"printf 'team:":           "configures a server (test/fleet)",
	"printf 'ci:":             "configures a server (test/fleet)",
	"cat /etc/nginx/":         "configures a server (test/fleet)",
	"nginx ":                  "configures a server (test/fleet)",
	"createuser ":             "configures a server (test/fleet)",
	"createdb ":               "configures a server (test/fleet)",
	"gauntlet proofs publish": "needs servers (test/fleet)",
	"gauntlet notify":         "called by an agent",
	"gauntlet inject":         "types into a terminal (inject/)",
	"gauntlet replay -":       "reads recorded sessions (replay/)",
}

func (e example) elsewhere() bool {
	for start := range elsewhere {
		if strings.HasPrefix(e.command, start) {
			return true
		}
	}
	return false
}

// desk is a small project with a policy, and files that examples read.
func desk(t *testing.T) (run func(command string) (output string, code int)) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash: the examples of the documentation are not run")
	}
	home, dir := t.TempDir(), t.TempDir()
	env := append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "GAUNTLET_") || strings.HasPrefix(v, "CLAUDE") || strings.HasPrefix(v, "GIT_")
	}), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CONFIG_HOME="+home+"/config", "GAUNTLET_TRUST=all", "GAUNTLET_SLOTS=0", "GAUNTLET_AHEAD=0", "GAUNTLET_WATCH=off", "USER=dev", "CI=",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com", "GIT_CONFIG_NOSYSTEM=1")
	run = func(command string) (string, int) {
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	long := strings.Repeat("word ", 612)
	for name, text := range map[string]string{
		"summary.txt":   "Login works. Sessions are rows in a table.\n",
		"request.json":  `{"task_id":"2.1","phase":"write","mode":"code","context":{"previous_summary":"` + long + `"},"instructions":"x","expected_output":"y"}`,
		"response.json": `{"status":"complete","summary":"Done."}`,
		"record.json":   `{"version":1,"command":"implement","phases":{}}`,
		"run.sh":        "exit 0\n",
		"test.sh":       "[ -e Makefile ] || exit 1\n",
		"Makefile":      "test:\n\tsh test.sh\nlint:\n\tsh -n run.sh\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, code := run("git init -q -b main && mkdir -p .claude && gauntlet init --yes --no-try --agent claude && git add -A && git commit -q -m start && git checkout -q -b work && echo '# x' >> run.sh"); code != 0 {
		t.Fatalf("%s", out)
	}
	return run
}

// Every command in a block of shell in the documentation works in a project, in the
// order in which a reader would type them, and prints what the page says.
func TestExamplesInTheDocumentation(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	digits := regexp.MustCompile(`[0-9]+`)
	for _, page := range append(pages, "../../README.md", "../../fleet/README.md") {
		if filepath.Base(page) == "tutorial.md" {
			continue // one after the other in one shell: TestTutorial
		}
		examples := examplesOf(t, page)
		if len(examples) == 0 {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(page))+"/"+filepath.Base(page), func(t *testing.T) {
			run := desk(t)
			for _, e := range examples {
				if e.elsewhere() {
					continue
				}
				if command, _, _ := strings.Cut(e.command, "  "); command == "gauntlet init" {
					e.command = command + " --dry-run" // there is no one to be asked
				}
				ran++
				out, code := run(e.command)
				fails := slices.ContainsFunc(e.prints, func(line string) bool { return strings.Contains(line, `"valid":false`) })
				if (code != 0) != fails {
					t.Errorf("%s\nexit code %d\n%s", e.command, code, out)
				}
				for _, want := range e.prints {
					if !strings.Contains(digits.ReplaceAllString(out, "N"), digits.ReplaceAllString(want, "N")) {
						t.Errorf("%s\nprints\n%s\nnot\n%s", e.command, out, want)
					}
				}
			}
		})
	}
	if ran < 25 {
		t.Errorf("only %d examples were run: the pages are read wrongly", ran)
	}
}

// examplesOf takes the blocks of shell out of a page. A comment of JSON below a
// command is what it prints.
func examplesOf(t *testing.T, page string) []example {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	inside, more := false, false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```sh"
		case !inside || line == "":
		case strings.HasPrefix(line, "# {"):
			last := &out[len(out)-1]
			last.prints = append(last.prints, strings.TrimPrefix(line, "# "))
		case strings.HasPrefix(line, "#"):
		case more:
			out[len(out)-1].command += "\n" + line
			more = strings.HasSuffix(line, `\`)
		default:
			out = append(out, example{page: page, command: line})
			more = strings.HasSuffix(line, `\`)
		}
	}
	return out
}

// Every example of a command's help is one that the command takes.
func TestExamplesInTheHelp(t *testing.T) {
	t.Parallel()
	run := desk(t)
	seen := 0
	var walk func(path string)
	walk = func(path string) {
		help, code := run(path + " --help")
		if code != 0 {
			t.Fatalf("%s --help: %s", path, help)
		}
		if path == "gauntlet" {
			more, _ := run("gauntlet help more")
			help += more
		}
		part := ""
		var commands []string
		for line := range strings.Lines(help) {
			line = strings.TrimRight(line, "\n")
			name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			name = strings.TrimSuffix(name, ",")
			switch {
			case line != "" && line[0] != ' ':
				part = line
			case part == "Examples:" && strings.HasPrefix(line, "  gauntlet "):
				e := example{command: strings.TrimSpace(line)}
				if e.elsewhere() || strings.HasSuffix(e.command, `\`) {
					continue
				}
				seen++
				out, _ := run(e.command)
				for _, wrong := range []string{"unknown flag", "unknown command", "usage: ", "takes no arguments", " needs a "} {
					if strings.Contains(out, wrong) {
						t.Errorf("%s\n%s", e.command, out)
					}
				}
			case strings.HasPrefix(line, "  ") && name != "" && line[2] != ' ' && name[0] != '-' && name != "gauntlet" && name != "gauntlet-fleet" && (strings.HasSuffix(part, "Commands:") || path == "gauntlet"):
				commands = append(commands, name)
			}
		}
		for _, name := range commands {
			if name != "completion" && name != "help" {
				walk(path + " " + name)
			}
		}
	}
	walk("gauntlet")
	if seen < 80 {
		t.Errorf("only %d examples found", seen)
	}
}
