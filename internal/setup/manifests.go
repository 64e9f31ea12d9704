package setup

import (
	"path"
	"slices"
	"strings"
)

// identify finds out what kinds of projects a directory contains.
func (d *directory) identify() {
	add := func(kind, tool, manifest string) {
		if manifest != "" {
			d.kinds = append(d.kinds, Project{Dir: d.dir, Kind: kind, Tool: tool, Manifest: d.where(manifest)})
		}
	}
	if d.hasGo() {
		add(Go, "go", "go.mod")
	}
	if d.has("package.json") && d.json(d.where("package.json")) != nil {
		add(Node, d.packageManager(), "package.json")
	}
	if m := d.pythonManifest(); m != "" {
		tool, _ := d.pythonRunner()
		add(Python, tool, m)
	}
	add(Rust, "cargo", d.first("Cargo.toml"))
	add(Java, "maven", d.first("pom.xml"))
	add(Java, "gradle", d.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"))
	add(Ruby, "bundler", d.first("Gemfile", "gems.rb"))
	add(PHP, "composer", d.first("composer.json"))
	if d.dir == "." || !d.isAbove(Dotnet) {
		add(Dotnet, "dotnet", d.ending(".slnx", ".sln", ".csproj", ".fsproj", ".vbproj"))
	}
	add(Elixir, "mix", d.first("mix.exs"))
	if !d.isAbove(C) {
		add(C, "cmake", d.first("CMakeLists.txt"))
		add(C, "meson", d.first("meson.build"))
	}
	add(Zig, "zig", d.first("build.zig"))
	add(Deno, "deno", d.first("deno.json", "deno.jsonc"))
	add(Bazel, "bazel", d.first("MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE"))
	add(Swift, "swift", d.first("Package.swift"))
	add(Dart, "dart", d.first("pubspec.yaml"))
	add(Scala, "sbt", d.first("build.sbt"))
	add(Haskell, "stack", d.first("stack.yaml"))
	if d.first("stack.yaml") == "" {
		add(Haskell, "cabal", d.first("cabal.project", d.ending(".cabal")))
	}
}

// isAbove reports whether a directory above contains a project of this kind, which builds
// this one.
func (d *directory) isAbove(kind string) bool {
	return slices.ContainsFunc(d.out.Projects, func(p Project) bool { return p.Kind == kind && under(p.Dir, d.dir) })
}

// manifests offers what the tools of a directory check by themselves.
func (d *directory) manifests() {
	d.golang()
	d.node()
	d.python()
	d.rust()
	d.ruby()
	d.php()
	d.dotnet()
	d.elixir()
	d.cfamily()
	d.others()
}

// implied offers a command that a manifest implies.
//
// A project whose CI checks this language has said what it uses: only tests are
// added to that, and Go's own vet.
func (d *directory) implied(kind string, role Role, run, why string) {
	if role != Test && kind != Go && slices.ContainsFunc(d.out.Proposals, func(q Proposal) bool {
		return q.Source == FromCI && q.Dir == d.dir && slices.Contains(q.Kinds, kind)
	}) {
		return
	}
	d.offer(found{dir: d.dir, run: run, why: path.Join(d.dir, why), source: FromManifest, role: role, kind: kind})
}

// isWorkspace reports whether the commands in dir also run those of the projects
// of that kind below it.
func (f *finder) isWorkspace(dir, kind string) bool {
	switch kind {
	case Node:
		doc := f.json(path.Join(dir, "package.json"))
		return f.exists(path.Join(dir, "pnpm-workspace.yaml")) || at(doc, "workspaces") != nil
	case Rust:
		return at(f.toml(path.Join(dir, "Cargo.toml")), "workspace") != nil
	case Deno:
		return strings.Contains(f.text(path.Join(dir, "deno.json"))+f.text(path.Join(dir, "deno.jsonc")), `"workspace"`)
	case Python:
		return at(f.toml(path.Join(dir, "pyproject.toml")), "tool", "uv", "workspace") != nil
	case Go:
		return false // ./... ends where another module begins
	case Java, Dotnet, C, Bazel, Elixir:
		return true // modules and sub-projects are built from the top
	}
	return false
}
