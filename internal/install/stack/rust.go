package stack

import "strings"

func (f folder) rust() (Project, bool) {
	if !f.has("Cargo.toml") {
		return Project{}, false
	}
	p := Project{Kind: Rust, Tool: "cargo", Manifest: f.where("Cargo.toml")}
	tables := tomlTables(f.read("Cargo.toml"))
	all := ""
	if tables["workspace"] {
		all = " --workspace"
	}
	if cfg := f.first("rustfmt.toml", ".rustfmt.toml"); cfg != "" {
		p.Commands = append(p.Commands, Command{Role: Format, Run: "cargo fmt --all --check", Why: f.where(cfg), Evidence: []string{"cargo fmt"}})
	}
	cfg := f.first("clippy.toml", ".clippy.toml")
	if cfg == "" && (tables["lints.clippy"] || tables["workspace.lints.clippy"]) {
		cfg = "Cargo.toml"
	}
	if cfg != "" {
		p.Commands = append(p.Commands, Command{Role: Lint, Run: "cargo clippy" + all + " --all-targets -- -D warnings", Why: f.where(cfg), Evidence: []string{"cargo clippy"}})
	}
	p.Commands = append(p.Commands, Command{Role: Test, Run: strings.TrimSpace("cargo test" + all), Why: p.Manifest, Evidence: []string{"cargo test", "cargo nextest run"}})
	return p, true
}
