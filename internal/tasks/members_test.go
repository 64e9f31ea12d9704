package tasks

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestMembers(t *testing.T) {
	s := New(fstest.MapFS{
		"apps/web/package.json":     {Data: []byte(`{"name":"@x/frontend"}`)},
		"crates/a/Cargo.toml":       {Data: []byte("[package]\nname = \"alpha\"\n")},
		"services/p/pyproject.toml": {Data: []byte("[project]\nname = \"pay\"\n")},
		"broken/package.json":       {Data: []byte(`{`)},
	})
	for dir, want := range map[string][]string{"apps/web": {"@x/frontend"}, "crates/a": {"alpha"}, "services/p": {"pay"}, "broken": nil, "none": nil, "../x": nil} {
		if got := s.Members(dir); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
