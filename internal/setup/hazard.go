package setup

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/tasks"
)

// hazard is why a command must not run at a stop; "" if there is no objection.
func hazard(step tasks.Step) string {
	for _, argv := range step.Views {
		if len(argv) == 0 {
			continue
		}
		if why := hazardOf(strings.TrimSuffix(path.Base(argv[0]), ".cmd"), argv); why != "" {
			return why
		}
	}
	return ""
}

func hazardOf(name string, argv []string) string {
	has := func(flags ...string) bool {
		return slices.ContainsFunc(argv[1:], func(a string) bool {
			flag, _, _ := strings.Cut(a, "=")
			return slices.Contains(flags, flag)
		})
	}
	if name == "git" {
		argv = withoutGitOptions(argv)
	}
	words := plainWords(argv[1:])
	sub := ""
	if len(words) > 0 {
		sub = words[0]
	}
	shown := name
	if sub != "" && len(sub) < 20 {
		shown += " " + sub
	}
	switch {
	case downloads(name, sub, words, argv):
		return "downloads or needs the network (" + shown + ")"
	case publishes(name, sub):
		return "publishes or deploys (" + shown + ")"
	}
	switch name {
	case "sudo", "doas", "su":
		return "needs another user's rights (" + name + ")"
	case "docker", "podman", "docker-compose", "nerdctl", "act", "vagrant", "minikube", "kind", "tilt", "skaffold":
		return "needs a container or a machine (" + shown + ")"
	case "git":
		switch sub {
		case "diff":
			if has("--exit-code", "--quiet") {
				return "compares with the last commit, so any uncommitted change fails it (git diff)"
			}
		case "status":
			if has("--porcelain", "-s", "--short") {
				return "compares with the last commit, so any uncommitted change fails it (git status)"
			}
		case "log", "rev-parse", "ls-files", "describe", "show", "grep", "config", "rev-list", "merge-base", "check-ignore", "ls-tree", "symbolic-ref", "branch", "":
		default:
			return "changes the repository (git " + sub + ")"
		}
	case "nix", "nix-shell", "nix-build", "guix", "devenv":
		return "needs an environment of its own (" + shown + ")"
	case "tmux", "screen", "expect", "open", "xdg-open":
		return "needs a terminal or a desktop (" + name + ")"
	case "nodemon", "watchexec", "entr", "chokidar", "http-server", "live-server", "pytest-watch", "ptw":
		return "never ends (" + name + ")"
	}
	if never(name, sub, has) {
		return "never ends (" + shown + ")"
	}
	if how := rewrites(name, sub, words, has); how != "" {
		return "rewrites files (" + how + ")"
	}
	return ""
}

