package config

import "testing"

func TestIsOutput(t *testing.T) {
	l := &Loaded{
		Project: Project{EntryPoints: []EntryPoint{{Path: "packages/*", Checks: []string{"build"}}, {Path: ".", Checks: []string{"test"}}}},
		Checks: map[string]*Check{
			"build": {Outputs: []string{"dist", "*.lock"}},
			"test":  {Outputs: []string{"cover.out", "../up"}, WorkingDirectory: "app"},
		},
	}
	is := l.IsOutput()
	for p, want := range map[string]bool{
		"dist": true, "dist/x/y": true, "packages/a/dist/x": true, "packages/a/b.lock": true, "b.lock": true, "cover.out": true, "app/cover.out": true,
		"packages/a/src/x": false, "distant": false, "x/cover.out": false, "up": true, "../up": false, "src/dist/x": false,
	} {
		if is(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
	if (&Loaded{}).IsOutput()("dist") {
		t.Error("no check declares anything")
	}
}
