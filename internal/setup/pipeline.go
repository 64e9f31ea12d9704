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

// Actions by the commit they were reviewed at: a tag can be moved.
const (
	checkoutAction = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
	goAction       = "actions/setup-go@b7ad1dad31e06c5925ef5d2fc7ad053ef454303e # v7.0.0"
	nodeAction     = "actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0"
	pythonAction   = "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0"
	javaAction     = "actions/setup-java@03ad4de0992f5dab5e18fcb136590ce7c4a0ac95 # v5.6.0"
	bunAction      = "oven-sh/setup-bun@0c5077e51419868618aeaa5fe8019c62421857d6 # v2.2.0"
	uvAction       = "astral-sh/setup-uv@c771a70e6277c0a99b617c7a806ffedaca235ff9 # v9.0.0"
	rubyAction     = "ruby/setup-ruby@0dafeac902942906541bc140009cdbf32665b601 # v1.315.0"
	phpAction      = "shivammathur/setup-php@f3e473d116dcccaddc5834248c87452386958240 # 2.37.2"
	denoAction     = "denoland/setup-deno@667a34cdef165d8d2b2e98dde39547c9daac7282 # v2.0.4"
)

// githubSetUp are the steps that install the toolchains and the dependencies. Rust, .NET, C
// compilers, Maven and Gradle are on GitHub's machines already.
func (r Result) githubSetUp() string {
	var b strings.Builder
	done := map[string]bool{}
	use := func(action, with string) {
		if !done[action] {
			done[action] = true
			fmt.Fprintf(&b, "      - uses: %s\n", action)
			if with != "" {
				fmt.Fprintf(&b, "        with: {%s}\n", with)
			}
		}
	}
	for _, p := range r.topProjects() {
		switch p.Kind {
		case Go:
			use(goAction, "go-version-file: "+p.Manifest)
		case Node:
			use(nodeAction, "node-version: lts/*")
			if p.Tool == "bun" {
				use(bunAction, "")
			}
		case Python:
			if p.Tool == "uv" {
				use(uvAction, "")
			} else {
				use(pythonAction, "python-version: 3.x")
			}
		case Java:
			use(javaAction, "distribution: temurin, java-version: 21")
		case Ruby:
			use(rubyAction, "ruby-version: ruby, working-directory: "+p.Dir+", bundler-cache: true")
		case PHP:
			use(phpAction, "php-version: latest")
		case Deno:
			use(denoAction, "")
		case Rust, Dotnet, C:
		default:
			fmt.Fprintf(&b, "      # Set up what %s needs here.\n", p.Manifest)
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
	switch p.Tool {
	case "npm":
		return "npm ci"
	case "pnpm":
		return corepack + "pnpm install --frozen-lockfile"
	case "yarn":
		return corepack + "(yarn install --immutable || yarn install --frozen-lockfile)" // for either generation
	case "bun":
		return "bun install --frozen-lockfile"
	case "uv":
		return "uv sync"
	case "poetry", "pdm":
		return "pipx install " + p.Tool + " && " + p.Tool + " install"
	case "pip":
		switch path.Base(p.Manifest) {
		case "pyproject.toml", "setup.py", "setup.cfg":
			return "python -m pip install -e ."
		case "requirements.txt", "requirements-dev.txt":
			return "python -m pip install -r " + path.Base(p.Manifest)
		}
	case "composer":
		return "composer install --no-progress"
	case "mix":
		return "mix local.hex --force && mix deps.get"
	}
	return ""
}

// image is the container in which a GitLab job runs.
func (r Result) image() string {
	for _, p := range r.topProjects() {
		switch p.Kind {
		case Go:
			return "golang:1"
		case Node:
			if p.Tool == "bun" {
				return "oven/bun:1"
			}
			return "node:lts"
		case Python:
			if p.Tool == "uv" {
				return "ghcr.io/astral-sh/uv:python3.13-bookworm"
			}
			return "python:3"
		case Rust:
			return "rust:1"
		case Java:
			return "maven:3-eclipse-temurin-21"
		case Ruby:
			return "ruby:3"
		case PHP:
			return "composer:2"
		case Dotnet:
			return "mcr.microsoft.com/dotnet/sdk:9.0"
		case Elixir:
			return "elixir:1"
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
