package gate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gauntlet/internal/config"
)

func project(t *testing.T, eps ...config.EntryPoint) *config.Loaded {
	t.Helper()
	root := t.TempDir()
	for _, d := range []string{"app", "apple", "libs/a", "libs/b", "deep/x/y", "pages/[id]", "pages/{x}"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "package.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	off := false
	return &config.Loaded{
		Root:    root,
		Project: config.Project{EntryPoints: eps},
		Checks: map[string]*config.Check{
			"lint":  {Name: "lint", Command: "lint"},
			"fixed": {Name: "fixed", Command: "x", WorkingDirectory: "app"},
			"local": {Name: "local", Command: "x", RunInCI: &off},
			"ci":    {Name: "ci", Command: "x", RunLocally: &off},
		},
		Reviews: map[string]*config.Review{"quality": {Name: "quality"}},
	}
}

func ep(path string, checks ...string) config.EntryPoint {
	return config.EntryPoint{Path: path, Checks: checks}
}

func ids(jobs []Job) []string {
	out := []string{}
	for _, j := range jobs {
		out = append(out, j.ID)
	}
	return out
}

func TestSelect(t *testing.T) {
	tests := []struct {
		name    string
		eps     []config.EntryPoint
		changed []string
		filter  Filter
		want    []string
	}{
		{"dot on any change", []config.EntryPoint{ep(".", "lint")}, []string{"x"}, Filter{}, []string{"check:.:lint"}},
		{"nothing changed", []config.EntryPoint{ep(".", "lint")}, nil, Filter{}, []string{}},
		{"directory by whole name", []config.EntryPoint{ep("app", "lint")}, []string{"apple/x"}, Filter{}, []string{}},
		{"directory with slash", []config.EntryPoint{ep("app/", "lint")}, []string{"app/x"}, Filter{}, []string{"check:app:lint"}},
		{"directory itself (a submodule)", []config.EntryPoint{ep("app", "lint")}, []string{"app"}, Filter{}, []string{"check:app:lint"}},
		{"children", []config.EntryPoint{ep("libs/*", "lint")}, []string{"libs/a/x", "libs/b/y/z", "libs/readme"}, Filter{}, []string{"check:libs/a:lint", "check:libs/b:lint"}},
		{"only the changed child", []config.EntryPoint{ep("libs/*", "lint")}, []string{"libs/b/y"}, Filter{}, []string{"check:libs/b:lint"}},
		{"a deleted child has nothing to check", []config.EntryPoint{ep("libs/*", "lint")}, []string{"libs/gone/y"}, Filter{}, []string{}},
		{"glob", []config.EntryPoint{ep("deep/**/*.go", "lint")}, []string{"deep/x/y/a.go"}, Filter{}, []string{"check:deep/**/*.go:lint"}},
		{"glob does not match", []config.EntryPoint{ep("deep/**/*.go", "lint")}, []string{"deep/x/y/a.py", "a.go"}, Filter{}, []string{}},
		{"braces", []config.EntryPoint{ep("{app,libs}/**", "lint")}, []string{"libs/x"}, Filter{}, []string{"check:{app,libs}/**:lint"}},
		{"braces that name directories", []config.EntryPoint{ep("{app,libs}", "lint")}, []string{"libs/a/x"}, Filter{}, []string{"check:{app,libs}:lint"}},
		{"a glob that ends in a directory", []config.EntryPoint{ep("deep/*/y", "lint")}, []string{"deep/x/y/z/a.go"}, Filter{}, []string{"check:deep/*/y:lint"}},
		{"a directory whose name looks like a glob", []config.EntryPoint{ep("pages/[id]", "lint")}, []string{"pages/[id]/x"}, Filter{}, []string{"check:pages/[id]:lint"}},
		{"a file", []config.EntryPoint{ep("package.json", "lint")}, []string{"package.json"}, Filter{}, []string{"check:package.json:lint"}},
		{"exclude glob first", []config.EntryPoint{{Path: ".", Exclude: []string{"**/*.md"}, Checks: []string{"lint"}}}, []string{"a/b.md", "c.md"}, Filter{}, []string{}},
		{"exclude directory", []config.EntryPoint{{Path: ".", Exclude: []string{"docs/"}, Checks: []string{"lint"}}}, []string{"docs/x", "docsy"}, Filter{}, []string{"check:.:lint"}},
		{"same check, same directory, once", []config.EntryPoint{ep(".", "fixed"), ep("app", "fixed")}, []string{"app/x"}, Filter{}, []string{"check:.:fixed"}},
		{"same check, other directory, twice", []config.EntryPoint{ep(".", "lint"), ep("app", "lint")}, []string{"app/x"}, Filter{}, []string{"check:.:lint", "check:app:lint"}},
		{"locally", []config.EntryPoint{ep(".", "local", "ci")}, []string{"x"}, Filter{}, []string{"check:.:local"}},
		{"in CI", []config.EntryPoint{ep(".", "local", "ci")}, []string{"x"}, Filter{CI: true}, []string{"check:.:ci"}},
		{"one gate", []config.EntryPoint{ep(".", "lint", "fixed")}, []string{"x"}, Filter{Names: []string{"fixed"}}, []string{"check:.:fixed"}},
		{"reviews only", []config.EntryPoint{{Path: ".", Checks: []string{"lint"}, Reviews: []string{"quality"}}}, []string{"x"}, Filter{Kind: KindReview}, []string{"review:.:quality"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ids(Select(project(t, tt.eps...), tt.changed, nil, tt.filter))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSelectKeepsFailingGates(t *testing.T) {
	p := project(t, ep("app", "lint"), ep("libs/*", "lint"))
	must := func(j Job) bool { return j.LogBase == "check_libs_a_lint" }
	if d := cmp.Diff([]string{"check:libs/a:lint"}, ids(Select(p, nil, must, Filter{}))); d != "" {
		t.Error(d)
	}
}

func TestDirectories(t *testing.T) {
	p := project(t, ep(".", "lint", "fixed"), ep("package.json", "lint"), ep("deep/**/*.go", "lint"))
	var got []string
	for _, j := range Select(p, []string{"package.json", "deep/a.go"}, nil, Filter{}) {
		rel, _ := filepath.Rel(p.Root, j.Dir)
		got = append(got, rel)
	}
	if d := cmp.Diff([]string{".", "app", "deep"}, got); d != "" {
		t.Errorf("package.json's lint runs at the root already: %s", d)
	}
}

func TestLogNamesNeverCollide(t *testing.T) {
	p := project(t, ep("a b", "lint"), ep("a_b", "lint"), ep("a/b", "lint"))
	seen := map[string]bool{}
	for _, j := range Select(p, []string{"a b/x", "a_b/x", "a/b/x"}, nil, Filter{}) {
		if seen[j.LogBase] {
			t.Errorf("%s twice", j.LogBase)
		}
		seen[j.LogBase] = true
		if j.LogBase != filepath.Base(j.LogBase) {
			t.Errorf("%q is not a file name", j.LogBase)
		}
	}
	if len(seen) != 3 || !seen["check_a_b_lint"] {
		t.Error(seen)
	}
}

// Whatever a check may depend on belongs to its key, or a pass would be reused although
// its outcome may be another one.
func TestJobsDependOnWhatTheyRunOn(t *testing.T) {
	at := func(path string, exclude ...string) config.EntryPoint {
		return config.EntryPoint{Path: path, Exclude: exclude, Checks: []string{"lint", "fixed"}}
	}
	for _, tt := range []struct {
		name    string
		eps     []config.EntryPoint
		changed string
		job     string
		on, not []string
	}{
		{"names that look like globs", []config.EntryPoint{at("pages/*")}, "pages/[id]/a", "check:pages/[id]:lint", []string{"pages/[id]/a", "pages/[id]/b/c"}, []string{"pages/{x}/a", "app/x"}},
		{"braces in a name", []config.EntryPoint{at("pages/*")}, "pages/{x}/a", "check:pages/{x}:lint", []string{"pages/{x}/a"}, []string{"pages/[id]/a"}},
		{"globs of directories", []config.EntryPoint{at("{app,libs}")}, "app/x", "check:{app,libs}:lint", []string{"app/x", "libs/a/y"}, []string{"apple/x"}},
		{"every entry point with the same directory", []config.EntryPoint{at("deep/**/*.ts"), at("deep/**/*.css")}, "deep/x/a.ts", "check:deep/**/*.ts:lint", []string{"deep/x/a.ts", "deep/b.css"}, []string{"deep/x/a.go"}},
		{"the second one is active", []config.EntryPoint{at("deep/**/*.ts"), at("deep/**/*.css")}, "deep/x/a.css", "check:deep/**/*.css:lint", []string{"deep/x/a.ts", "deep/b.css"}, nil},
		{"the same directory, other excludes", []config.EntryPoint{at("libs", "libs/a"), at("libs", "libs/b")}, "libs/b/x", "check:libs:lint", []string{"libs/a/x", "libs/b/x"}, []string{"app/x"}},
		{"its own directory", []config.EntryPoint{at("libs", "**/*.md")}, "libs/x", "check:libs:fixed", []string{"libs/x", "app/y"}, []string{"app/y.md", "apple/y", ".gauntlet/config.yml"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, j := range Select(project(t, tt.eps...), []string{tt.changed}, nil, Filter{}) {
				if j.ID != tt.job {
					continue
				}
				for _, p := range tt.on {
					if !j.DependsOn(p) {
						t.Errorf("%s does not count", p)
					}
				}
				for _, p := range tt.not {
					if j.DependsOn(p) {
						t.Errorf("%s counts", p)
					}
				}
				return
			}
			t.Fatalf("no job %s", tt.job)
		})
	}
}
