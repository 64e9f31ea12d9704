package setup

import (
	_ "embed" // the pipelines
	"fmt"
	"path"
	"slices"
	"strings"
)

// CISystem is a system whose pipeline can be written.
type CISystem string

// Systems.
const (
	GitHub CISystem = "github"
	GitLab CISystem = "gitlab"
)

// File is where the pipeline of a system is written.
func (s CISystem) File() string {
	if s == GitLab {
		return ".gitlab/gauntlet.yml"
	}
	return ".github/workflows/gauntlet.yml"
}

// Pipeline is what a pipeline is written for.
type Pipeline struct {
	System  CISystem
	Branch  string // what is pushed there may be published
	Version string // the release to install
	Home    string // where releases lie
	Remote  string // the address of shared proofs, "" when there are none
}

//go:embed pipelines/github.yml
var githubPipeline string

//go:embed pipelines/gitlab.yml
var gitlabPipeline string

//go:embed pipelines/install.sh
var installScript string

// Text is the pipeline for a project made of what was found.
func (p Pipeline) Text(found Result) string {
	text, set, indent, dir := githubPipeline, found.githubSetUp(), "          ", `"$RUNNER_TEMP/gauntlet"`
	install := "      - name: Install gauntlet\n        run: |\n"
	if p.System == GitLab {
		text, set, indent, dir = gitlabPipeline, found.gitlabSetUp(), "      ", "/tmp/gauntlet"
		install = "    - |\n"
	}
	script := strings.NewReplacer("@DIR@/", strings.Trim(dir, `"`)+"/", "@DIR@", dir, "@HOME@", p.Home).Replace(installScript)
	for line := range strings.Lines(script) {
		install += indent + line
	}
	if p.System == GitHub {
		install += indent + `echo "$RUNNER_TEMP/gauntlet" >> "$GITHUB_PATH"` + "\n"
	}
	remote := p.Remote
	if remote == "" || strings.ContainsAny(remote, "'\"%\\\n\r$`") {
		remote = "https://set-remote.url-and-run-ci-init-again.invalid"
	}
	return strings.NewReplacer(
		"@BRANCH@", p.Branch, "@VERSION@", p.Version, "@FILE@", p.System.File(), "@URL@", remote, "@IMAGE@", found.image(), "@CHECKOUT@", checkoutAction,
		"@SETUP@\n", set, "@INSTALL@\n", install,
	).Replace(text)
}

// checkoutAction is pinned by the commit it was reviewed at: a tag can be moved.
const checkoutAction = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"

//go:embed pipelines/toolchains.txt
var toolchainRows string

// toolchain is a row of toolchains.txt, where its form is described.
type toolchain struct{ image, action, with string }

// toolchainsOf are the rows of a project: of its tool, else of its language.
func toolchainsOf(p Project) (rows []toolchain) {
	for _, name := range []string{p.Tool, p.Kind} {
		for row := range strings.Lines(toolchainRows) {
			if cells := strings.Split(strings.TrimRight(row, "\n"), " | "); cells[0] == name && len(cells) == 4 && (len(rows) == 0 || name == p.Tool) {
				with := strings.NewReplacer("MANIFEST", p.Manifest, "DIR", p.Dir).Replace(cells[3])
				rows = append(rows, toolchain{cells[1], cells[2], strings.TrimPrefix(with, "-")})
			}
		}
	}
	return rows
}

// githubSetUp are the steps that install the toolchains and the dependencies.
func (r Result) githubSetUp() string {
	var b strings.Builder
	done := map[string]bool{}
	for _, p := range r.topProjects() {
		rows := toolchainsOf(p)
		if !slices.ContainsFunc(rows, func(t toolchain) bool { return t.action != "?" }) {
			fmt.Fprintf(&b, "      # Set up what %s needs here.\n", p.Manifest)
		}
		for _, t := range rows {
			if done[t.action] || len(t.action) == 1 {
				continue
			}
			done[t.action] = true
			fmt.Fprintf(&b, "      - uses: %s\n", t.action)
			if t.with != "" {
				fmt.Fprintf(&b, "        with: {%s}\n", t.with)
			}
		}
		if install := installOf(p); install != "" {
			fmt.Fprintf(&b, "      - run: %s\n", install)
			if p.Dir != "." {
				fmt.Fprintf(&b, "        working-directory: %s\n", p.Dir)
			}
		}
	}
	return b.String()
}

func (r Result) gitlabSetUp() string {
	var b strings.Builder
	kinds := map[string]bool{}
	for _, p := range r.topProjects() {
		kinds[p.Kind] = true
		install := installOf(p)
		switch {
		case install != "" && p.Dir != ".":
			fmt.Fprintf(&b, "    - (cd %s && %s)\n", p.Dir, install)
		case install != "":
			fmt.Fprintf(&b, "    - %s\n", install)
		}
	}
	if len(kinds) > 1 {
		b.WriteString("    # Several languages: use an image that has all of them.\n")
	}
	return b.String()
}

// corepack installs the package manager in the version that package.json names.
const corepack = "npm install -g corepack && corepack enable && "

// installOf installs the dependencies of a project from its lock file.
func installOf(p Project) string {
	if p.Tool == "pip" {
		switch path.Base(p.Manifest) {
		case "pyproject.toml", "setup.py", "setup.cfg":
			return "python -m pip install -e ."
		case "requirements.txt", "requirements-dev.txt":
			return "python -m pip install -r " + path.Base(p.Manifest)
		}
	}
	return map[string]string{
		"npm":      "npm ci",
		"pnpm":     corepack + "pnpm install --frozen-lockfile",
		"yarn":     corepack + "(yarn install --immutable || yarn install --frozen-lockfile)", // for either generation
		"bun":      "bun install --frozen-lockfile",
		"uv":       "uv sync",
		"poetry":   "pipx install poetry && poetry install",
		"pdm":      "pipx install pdm && pdm install",
		"composer": "composer install --no-progress",
		"mix":      "mix local.hex --force && mix deps.get",
	}[p.Tool]
}

// image is the container in which a GitLab job runs.
func (r Result) image() string {
	for _, p := range r.topProjects() {
		for _, t := range toolchainsOf(p) {
			if t.image != "-" {
				return t.image
			}
		}
	}
	return "buildpack-deps:stable"
}

// topProjects are the projects whose dependencies are installed separately: of a workspace,
// the top.
func (r Result) topProjects() []Project {
	var out []Project
	for _, p := range r.Projects {
		if !plainDir(p.Dir) || strings.ContainsAny(p.Dir+p.Manifest, "'\"$`#: ,}{") {
			continue // nothing is written that would have to be quoted
		}
		inside := slices.ContainsFunc(r.Projects, func(q Project) bool { return q.Kind == p.Kind && under(q.Dir, p.Dir) })
		if !inside || p.Kind == Go && !slices.ContainsFunc(out, func(q Project) bool { return q.Kind == Go }) {
			out = append(out, p)
		}
	}
	return out
}
