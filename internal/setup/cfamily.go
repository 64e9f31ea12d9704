package setup

import "strings"

// cfamily offers the tests of CMake and Meson, in a build directory that git ignores:
// nothing is built where it would look like a change.
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
		if build == "" {
			d.noBuildDir("CMakeLists.txt")
			return
		}
		d.implied(C, Test, "cmake -S . -B "+build+" && cmake --build "+build+" && ctest --test-dir "+build+" --output-on-failure", "CMakeLists.txt")
	case "meson":
		if build == "" {
			d.noBuildDir("meson.build")
			return
		}
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

func (d *directory) noBuildDir(manifest string) {
	if !d.covered(C, Test) {
		d.note("%s: no build directory is ignored by git; ignore one (build/) and run init again to get its tests", d.where(manifest))
	}
}

// buildDir is the build directory that .gitignore names.
func (d *directory) buildDir() string {
	for line := range strings.Lines(d.read(".gitignore")) {
		line = strings.Trim(strings.TrimSpace(line), "/")
		switch strings.TrimSuffix(line, "*") {
		case "build", "builddir", "_build", "cmake-build", "out":
			return strings.TrimSuffix(line, "*")
		}
	}
	return ""
}
