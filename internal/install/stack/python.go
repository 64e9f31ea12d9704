package stack

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

func (f folder) python() (Project, bool) {
	manifest := f.first("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "requirements-dev.txt")
	if manifest == "" {
		return Project{}, false
	}
	p := Project{Kind: Python, Manifest: f.where(manifest)}
	py := f.pythonFiles()
	var bin func(tool string) string
	p.Tool, bin = f.pythonRunner(py)
	add := func(role, run, why string, evidence ...string) {
		p.Commands = append(p.Commands, Command{Role: role, Run: run, Why: f.where(why), Evidence: evidence})
	}
	if cfg := f.configured(py, "ruff", "ruff.toml", ".ruff.toml"); cfg != "" {
		add(Lint, bin("ruff")+" check .", cfg, "ruff check")
	} else if cfg := f.configured(py, "flake8", ".flake8"); cfg != "" {
		add(Lint, bin("flake8"), cfg, "flake8")
	}
	if cfg := f.configured(py, "mypy", "mypy.ini", ".mypy.ini"); cfg != "" {
		add(Typecheck, bin("mypy")+" .", cfg, "mypy")
	} else if cfg := f.configured(py, "pyright", "pyrightconfig.json"); cfg != "" {
		add(Typecheck, bin("pyright"), cfg, "pyright")
	}
	if why := f.usesPytest(py); why != "" {
		run := bin("pytest")
		if p.Tool == "pip" {
			run = bin("python3") + " -m pytest" // finds the project's own modules too
		}
		add(Test, run, why, "pytest")
	} else if args, why := f.unittests(); why != "" {
		add(Test, bin("python3")+" -m unittest"+args, why, "unittest")
	}
	return p, true
}

// pythonFiles are the texts that say how a Python project is set up.
type pythonFiles struct {
	pyproject, setupCfg, tox string
	requirements             string
	tables                   map[string]bool
}

func (f folder) pythonFiles() pythonFiles {
	py := pythonFiles{pyproject: f.read("pyproject.toml"), setupCfg: f.read("setup.cfg"), tox: f.read("tox.ini")}
	for _, name := range slices.Sorted(maps.Keys(f.names)) {
		if strings.Contains(name, "requirements") && strings.HasSuffix(name, ".txt") {
			py.requirements += f.read(name) + "\n"
		}
	}
	py.requirements += f.read("Pipfile")
	py.tables = tomlTables(py.pyproject)
	return py
}

// configured returns the file that configures a tool, "" when none does.
func (f folder) configured(py pythonFiles, tool string, files ...string) string {
	if cfg := f.first(files...); cfg != "" {
		return cfg
	}
	switch {
	case py.tables["tool."+tool]:
		return "pyproject.toml"
	case iniSections(py.setupCfg)[tool]:
		return "setup.cfg"
	case iniSections(py.tox)[tool]:
		return "tox.ini"
	}
	return ""
}

// pythonRunner tells who manages the environment and how a tool in it is run.
func (f folder) pythonRunner(py pythonFiles) (tool string, bin func(string) string) {
	via := func(prefix string) func(string) string {
		return func(tool string) string {
			if tool == "python3" {
				tool = "python"
			}
			return prefix + tool
		}
	}
	switch {
	case f.has("uv.lock") || py.tables["tool.uv"] || f.aboveHas("uv.lock"):
		return "uv", via("uv run ")
	case f.has("poetry.lock") || py.tables["tool.poetry"]:
		return "poetry", via("poetry run ")
	case f.has("pdm.lock") || py.tables["tool.pdm"]:
		return "pdm", via("pdm run ")
	case f.has("Pipfile.lock", "Pipfile"):
		return "pipenv", via("pipenv run ")
	}
	for _, venv := range []string{".venv", "venv"} {
		if f.exists(path.Join(f.dir, venv, "bin", "python")) {
			return "pip", via(venv + "/bin/")
		}
	}
	return "pip", func(tool string) string { return tool }
}

func (f folder) usesPytest(py pythonFiles) (why string) {
	switch {
	case f.has("pytest.ini"):
		return "pytest.ini"
	case py.tables["tool.pytest"]:
		return "pyproject.toml"
	case iniSections(py.setupCfg)["tool:pytest"]:
		return "setup.cfg"
	case iniSections(py.tox)["pytest"]:
		return "tox.ini"
	case f.has("conftest.py"):
		return "conftest.py"
	case f.exists(path.Join(f.dir, "tests", "conftest.py")):
		return "tests/conftest.py"
	case mentions(py.pyproject, "pytest"):
		return "pyproject.toml"
	case mentions(py.requirements, "pytest"):
		return f.first("requirements-dev.txt", "requirements.txt", "Pipfile", "pyproject.toml", "setup.py", "setup.cfg")
	}
	return ""
}

// unittests finds test files that the standard library's runner finds too.
func (f folder) unittests() (args, why string) {
	for _, name := range slices.Sorted(maps.Keys(f.names)) {
		if isTestFile(name) {
			return "", name
		}
	}
	for _, dir := range []string{"tests", "test"} {
		entries, err := fs.ReadDir(f.fsys, path.Join(f.dir, dir))
		if err != nil {
			continue
		}
		pkg := false
		for _, e := range entries {
			pkg = pkg || e.Name() == "__init__.py"
		}
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

func isTestFile(name string) bool {
	return strings.HasPrefix(name, "test") && strings.HasSuffix(name, ".py")
}

// exists tells whether a path from the root exists.
func (f folder) exists(name string) bool {
	_, err := fs.Lstat(f.fsys, name) // a virtual environment's python is a link to outside
	return err == nil
}

// aboveHas looks for a file in the folders above.
func (f folder) aboveHas(name string) bool {
	for dir := f.dir; dir != "."; {
		dir = path.Dir(dir)
		if f.exists(path.Join(dir, name)) {
			return true
		}
	}
	return false
}