// withoutGitOptions drops the options before the sub-command: git -c a=b -C dir ls-files.
func withoutGitOptions(argv []string) []string {
	rest := argv[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		if (rest[0] == "-c" || rest[0] == "-C") && len(rest) > 1 {
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	return append([]string{argv[0]}, rest...)
}

func downloads(name, sub string, words, argv []string) bool {
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	in := func(list ...string) bool { return slices.Contains(list, sub) }
	switch name {
	case "curl", "wget", "aria2c", "ssh", "scp", "rsync", "sftp", "nc", "telnet", "ftp",
		"apt", "apt-get", "apk", "dnf", "yum", "brew", "pacman", "zypper", "choco", "scoop", "winget", "snap", "port",
		"rustup", "nvm", "fnm", "volta", "pyenv", "rbenv", "asdf",
		"lychee", "linkinator", "markdown-link-check", "linkchecker", "htmltest", "muffet", "awesome_bot", "linkcheck", "docmd",
		"snyk", "semgrep", "trivy", "grype", "codecov", "coveralls", "sonar-scanner", "govulncheck", "pip-audit", "safety", "osv-scanner",
		"uvx", "bunx", "pnpx", "gh", "glab", "hub", "aws", "gcloud", "az", "gsutil":
		return true
	case "npm", "pnpm", "yarn", "bun":
		if name == "yarn" && sub == "" && len(argv) == 1 {
			return true
		}
		return in("install", "i", "ci", "add", "update", "upgrade", "up", "dlx", "create", "init", "audit", "outdated", "link", "fetch") || name == "bun" && in("x") ||
			name == "npm" && in("remove", "uninstall", "dedupe", "prune", "rebuild")
	case "npx":
		return slices.Contains(argv, "-y") || slices.Contains(argv, "--yes") || strings.Contains(strings.TrimPrefix(sub, "@"), "@")
	case "pip", "pip3":
		return in("install", "download", "wheel")
	case "uv":
		return in("sync", "add", "lock", "tool", "python", "self") || sub == "pip"
	case "poetry", "pdm", "pipenv", "conda", "mamba", "hatch", "rye", "pixi":
		return in("install", "add", "update", "sync", "lock", "create", "upgrade")
	case "pipx":
		return true
	case "go":
		return in("get", "install") || sub == "mod" && (second == "download" || second == "tidy" || second == "vendor") ||
			sub == "run" && strings.Contains(second, "@")
	case "cargo":
		return in("install", "binstall", "update", "audit", "deny", "fetch", "outdated", "add", "semver-checks", "vet", "machete-install")
	case "gem", "bundle", "bundler":
		return in("install", "update", "add", "audit", "outdated")
	case "composer":
		return in("install", "update", "require", "audit", "outdated", "create-project", "global")
	case "dotnet":
		return in("restore", "tool", "workload", "nuget", "add")
	case "mix":
		return in("deps.get", "deps.update", "local.hex", "local.rebar", "archive.install", "hex.audit", "hex.info")
	case "terraform", "tofu":
		return in("init", "plan", "apply", "destroy", "get", "import")
	case "helm":
		return in("repo", "dependency", "pull")
	case "git":
		return in("fetch", "pull", "clone", "push", "submodule", "ls-remote")
	case "luarocks", "cabal", "stack", "opam", "nimble", "shards", "vcpkg", "conan", "pod", "carthage", "mise":
		return in("install", "update", "setup", "upgrade")
	case "playwright", "cypress":
		return in("install")
	case "pre-commit", "prek":
		return in("install-hooks", "autoupdate", "install")
	}
	return false
}

// isFetch reports whether a package manager only installs what a project depends on.
func isFetch(argv []string) bool {
	switch name := path.Base(argv[0]); name {
	case "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pdm", "pipenv", "bundle", "composer", "mix", "go", "cargo", "dotnet":
		words := plainWords(argv[1:])
		sub := ""
		if len(words) > 0 {
			sub = words[0]
		}
		return downloads(name, sub, words, argv)
	}
	return false
}

func publishes(name, sub string) bool {
	switch name {
	case "twine", "goreleaser", "semantic-release", "release-please", "release-it", "np", "vercel", "netlify", "firebase", "flyctl", "fly", "heroku", "wrangler",
		"kubectl", "kustomize", "argocd", "pulumi", "cdk", "serverless", "sls", "ansible-playbook", "eas", "fastlane", "gh-pages", "crane", "cosign", "skopeo", "oras", "ko":
		return true
	case "npm", "pnpm", "yarn", "cargo", "poetry", "uv", "flit", "hatch", "gem", "mix", "dart", "bun", "lerna", "changeset", "jsr", "deno", "mvn", "mvnw":
		switch sub {
		case "publish", "deploy", "dist-tag", "version", "login", "release", "unpublish", "owner", "push", "hex.publish", "release:prepare", "release:perform":
			return true
		}
	case "helm":
		return sub == "install" || sub == "upgrade" || sub == "push"
	case "rake", "gradle", "gradlew":
		return sub == "release" || strings.HasPrefix(sub, "publish") || sub == "deploy"
	}
	return false
}

func never(name, sub string, has func(...string) bool) bool {
	if has("--watch", "--watchAll", "--watch-all", "--ui", "--serve") {
		return true
	}
	switch name {
	case "tsc", "vue-tsc", "rollup", "webpack", "mocha", "ava", "tap":
		return has("-w")
	case "vite", "next", "nuxt", "astro", "remix", "ng":
		if name == "ng" && sub == "test" {
			return !has("--no-watch") && !has("--watch=false", "--watch")
		}
		return sub == "dev" || sub == "serve" || sub == "preview" || sub == "start" || name == "vite" && sub == ""
	case "cargo":
		return sub == "watch" || sub == "run"
	case "karma":
		return sub == "start" && !has("--single-run")
	case "vitest":
		return sub == "watch" || sub == "dev"
	}
	return false
}

// rewrites describes how a command changes the project's files, "" when it does not.
func rewrites(name, sub string, words []string, has func(...string) bool) string {
	dry := has("--check", "--dry-run", "--diff", "--check-only", "--verify-no-changes", "--check-formatted", "--test", "--list-different", "--set-exit-if-changed", "--fail-on-change-only")
	switch name {
	case "black", "isort", "yapf", "autopep8", "blue":
		if !dry && !has("-c", "-d", "--list-files") {
			return name + " without --check"
		}
	case "ruff":
		if sub == "format" && !dry {
			return "ruff format without --check"
		}
	case "prettier", "oxfmt":
		if !dry && !has("-c", "-l") {
			return name + " without --check"
		}
	case "cargo":
		if sub == "fmt" && !dry {
			return "cargo fmt without --check"
		}
		if sub == "fix" || has("--fix") {
			return "cargo " + sub + " --fix"
		}
	case "rustfmt", "zig", "stylua", "taplo", "deno", "mix", "scalafmt", "terraform", "tofu", "dart":
		formats := name == "rustfmt" || name == "stylua" || name == "scalafmt" || sub == "fmt" || sub == "format" || name == "taplo" && (sub == "format" || sub == "fmt")
		if formats && !dry && !has("-check") {
			return name + " " + sub + " without --check"
		}
	case "gofmt", "gofumpt", "goimports", "shfmt", "gci":
		if has("-w", "--write", "write") || name == "gci" && sub == "write" {
			return name + " -w"
		}
	case "clang-format":
		if has("-i") {
			return "clang-format -i"
		}
	case "sed", "perl":
		if has("-i", "--in-place") {
			return name + " -i"
		}
	case "dotnet":
		if sub == "format" && !dry {
			return "dotnet format without --verify-no-changes"
		}
	case "rubocop", "standardrb", "erblint", "erb_lint":
		if has("-a", "-A", "--autocorrect", "--auto-correct", "--autocorrect-all", "--auto-correct-all", "-x") {
			return name + " --autocorrect"
		}
	case "php-cs-fixer", "pint", "ecs", "rector":
		if name == "ecs" && !has("--fix") || sub == "check" || dry {
			break
		}
		return name + " without --dry-run"
	case "phpcbf", "autoflake", "pyupgrade", "eclint-fix", "treefmt", "lint-staged", "nano-staged":
		return name
	case "pre-commit", "prek":
		return "pre-commit hooks may rewrite files"
	case "go":
		if sub == "build" && len(words) == 2 && !strings.Contains(words[1], "...") && !has("-o") {
			return "go build writes a binary into the work tree"
		}
		if sub == "generate" || sub == "fmt" || sub == "fix" || sub == "mod" && len(words) > 1 && words[1] == "edit" {
			return "go " + sub
		}
	case "npm", "pnpm", "yarn":
		if sub == "version" {
			return name + " version"
		}
	case "gradle", "gradlew", "mvn", "mvnw":
		for _, w := range words {
			if w == "install" && strings.HasPrefix(name, "mvn") {
				return name + " install writes into the local repository"
			}
			if strings.HasSuffix(w, ":apply") || strings.HasSuffix(w, "Apply") || w == "ktlintFormat" {
				return name + " " + w
			}
		}
	case "cog":
		if !has("--check") && slices.Contains(words, "-r") {
			return "cog -r"
		}
	}
	if has("--fix", "--write", "--apply", "--apply-unsafe", "--update-snapshot", "--updateSnapshot", "--fix-errors", "--snapshot-update", "--autofix") && !has("--no-fix", "--fix=false") {
		switch name {
		case "git", "npm", "echo", "printf":
		default:
			return name + " with a flag that rewrites"
		}
	}
	return ""
}
