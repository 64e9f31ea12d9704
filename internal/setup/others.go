package setup

import (
	"path"
	"slices"
	"strings"
)

// others are kinds with one command for everything.
func (d *directory) others() {
	if _, ok := d.is(Zig); ok && strings.Contains(d.read("build.zig"), `"test"`) {
		d.implied(Zig, Test, "zig build test", "build.zig")
	}
	if p, ok := d.is(Deno); ok {
		manifest := d.first("deno.json", "deno.jsonc")
		d.implied(Deno, Lint, "deno lint", manifest)
		if strings.Contains(d.text(p.Manifest), `"fmt"`) {
			d.implied(Deno, Format, "deno fmt --check", manifest)
		}
		tests := func(name string) bool { return strings.Contains(name, "_test.") || strings.Contains(name, ".test.") }
		if d.anyFile(tests) {
			d.implied(Deno, Test, "deno test", manifest)
		}
	}
	if _, ok := d.is(Bazel); ok && !d.isAbove(Bazel) {
		manifest := d.first("MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE")
		if d.hasRule("(") && !d.hasRule("_test(", "_tests(", "test_suite(") {
			d.implied(Bazel, Build, "bazel build //...", manifest) // bazel test fails without a test
		} else {
			d.implied(Bazel, Test, "bazel test //...", manifest)
		}
	}
	if _, ok := d.is(Swift); ok && strings.Contains(d.read("Package.swift"), "testTarget") {
		d.implied(Swift, Test, "swift test", "Package.swift")
	}
	if _, ok := d.is(Dart); ok {
		dart := "dart"
		if mentions(d.read("pubspec.yaml"), "flutter") {
			dart = "flutter"
		}
		d.implied(Dart, Lint, dart+" analyze", "pubspec.yaml")
		if d.anyFile(func(name string) bool { return strings.HasSuffix(name, "_test.dart") }) {
			d.implied(Dart, Test, dart+" test", "pubspec.yaml")
		}
	}
	if _, ok := d.is(Scala); ok && !d.isAbove(Scala) {
		d.implied(Scala, Test, "sbt test", "build.sbt")
	}
	if p, ok := d.is(Haskell); ok && !d.isAbove(Haskell) {
		run := "cabal test all"
		if p.Tool == "stack" {
			run = "stack test"
		}
		d.implied(Haskell, Test, run, d.first("stack.yaml", "cabal.project", d.ending(".cabal")))
	}
}

// hasRule reports whether a BUILD file contains one of these words.
func (d *directory) hasRule(words ...string) bool {
	return d.search(maxDepth+2, func(string) bool { return false }, func(file string) bool {
		if base := path.Base(file); base != "BUILD" && base != "BUILD.bazel" {
			return false
		}
		text := d.text(file)
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	})
}
