package setup

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml"
)

func pipelineFor(t *testing.T, system CISystem, files ...string) string {
	t.Helper()
	fsys := fstest.MapFS{}
	for i := 0; i+1 < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	p := Pipeline{System: system, Branch: "trunk", Version: "1.2.3", Home: "https://example.com/gauntlet", Remote: "https://proofs.example.com"}
	return p.Text(Find(fsys))
}

// Every pipeline is YAML without anything left to fill in.
func TestPipelinesAreWhole(t *testing.T) {
	projects := map[string][]string{
		"nothing": nil,
		"go":      {"go.mod", "module x\n"},
		"web":     {"web/package.json", "{}", "web/pnpm-lock.yaml", ""},
		"yarn":    {"package.json", "{}", "yarn.lock", ""},
		"bun":     {"package.json", "{}", "bun.lock", ""},
		"uv":      {"pyproject.toml", "[project]\nname='x'\n", "uv.lock", ""},
		"pip":     {"requirements.txt", "x\n"},
		"poetry":  {"pyproject.toml", "[tool.poetry]\nname='x'\n"},
		"ruby":    {"Gemfile", ""},
		"php":     {"composer.json", "{}"},
		"java":    {"pom.xml", "<project/>"},
		"elixir":  {"mix.exs", ""},
		"rust":    {"Cargo.toml", "[package]\nname='x'\n"},
		"deno":    {"deno.json", "{}"},
		"dotnet":  {"x.sln", ""},
		"zig":     {"build.zig", ""},
		"many":    {"go.mod", "module x\n", "x.go", "package x\n", "web/package.json", "{}", "api/pyproject.toml", "[project]\nname='x'\n"},
		"hostile": {"a b/package.json", "{}", "x: y/go.mod", "module x\n", "x: y/x.go", "package x\n", "q'q/Gemfile", ""},
	}
	for name, files := range projects {
		for _, system := range []CISystem{GitHub, GitLab} {
			text := pipelineFor(t, system, files...)
			var doc map[string]any
			if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
				t.Errorf("%s for %s: %v\n%s", system, name, err, text)
			}
			if i := strings.Index(text, "@"); i >= 0 && regexp.MustCompile(`@[A-Z]+@`).MatchString(text) {
				t.Errorf("%s for %s: something is not filled in:\n%s", system, name, text)
			}
		}
	}
}

// A workflow that strangers can start has no rights, no moving parts, and no
// secret outside the step that publishes.
func TestWorkflowIsSafe(t *testing.T) {
	text := pipelineFor(t, GitHub, "go.mod", "module x\n", "package.json", "{}", "pyproject.toml", "[project]\nname='x'\n", "Gemfile", "", "composer.json", "{}", "pom.xml", "<project/>", "deno.json", "{}")
	for _, use := range regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(use[1]) {
			t.Errorf("%s is not pinned by a commit", use[1])
		}
	}
	if strings.Contains(text, "pull_request_target") || strings.Contains(text, "workflow_run") {
		t.Error("it runs a stranger's code with rights")
	}
	var doc struct {
		Permissions map[string]string `yaml:"permissions"`
		On          struct {
			Push struct {
				Branches []string `yaml:"branches"`
			} `yaml:"push"`
		} `yaml:"on"`
		Jobs map[string]struct {
			Steps []struct {
				Name string            `yaml:"name"`
				If   string            `yaml:"if"`
				Run  string            `yaml:"run"`
				Env  map[string]string `yaml:"env"`
				With map[string]any    `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Permissions) != 1 || doc.Permissions["contents"] != "read" {
		t.Errorf("permissions: %v", doc.Permissions)
	}
	if len(doc.On.Push.Branches) != 1 || doc.On.Push.Branches[0] != "trunk" {
		t.Errorf("pushes to %v publish", doc.On.Push.Branches)
	}
	published := false
	for _, job := range doc.Jobs {
		for _, step := range job.Steps {
			for _, value := range step.Env {
				if strings.Contains(value, "secrets.") && step.If != "github.event_name == 'push'" {
					t.Errorf("step %q has a secret on %q", step.Name, step.If)
				}
			}
			if strings.Contains(step.Run, "${{") {
				t.Errorf("step %q puts an expression into a shell:\n%s", step.Name, step.Run)
			}
			if strings.Contains(step.Run, "gauntlet proofs publish") {
				published = step.If == "github.event_name == 'push'"
			}
		}
	}
	if !published {
		t.Error("nothing publishes, or not only on a push")
	}
	if n := strings.Count(text, "secrets."); n != 2 {
		t.Errorf("%d secrets", n)
	}
}

// A language without an action that was reviewed is left to the person, in its own image.
func TestPipelineOfALanguageWithoutAnAction(t *testing.T) {
	found := Result{Projects: []Project{{Dir: ".", Kind: Elixir, Tool: "mix", Manifest: "mix.exs"}}}
	if text := (Pipeline{System: GitHub}).Text(found); !strings.Contains(text, "# Set up what mix.exs needs here.") || !strings.Contains(text, "mix deps.get") {
		t.Errorf("GitHub:\n%s", text)
	}
	if text := (Pipeline{System: GitLab}).Text(found); !strings.Contains(text, "image: elixir:1") {
		t.Errorf("GitLab:\n%s", text)
	}
}
