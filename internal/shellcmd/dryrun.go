package shellcmd

import (
	"slices"
	"strings"
)

// IsDryRun reports whether the command only prints what it would do, or something about
// itself.
func (c Command) IsDryRun() bool { return slices.ContainsFunc(c.Views, dryRun) }

func dryRun(argv []string) bool {
	name := base(argv[0])
	for i, arg := range argv[1:] {
		flag, _, _ := strings.Cut(arg, "=")
		switch flag {
		case "--help", "--version", "--dry-run", "--dry", "--dryRun", "-dry-run", "--list-tests", "--listTests", "--no-run", "--nobuild", "--notest":
			return true
		case "-h":
			// for many commands it is the host, or human-readable sizes
			if i == len(argv)-2 || isMake(argv) || name == "pytest" || name == "go" {
				return true
			}
		case "-V":
			if name == "pytest" || strings.HasPrefix(name, "pip") || name == "cargo" {
				return true
			}
		}
	}
	switch name {
	case "make", "gmake":
		return makeDryRun(argv[1:])
	case "mvn", "mvnw":
		return slices.ContainsFunc(argv[1:], skipsTests)
	}
	flags, verbs := runsNothing(name)
	return hasAny(ownOptions(name, argv), flags...) || len(argv) > 1 && slices.Contains(verbs, argv[1])
}

// ownOptions are the words that a runner reads itself: not those after --, nor those that
// just and mise pass on to a task.
func ownOptions(name string, argv []string) []string {
	if i := slices.Index(argv, "--"); i > 0 && name != "cargo" && name != "npm" {
		argv = argv[:i]
	}
	words := map[string]int{"just": 1, "mise": 2}[name] // mise run TASK
	for i, arg := range argv[1:] {
		if words > 0 && !strings.HasPrefix(arg, "-") {
			if words--; words == 0 {
				return argv[:i+2]
			}
		}
	}
	return argv
}

// runsNothing are the options and the first words with which a runner runs no test: it
// lists, describes or builds them.
func runsNothing(name string) (flags, verbs []string) {
	switch name {
	case "pytest", "py.test":
		return []string{"--collect-only", "--co", "--fixtures", "--fixtures-per-test", "--markers", "--setup-plan", "--setup-only", "--cache-show", "--trace-config"}, nil
	case "go":
		return []string{"-n", "-list", "-c", "help"}, nil
	case "cargo":
		return []string{"--list", "help", "-h"}, nil
	case "jest":
		return []string{"--showConfig", "--clearCache", "--init"}, nil
	case "vitest":
		return nil, []string{"list", "init"}
	case "playwright":
		return []string{"--list"}, nil
	case "just", "task":
		return []string{"-n", "--list", "-l", "--summary", "--evaluate", "--show"}, nil
	case "mise":
		return []string{"-n"}, nil
	case "turbo":
		return []string{"--graph"}, nil
	case "tox":
		return []string{"-l", "-a", "--listenvs", "--listenvs-all", "-n"}, []string{"list", "l", "config", "c", "devenv", "d", "schema", "quickstart", "q"}
	case "nox":
		return []string{"-l", "--list", "--list-sessions"}, nil
	case "gradle", "gradlew":
		return []string{"-m"}, nil
	case "dotnet":
		return []string{"-t"}, nil
	case "swift":
		return []string{"list"}, nil
	case "ctest":
		return []string{"-N", "--show-only"}, nil
	case "bats":
		return []string{"-c", "--count"}, nil
	case "rake":
		return []string{"-T", "-n", "-P", "-D", "-W", "--tasks", "--prereqs", "--describe"}, nil
	case "ginkgo":
		return nil, []string{"build", "outline", "generate", "bootstrap", "labels", "unfocus", "version", "help"}
	case "kill":
		return []string{"-l", "-L", "-0"}, nil
	case "npm":
		return []string{"--collect-only"}, nil // npm test -- --collect-only
	}
	return nil, nil
}

// skipsTests reports whether an option of Maven skips the tests or ignores that they fail.
func skipsTests(arg string) bool {
	name, value, _ := strings.Cut(arg, "=")
	return value != "false" && slices.Contains([]string{"-DskipTests", "-Dmaven.test.skip", "-DskipITs", "-Dmaven.test.failure.ignore", "-fn", "--fail-never"}, name)
}

// makeDryRun looks into clusters: -nB, -kn.
func makeDryRun(args []string) bool {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case slices.Contains([]string{"--just-print", "--recon", "--question", "--touch", "--ignore-errors"}, arg):
			return true
		case slices.Contains([]string{"-C", "-f", "-I", "-o", "-W", "--directory", "--file"}, arg):
			i++
		case isCluster(arg):
			for _, r := range arg[1:] {
				if strings.ContainsRune("nqtvhi", r) {
					return true
				}
				if strings.ContainsRune("CfIoWjlO", r) {
					break // the rest is its value
				}
			}
		}
	}
	return false
}
