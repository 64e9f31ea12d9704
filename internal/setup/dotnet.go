package setup

import (
	"io/fs"
	"path"
	"strings"
)

func (d *directory) dotnet() {
	p, ok := d.is(Dotnet)
	if !ok {
		return
	}
	manifest := path.Base(p.Manifest)
	if d.hasDotnetTests(d.dir, 0) {
		d.implied(Dotnet, Test, "dotnet test", manifest)
	} else {
		d.implied(Dotnet, Build, "dotnet build", manifest)
	}
}

// hasDotnetTests looks for a project that references the test SDK.
func (d *directory) hasDotnetTests(dir string, depth int) bool {
	entries, err := fs.ReadDir(d.fsys, dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir() && depth < maxDepth && name != "bin" && name != "obj" && !strings.HasPrefix(name, "."):
			if d.hasDotnetTests(path.Join(dir, name), depth+1) {
				return true
			}
		case strings.HasSuffix(name, "proj"):
			project := d.text(path.Join(dir, name))
			if strings.Contains(project, "Microsoft.NET.Test.Sdk") || strings.Contains(project, "MSTest.Sdk") || strings.Contains(project, "TUnit") {
				return true
			}
		}
	}
	return false
}
