package stack

func (f folder) golang() (Project, bool) {
	if !f.has("go.mod") {
		return Project{}, false
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
