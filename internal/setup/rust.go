package setup

import "path"

func (d *directory) rust() {
	if _, ok := d.is(Rust); !ok {
		return
	}
	doc := d.toml(d.where("Cargo.toml"))
	all := ""
	if at(doc, "workspace") != nil {
		all = " --workspace"
	}
	if cfg := d.first("rustfmt.toml", ".rustfmt.toml"); cfg != "" {
		d.implied(Rust, Format, "cargo fmt --all --check", cfg)
	}
	cfg := d.first("clippy.toml", ".clippy.toml")
	if cfg == "" && (at(doc, "lints", "clippy") != nil || at(doc, "workspace", "lints", "clippy") != nil) {
		cfg = "Cargo.toml"
	}
	if cfg != "" {
		d.implied(Rust, Lint, "cargo clippy"+all+" --all-targets -- -D warnings", cfg)
	}
	if at(doc, "package") == nil && all == "" || !d.hasRustCode(doc) {
		return
	}
	d.implied(Rust, Test, "cargo test"+all, "Cargo.toml")
}

// hasRustCode reports whether there is a crate beside the manifest; without one it is a
// template.
func (d *directory) hasRustCode(doc map[string]any) bool {
	return at(doc, "workspace") != nil || d.exists(path.Join(d.dir, "src")) || at(doc, "lib") != nil || at(doc, "bin") != nil || d.has("lib.rs", "main.rs")
}
