package house

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// programFiles may name a program that checks something, each with its reason. Everything
// else asks tool.
var programFiles = map[string]string{
	"tasks/calls.go":             "how the runners of task files are called is what these files are about",
	"tasks/expand.go":            "a runner's file is read by the runner's name",
	"tasks/make.go":              "variables that make sets itself",
	"tasks/package.go":           "a script's file is read by its runner's name",
	"tasks/rake.go":              "a Rakefile names the libraries that define its tasks",
	"tasks/structured.go":        "a runner's file is read by the runner's name",
	"tasks/tasks.go":             "names by which a runner's file is found",
	"tasks/tox.go":               "tox.ini and noxfile.py are read as tox and nox read them",
	"tasks/workspace.go":         "targets that a workspace's plugins define are named after tools",
	"setup/cfamily.go":           "what a manifest implies is a command",
	"setup/jvm.go":               "what a manifest implies is a command",
	"setup/manifests.go":         "what a manifest implies is a command",
	"setup/node.go":              "what a manifest implies is a command",
	"setup/others.go":            "what a manifest implies is a command",
	"setup/python.go":            "what a manifest implies is a command",
	"setup/ruby.go":              "what a manifest implies is a command",
	"setup/rust.go":              "what a manifest implies is a command",
	"setup/pipeline.go":          "the pipeline that init writes installs what the project uses",
	"setup/ci.go":                "directories that CI builds in are options of the build tools",
	"setup/github.go":            "actions are named after the tool that they run",
	"setup/hooks.go":             "hooks are named after the tool that they run",
	"setup/runners.go":           "recipes are named after the tool that they run",
	"setup/role.go":              "recipes are named after the tool that they run",
	"setup/cistep.go":            "jobs are named after the tool that they run",
	"checkpoint/rules/repeat.go": "spellings of one command, which the checkpoint takes for the same",
	"agent/inside.go":            "what clients are started by",
	"weaken/types.go":            "sections of a settings file are named after the tool that reads them",
	"doctor/gates.go":            "scripts whose tools lie beside them, not on the PATH",
}

// words are programs whose names mean something else in this house, too.
const words = "go node python ruby php dotnet swift dart zig deno bazel make task just standard test env time exec command act kind m mix check tap green lab trial tester flow blue pants stack moon rush ec reuse pod port npm checkstyle bundle bats terraform next"

// checkers are the programs of the catalogue that check something, install or call tasks.
func checkers(root string) map[string]bool {
	names := map[string]bool{}
	head := regexp.MustCompile(`(?m)^programs?: (.*)$`)
	files, _ := filepath.Glob(filepath.Join(root, "internal", "tool", "catalogue", "*.txt"))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		text, _, _ := strings.Cut(string(data), "\n%%% ")
		if m := head.FindStringSubmatch(text); m != nil && (strings.Contains(text, "\nrole") || strings.Contains(text, "\ntasks") || strings.Contains(text, "packages")) {
			for name := range strings.FieldsSeq(m[1]) {
				names[name] = !strings.Contains(" "+words+" ", " "+name+" ")
			}
		}
	}
	return names
}

// checkPrograms finds the names of programs outside of the one package that knows them.
func checkPrograms(h *house) (out []finding) {
	names := checkers(h.root)
	h.each(func(p *pkg, f *file, n ast.Node) {
		if p.room == "" || p.room == "tool" || f.in(programFiles) {
			return
		}
		lit, ok := n.(ast.Expr)
		if !ok {
			return
		}
		if text, ok := p.literal(lit); ok && names[text] && !f.isTag(lit) {
			out = append(out, h.at(lit, fmt.Sprintf("names the program %s: what a program is, does and prints is asked of tool", text)))
		}
	})
	return out
}
