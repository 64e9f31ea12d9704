package stack

import (
	"io/fs"
	"path"
	"strings"
)

func (f folder) golang() (Project, bool) {
	if !f.has("go.mod") {
		return Project{}, false
	}
	if f.dir != "." && !f.hasGoFiles(f.dir, 0) {
		return Project{}, false // without code it only pins the versions of tools
	}
	p := Project{Kind: Go, Tool: "go", Manifest: f.where("go.mod")}
	if cfg := f.first(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"); cfg != "" {
		p.Commands = append(p.Commands, Command{Role: Lint, Run: "golangci-lint run", Why: f.where(cfg), Evidence: []string{"golangci-lint run"}})
	} else {
		p.Commands = append(p.Commands, Command{Role: Lint, Run: "go vet ./...", Why: p.Manifest, Evidence: []string{"go vet"}})
	}
	p.Commands = append(p.Commands, Command{Role: Test, Run: "go test ./...", Why: p.Manifest, Evidence: []string{"go test", "gotestsum"}})
	return p, true
}

// hasGoFiles looks for code in a module, not beyond where modules keep it.
func (f folder) hasGoFiles(dir string, depth int) bool {
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") {
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
		if !f.exists(path.Join(sub, "go.mod")) && f.hasGoFiles(sub, depth+1) {
			return true
		}
	}
	return false
}
