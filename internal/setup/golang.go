package setup

import (
	"path"
	"strings"
)

// hasGo reports whether there is a module with code; without any it only pins the versions
// of tools.
func (d *directory) hasGo() bool {
	other := func(dir string) bool { return path.Base(dir)[0] == '_' || d.exists(path.Join(dir, "go.mod")) }
	return d.has("go.mod") && (d.dir == "." || d.search(maxDepth+1, other, func(file string) bool {
		// A file that a build tag keeps out holds only the imports of tools.
		return strings.HasSuffix(file, ".go") && !strings.Contains(firstLines(d.text(file)), "build tools")
	}))
}

func (d *directory) golang() {
	if _, ok := d.is(Go); !ok {
		return
	}
	if cfg := d.first(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"); cfg != "" {
		d.implied(Go, Lint, "golangci-lint run", cfg)
	}
	d.implied(Go, Lint, "go vet ./...", "go.mod") // also where golangci-lint cannot run
	// Tests come early in a new project; in a part of a larger one that has none
	// they would only be reported as missing at every stop.
	if d.dir == "." || d.anyFile(func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		d.implied(Go, Test, "go test ./...", "go.mod")
	} else {
		d.implied(Go, Build, "go build ./...", "go.mod")
	}
}

func firstLines(text string) string { return text[:min(len(text), 2_000)] }
