package shellcmd

import (
	"slices"
	"strings"
)

// views sees through wrappers and runners, outermost first. A wrapper that
// changes the directory changes it for what it runs only, so the files of the
// inner command are named as written.
func (w *walker) views(argv []string) [][]string {
	views := [][]string{argv}
	for range maxDepth {
		inner := unwrap(argv)
		if len(inner) == 0 {
			break
		}
		views = append(views, inner)
		argv = inner
	}
	return views
}

// unwrap is the command that argv runs for another, nil when argv is the command itself.
func unwrap(argv []string) []string {
	name := base(argv[0])
	args := argv[1:]
	switch {
	case name == "env":
		if len(args) > 1 && (args[0] == "-S" || args[0] == "--split-string") {
			return append(strings.Fields(args[1]), args[2:]...)
		}
		return afterAssignments(skipFlags(args, "-u", "--unset", "-C", "--chdir"))
	case name == "command" || name == "builtin":
		if len(args) > 0 && (args[0] == "-v" || args[0] == "-V") {
			return nil
		}
		return skipFlags(args)
	case name == "timeout" || name == "gtimeout":
		return rest(skipFlags(args, "-k", "--kill-after", "-s", "--signal"), 1)
	case name == "sudo" || name == "doas":
		return afterAssignments(skipFlags(args, "-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "--user", "--group", "--chdir"))
	case name == "flock":
		return rest(skipFlags(args, "-w", "--timeout", "-E"), 1)
	case name == "time" || name == "gtime":
		return skipFlags(args, "-f", "--format", "-o", "--output")
	case name == "setsid" && hasAny(argv, "-f", "--fork"):
		return nil // it does not wait
	case slices.Contains([]string{"nohup", "setsid", "unbuffer", "chronic", "caffeinate", "dbus-run-session"}, name):
		return skipFlags(args)
	case name == "exec":
		return skipFlags(args, "-a")
	case name == "xvfb-run":
		return skipFlags(args, "-e", "-f", "-n", "-p", "-s", "-w")
	case name == "nice" || name == "ionice" || name == "stdbuf" || name == "chrt" || name == "taskset":
		return skipFlags(args, "-n", "-c", "-p", "-i", "-o", "-e", "--adjustment")
	case name == "xargs":
		return skipFlags(args, "-n", "-P", "-I", "-L", "-d", "-s", "-a", "-E", "--max-args", "--max-procs", "--max-lines", "--delimiter", "--arg-file")
	case isPython(name):
		return pythonModule(args)
	case name == "coverage":
		if len(args) > 1 && args[0] == "run" {
			return pythonModule(args[1:], "--source", "--omit", "--include", "--rcfile", "--data-file")
		}
	case isShellName(name):
		return scriptFile(args)
	case name == "php":
		if script := skipFlags(args, "-d", "-c"); len(script) > 0 && strings.Contains(script[0], "bin/") && !slices.Contains(args, "-l") {
			return script
		}
		return nil
	}
	return unwrapRunner(name, args)
}

// unwrapRunner sees through the runners of package managers and tool chains, and through
// what prepares an environment.
func unwrapRunner(name string, args []string) []string {
	sub := ""
	if len(args) > 0 {
		sub = args[0]
	}
	for _, known := range []func(name, sub string, args []string) ([]string, bool){pythonRunner, nodeRunner, toolchainRunner, environmentRunner} {
		if inner, ok := known(name, sub, args); ok {
			return inner
		}
	}
	return passedOn(name, args)
}

// pythonRunner sees through what runs a command in a project's Python.
func pythonRunner(name, sub string, args []string) (inner []string, ok bool) {
	switch name {
	case "uv":
		after := skipFlags(args, "--directory", "--project", "--config-file")
		switch {
		case len(after) > 1 && after[0] == "run":
			return uvRun(after[1:]), true
		case len(after) > 1 && after[0] == "pip":
			return after, true
		case len(after) > 2 && after[0] == "tool" && after[1] == "run":
			return skipFlags(after[2:], "--from", "--with", "-p", "--python"), true
		}
	case "pipx":
		if sub != "run" {
			return nil, true
		}
		return skipFlags(args[1:], "--from", "--with", "-p", "--python", "--spec"), true
	case "uvx":
		return skipFlags(args, "--from", "--with", "-p", "--python", "--spec"), true
	case "poetry", "pipenv", "pdm", "rye", "pixi", "hatch":
		after := skipFlags(args, "-C", "--directory", "-P", "--project", "-e", "--env")
		if len(after) < 2 || after[0] != "run" {
			return nil, false
		}
		inner = skipFlags(after[1:], "-e", "--environment", "-p", "--project")
		if name == "hatch" && len(inner) > 0 {
			// hatch run env:command
			if _, command, found := strings.Cut(inner[0], ":"); found {
				inner = append([]string{command}, inner[1:]...)
			}
		}
		return inner, true
	case "conda", "mamba", "micromamba":
		if sub == "run" {
			return skipFlags(args[1:], "-n", "--name", "-p", "--prefix", "--cwd"), true
		}
	}
	return nil, false
}

// nodeRunner sees through what runs a package's command or script.
func nodeRunner(name, sub string, args []string) (inner []string, ok bool) {
	switch name {
	case "npx", "bunx", "pnpx":
		return npxCommand(args), true
	case "corepack":
		return rest(args, 0), true
	case "yarn", "npm", "pnpm", "bun":
		if name == "yarn" && sub == "workspace" && len(args) > 2 {
			return append([]string{"yarn"}, args[2:]...), true
		}
		return packageManager(name, skipFlags(args, "-C", "--dir", "--cwd", "--filter", "-F", "--prefix", "-w", "--workspace")), true
	case "deno":
		if sub == "task" && len(args) > 1 {
			return append([]string{"npm", "run"}, args[1:]...), true
		}
	case "node":
		if len(args) > 1 && sub == "--run" {
			return append([]string{"npm", "run"}, args[1:]...), true
		}
	case "cross-env", "cross-env-shell", "env-cmd":
		return afterAssignments(skipFlags(args, "-f", "--file", "-e", "--environments")), true
	case "tsx":
		if slices.Contains(args, "--test") {
			return append([]string{"node"}, args...), true
		}
	}
	return nil, false
}

// toolchainRunner sees through what picks the version of a tool.
func toolchainRunner(name, sub string, args []string) (inner []string, ok bool) {
	switch name {
	case "bundle", "asdf":
		if sub == "exec" {
			return rest(args, 1), true
		}
	case "mise", "rtx":
		if sub == "exec" || sub == "x" {
			return afterDashes(args), true
		}
	case "rustup":
		if sub == "run" {
			return rest(args, 2), true
		}
	case "cross":
		return append([]string{"cargo"}, args...), true
	case "go":
		// go run example.com/tool@v1 runs tool
		if after := rest(args, 1); sub == "run" && len(after) > 0 && strings.Contains(after[0], "@") {
			module, _, _ := strings.Cut(after[0], "@")
			return append([]string{base(module)}, after[1:]...), true
		}
	case "cargo":
		if strings.HasPrefix(sub, "+") {
			return append([]string{"cargo"}, args[1:]...), true
		}
	}
	return nil, false
}

// environmentRunner sees through what prepares variables, a container or a proxy.
func environmentRunner(name, sub string, args []string) (inner []string, ok bool) {
	switch name {
	case "direnv":
		if sub == "exec" {
			return rest(args, 2), true
		}
	case "docker-compose", "podman-compose":
		return inContainer(args), true
	case "docker", "podman", "nerdctl":
		if sub == "compose" {
			return inContainer(args[1:]), true
		}
	case "ddev", "devcontainer":
		if sub == "exec" {
			return skipFlags(args[1:], "-d", "--dir", "-s", "--service", "--workspace-folder"), true
		}
	case "nix", "op", "doppler", "dotenvx", "dotenv", "infisical", "aws-vault":
		if inner := afterDashes(args); inner != nil {
			return inner, true
		}
		if name == "dotenv" || name == "dotenvx" {
			inner := skipFlags(args, "-f", "--file", "-e", "-c", "-v", "-q")
			if len(inner) > 0 && inner[0] == "run" {
				inner = skipFlags(inner[1:], "-f", "--file", "-e")
			}
			return inner, true
		}
		for i, arg := range args {
			if name == "nix" && (arg == "-c" || arg == "--command") {
				return rest(args, i+1), true
			}
		}
	case "rtk":
		// a proxy that shortens what the command prints
		if slices.Contains([]string{"proxy", "run", "exec", "test", "err", "summary"}, sub) && len(args) > 1 {
			args = args[1:]
		}
		return skipFlags(args), true
	}
	return nil, false
}

// inContainer is what a container of the project's own set runs: docker compose exec. What
// runs in any other container may see other files.
func inContainer(args []string) []string {
	args = skipFlags(args, "-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory")
	if len(args) == 0 || args[0] != "exec" && args[0] != "run" || hasAny(args, "-d", "--detach") {
		return nil
	}
	return rest(skipFlags(args[1:], "-e", "--env", "-u", "--user", "-w", "--workdir", "-v", "--volume", "--name", "-p", "--publish", "--entrypoint", "-l", "--label", "--index"), 1)
}

// passedOn sees through an unknown wrapper that is given a whole test command to run:
// `mywrap go test ./...`.
func passedOn(name string, args []string) []string {
	if len(args) < 2 || onlyPrints(name) || takesNames(name) {
		return nil
	}
	inner := skipFlags(args)
	if len(inner) < 2 || isTestName(inner[0]) {
		return nil
	}
	switch base(inner[0]) {
	case "go", "cargo", "pytest", "vitest", "jest", "uv", "poetry", "npx", "pnpm", "yarn", "bun", "npm", "make", "mise", "just":
		if runnerOf(inner) != noRunner || base(inner[0]) == "uv" || base(inner[0]) == "npx" || base(inner[0]) == "poetry" {
			return inner
		}
	}
	return nil
}

// takesNames reports whether a command's arguments are names of other commands, which it
// does not run, or programs and scripts of its own.
func takesNames(name string) bool {
	if isPython(name) || isShellName(name) {
		return true
	}
	return slices.Contains([]string{
		"pip", "pip3", "apt", "apt-get", "brew", "dnf", "yum", "apk", "pacman", "conda", "npm", "pnpm", "yarn", "bun", "uv", "poetry", "pdm", "cargo", "go", "gem",
		"whereis", "killall", "pkill", "pgrep", "alias", "unalias", "hash", "kill", "chmod", "chown", "tar", "zip", "node", "ruby", "perl", "make", "just", "task",
		"mise", "asdf", "code", "open", "xdg-open", "curl", "wget", "jq", "diff", "wc", "stat", "file", "basename", "dirname", "export", "unset", "read",
	}, name)
}

// uvRun is what `uv run` runs; of `uv run -m pytest` the module.
func uvRun(args []string) []string {
	return skipFlags(args, "--with", "--extra", "--group", "--python", "-p", "--env-file", "--directory", "--project", "--package", "--with-requirements", "--index-url")
}

func npxCommand(args []string) []string {
	return dropVersion(skipFlags(args, "-p", "--package"))
}

// dropVersion turns jest@29 into jest.
func dropVersion(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	if i := strings.LastIndexByte(argv[0], '@'); i > 0 {
		return append([]string{argv[0][:i]}, argv[1:]...)
	}
	return argv
}

// packageManager gives `npm test`, `yarn run test` and `pnpm test` one form,
// `npm run test`, and sees through exec and dlx.
func packageManager(name string, args []string) []string {
	if len(args) == 0 {
		if name == "yarn" {
			return []string{"yarn", "install"}
		}
		return nil
	}
	switch args[0] {
	case "exec", "dlx", "x":
		return npxCommand(rest(args, 1))
	case "run", "run-script", "rum":
		if name != "npm" || args[0] != "run" {
			return append([]string{"npm", "run"}, args[1:]...)
		}
		// a script that is named like a tool runs that tool
		if script := rest(args, 1); len(script) > 0 && slices.Contains([]string{"jest", "vitest", "mocha", "ava", "playwright", "eslint", "tsc", "cypress"}, script[0]) {
			return script
		}
		return nil
	case "test", "t", "tst":
		if name == "bun" && args[0] == "test" {
			return nil // bun's own test runner, not the script
		}
		return append([]string{"npm", "run", "test"}, args[1:]...)
	}
	if (name == "yarn" || name == "pnpm" || name == "bun") && !slices.Contains(packageVerbs(), args[0]) {
		return append([]string{"npm", "run"}, args...)
	}
	return nil
}

// packageVerbs are the words after yarn, pnpm or bun that are not scripts.
func packageVerbs() []string {
	return []string{
		"add", "install", "i", "remove", "rm", "up", "update", "upgrade", "init", "create", "link", "unlink", "list", "ls",
		"why", "outdated", "audit", "publish", "pack", "cache", "config", "global", "workspaces", "workspace", "set", "version",
		"import", "dedupe", "prune", "rebuild", "store", "fetch", "deploy", "env", "info", "bin", "patch", "pm", "help",
	}
}

// pythonModule sees that python -m pytest runs pytest.
func pythonModule(args []string, valued ...string) []string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-m":
			return rest(args, i+1)
		case args[i] == "-W" || args[i] == "-X" || slices.Contains(valued, args[i]):
			i++
		case args[i] == "-c" || !strings.HasPrefix(args[i], "-"):
			return nil
		}
	}
	return nil
}

func isPython(name string) bool {
	tail, found := strings.CutPrefix(name, "python")
	return found && strings.Trim(tail, "0123456789.") == "" || name == "py" || strings.HasPrefix(name, "pypy")
}

// skipFlags drops leading options; those in valued use the next word too.
func skipFlags(args []string, valued ...string) []string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return rest(args, i+1)
		case slices.Contains(valued, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i:]
		}
	}
	return nil
}

func afterAssignments(args []string) []string {
	for i, arg := range args {
		name, _, found := strings.Cut(arg, "=")
		if !found || name == "" || strings.ContainsAny(name, "/.-") {
			return args[i:]
		}
	}
	return nil
}

func afterDashes(args []string) []string {
	for i, arg := range args {
		if arg == "--" {
			return rest(args, i+1)
		}
	}
	return nil
}

func rest(args []string, n int) []string {
	if len(args) <= n {
		return nil
	}
	return args[n:]
}
