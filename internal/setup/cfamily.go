package setup

import (
	"path"
	"strings"
)

// cfamily offers the tests of CMake and Meson, in a build directory.
func (d *directory) cfamily() {
	d.automake()
	p, ok := d.is(C)
	if !ok {
		return
	}
	build := d.buildDir()
	switch p.Tool {
	case "cmake":
		list := strings.ToLower(d.read("CMakeLists.txt"))
		if !strings.Contains(list, "enable_testing") && !strings.Contains(list, "include(ctest)") && !strings.Contains(list, "add_test(") {
			return
		}
		d.implied(C, Test, "cmake -S . -B "+build+" && cmake --build "+build+" && ctest --test-dir "+build+" --output-on-failure", "CMakeLists.txt")
	case "meson":
		d.implied(C, Test, "test -f "+build+"/build.ninja || meson setup "+build+" && meson test -C "+build, "meson.build")
	}
}

// automake offers make check, once the project is configured.
func (d *directory) automake() {
	switch {
	case !d.has("Makefile.am"):
	case d.has("Makefile"):
		d.implied(C, Test, "make check", "Makefile.am")
	case !d.covered(C, Test):
		d.note("%s: there is no Makefile yet; configure the project and run init again to get make check", d.where("Makefile.am"))
	}
}

// buildDir is the build directory that .gitignore names, else one of its own, which the gate
// declares as its output.
func (d *directory) buildDir() string {
	for line := range strings.Lines(d.read(".gitignore")) {
		line = strings.Trim(strings.TrimSpace(line), "/")
		switch strings.TrimSuffix(line, "*") {
		case "build", "builddir", "_build", "cmake-build", "out":
			return strings.TrimSuffix(line, "*")
		}
	}
	if d.exists(path.Join(d.dir, "build")) {
		return "_build"
	}
	return "build"
}
