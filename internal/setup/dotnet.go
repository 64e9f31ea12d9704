package setup

import (
	"path"
	"strings"
)

func (d *directory) dotnet() {
	p, ok := d.is(Dotnet)
	if !ok {
		return
	}
	manifest := path.Base(p.Manifest)
	output := func(dir string) bool { return path.Base(dir) == "bin" || path.Base(dir) == "obj" }
	if d.search(maxDepth, output, d.isDotnetTest) {
		d.implied(Dotnet, Test, "dotnet test", manifest)
	} else {
		d.implied(Dotnet, Build, "dotnet build", manifest)
	}
}

// isDotnetTest reports whether a file is a project of tests: by its name, or because it
// references the test SDK.
func (d *directory) isDotnetTest(file string) bool {
	if !strings.HasSuffix(file, "proj") {
		return false
	}
	if name := strings.TrimSuffix(path.Base(file), path.Ext(file)); strings.HasSuffix(name, ".Tests") || strings.HasSuffix(name, ".Test") || strings.HasSuffix(name, ".UnitTests") {
		return true
	}
	project := d.text(file)
	return strings.Contains(project, "Microsoft.NET.Test.Sdk") || strings.Contains(project, "MSTest.Sdk") || strings.Contains(project, "TUnit")
}
