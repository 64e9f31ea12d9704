package setup

import (
	"io/fs"
	"path"
	"strings"
)

// hasGo reports whether there is a module with code; without any it only pins the versions
// of tools.
func (d *directory) hasGo() bool { return d.has("go.mod") && (d.dir == "." || d.hasGoFiles(d.dir, 0)) }

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

// hasGoFiles looks for code in a module, no deeper than modules usually keep it.
func (d *directory) hasGoFiles(dir string, depth int) bool {
	entries, err := fs.ReadDir(d.fsys, dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		// A file that a build tag keeps out holds only the imports of tools.
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") && !strings.Contains(firstLines(d.text(path.Join(dir, e.Name()))), "build tools") {
			return true
		}
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") || depth == maxDepth+1 {
			continue
		}
		sub := path.Join(dir, e.Name())
		switch e.Name() {
		case "vendor", "testdata", "node_modules":
			continue
		}
		if !d.exists(path.Join(sub, "go.mod")) && d.hasGoFiles(sub, depth+1) {
			return true
		}
	}
	return false
}

func firstLines(text string) string { return text[:min(len(text), 2_000)] }
