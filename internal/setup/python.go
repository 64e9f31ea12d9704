package setup

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tool"
)

func (d *directory) pythonManifest() string {
	if m := d.first("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "requirements-dev.txt"); m != "pyproject.toml" {
		return m
	}
	// Some projects of other languages keep only the settings of a tool there.
	doc := d.pyproject()
	if doc["project"] == nil && doc["build-system"] == nil && at(doc, "tool", "poetry") == nil && doc["dependency-groups"] == nil &&
		!d.has("setup.py", "setup.cfg", "requirements.txt", "tox.ini", "noxfile.py") && !d.anyFile(func(n string) bool { return strings.HasSuffix(n, ".py") }) {
		return ""
	}
	return "pyproject.toml"
}

func (d *directory) pyproject() map[string]any { return d.toml(d.where("pyproject.toml")) }

// python offers the tools that know their own scope; one that needs to be given what to
// check is left to CI and the task runners.
func (d *directory) python() {
	if _, ok := d.is(Python); !ok {
		return
	}
	manager, bin := d.pythonRunner()
	if cfg := d.configures("ruff", "ruff.toml", ".ruff.toml"); cfg != "" {
		d.implied(Python, Lint, bin("ruff")+" check", cfg)
		if at(d.pyproject(), "tool", "ruff", "format") != nil {
			d.implied(Python, Format, bin("ruff")+" format --check", cfg)
		}
	} else if cfg := d.configures("flake8", ".flake8"); cfg != "" {
		d.implied(Python, Lint, bin("flake8"), cfg)
	}
	if cfg := d.configures("mypy", "mypy.ini", ".mypy.ini"); cfg != "" {
		if d.mypyScope() {
			d.implied(Python, Typecheck, bin("mypy"), cfg)
		} else if !d.covered(Python, Typecheck) {
			d.note("%s configures mypy but not which files it checks; set files there to get a gate", d.where(cfg))
		}
	} else if cfg := d.configures("pyright", "pyrightconfig.json"); cfg != "" {
		d.implied(Python, Typecheck, bin("pyright"), cfg)
	}
	tests := d.anyFile(isTestFile)
	if why := d.usesPytest(); why != "" && tests {
		run := bin("pytest")
		if manager == "pip" {
			run = bin("python3") + " -m pytest" // finds the project's own modules too
		}
		d.implied(Python, Test, run, why)
	} else if d.has("manage.py") && tests {
		d.implied(Python, Test, bin("python3")+" manage.py test", "manage.py")
	} else if args, why := d.unittests(); why != "" {
		d.implied(Python, Test, bin("python3")+" -m unittest"+args, why)
	}
}

// covered reports whether a more trusted source has a command for this role here.
func (d *directory) covered(kind string, role Role) bool {
	return slices.ContainsFunc(d.out.Proposals, func(q Proposal) bool {
		return d.covers(q, Proposal{Dir: d.dir, Role: role, Kinds: []string{kind}, Source: FromManifest})
	})
}

// configures returns the file that configures a tool, "" when none does.
func (d *directory) configures(tool string, files ...string) string {
	if cfg := d.first(files...); cfg != "" {
		return cfg
	}
	if at(d.pyproject(), "tool", tool) != nil {
		return "pyproject.toml"
	}
	for _, ini := range []string{"setup.cfg", "tox.ini"} {
		if _, ok := iniSections(d.read(ini))[tool]; ok {
			return ini
		}
	}
	return ""
}

// mypyScope reports whether the configuration of mypy sets what to check.
func (d *directory) mypyScope() bool {
	for _, key := range []string{"files", "packages", "modules"} {
		if at(d.pyproject(), "tool", "mypy", key) != nil {
			return true
		}
		for _, ini := range []string{"mypy.ini", ".mypy.ini", "setup.cfg"} {
			for _, line := range iniSections(d.read(ini))["mypy"] {
				name, _, _ := strings.Cut(line, "=")
				if strings.TrimSpace(name) == key {
					return true
				}
			}
		}
	}
	return false
}

// pythonRunner returns what manages the environment and how a tool in it is run.
func (d *directory) pythonRunner() (tool string, bin func(string) string) {
	via := func(prefix string) func(string) string {
		return func(tool string) string {
			if tool == "python3" {
				tool = "python"
			}
			return prefix + tool
		}
	}
	doc := d.pyproject()
	switch {
	case d.has("uv.lock") || at(doc, "tool", "uv") != nil || d.above("uv.lock"):
		return "uv", via("uv run ")
	case d.has("poetry.lock") || at(doc, "tool", "poetry") != nil:
		return "poetry", via("poetry run ")
	case d.has("pdm.lock") || at(doc, "tool", "pdm") != nil:
		return "pdm", via("pdm run ")
	case d.has("Pipfile.lock", "Pipfile"):
		return "pipenv", via("pipenv run ")
	}
	for _, venv := range []string{".venv", "venv"} {
		if d.exists(path.Join(d.dir, venv, "bin", "python")) {
			return "pip", via(venv + "/bin/")
		}
	}
	return "pip", func(tool string) string { return tool }
}

// usesPytest reports whether pytest is configured, or a direct dependency. A pin in a
// compiled requirements.txt may be there for another package.
func (d *directory) usesPytest() (why string) {
	doc := d.pyproject()
	_, inSetup := iniSections(d.read("setup.cfg"))["tool:pytest"]
	_, inTox := iniSections(d.read("tox.ini"))["pytest"]
	switch {
	case d.has("pytest.ini"):
		return "pytest.ini"
	case at(doc, "tool", "pytest") != nil:
		return "pyproject.toml"
	case inSetup:
		return "setup.cfg"
	case inTox:
		return "tox.ini"
	case d.has("conftest.py"):
		return "conftest.py"
	case d.exists(path.Join(d.dir, "tests", "conftest.py")):
		return "tests/conftest.py"
	case mentions(d.read("pyproject.toml"), "pytest"):
		return "pyproject.toml"
	case mentions(d.read("Pipfile"), "pytest"):
		return "Pipfile"
	case mentions(d.read("tox.ini"), "pytest"):
		return "tox.ini"
	case mentions(d.read("noxfile.py"), "pytest"):
		return "noxfile.py"
	}
	for name := range d.names {
		if !strings.Contains(name, "requirements") && !strings.HasSuffix(name, "-dev.txt") || !strings.HasSuffix(name, ".txt") && !strings.HasSuffix(name, ".in") {
			continue
		}
		content := d.read(name)
		if mentions(content, "pytest") && !strings.Contains(content, "autogenerated by pip-compile") && !strings.Contains(content, "# via") {
			return name
		}
	}
	return ""
}

// unittests finds test files that the standard library's runner finds too.
func (d *directory) unittests() (args, why string) {
	for name := range d.names {
		if isTestFile(name) {
			return "", name
		}
	}
	for _, dir := range []string{"tests", "test"} {
		entries, err := fs.ReadDir(d.fsys, path.Join(d.dir, dir))
		if err != nil {
			continue
		}
		pkg := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "__init__.py" })
		for _, e := range entries {
			if !isTestFile(e.Name()) {
				continue
			}
			if pkg {
				return " discover -s " + dir + " -t .", dir
			}
			return " discover -s " + dir, dir
		}
	}
	return "", ""
}

func isTestFile(name string) bool { return tool.Language(name) == Python && tool.IsTest(name) }
