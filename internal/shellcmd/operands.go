package shellcmd

import (
	"slices"
	"strings"
)

// operands are the words of a command that are neither options nor their
// values. The command's own name is left out.
func operands(argv []string) []string {
	valued := valuedFlags(argv)
	var out []string
	for i := 1; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "--":
			return append(out, argv[i+1:]...)
		case isMake(argv) && (arg == "-j" || arg == "-l"):
			// the number may be left out
			if i+1 < len(argv) && strings.Trim(argv[i+1], "0123456789.") == "" {
				i++
			}
		case slices.Contains(valued, arg):
			i++
		case strings.HasPrefix(arg, "-") && arg != "-":
		case isMake(argv) && strings.Contains(arg, "="):
		default:
			out = append(out, arg)
		}
	}
	return out
}

func lastOperand(argv []string) string {
	if list := operands(argv); len(list) > 0 {
		return list[len(list)-1]
	}
	if len(argv) > 1 && argv[len(argv)-1] == "-" {
		return "-"
	}
	return ""
}

func isMake(argv []string) bool {
	name := base(argv[0])
	return name == "make" || name == "gmake"
}

// valuedFlags are the options of a command that take the next word.
func valuedFlags(argv []string) []string {
	name := base(argv[0])
	switch {
	case name == "make" || name == "gmake":
		return []string{"-C", "--directory", "-f", "--file", "--makefile", "-I", "-o", "-W"}
	case name == "pytest" || name == "py.test":
		return []string{
			"-k", "-m", "-n", "-c", "-o", "-p", "-W", "-r", "--maxfail", "--rootdir", "--confcutdir", "--deselect", "--ignore",
			"--cov", "--cov-report", "--cov-config", "--durations", "--tb", "--junitxml", "--timeout", "--log-level", "--numprocesses",
		}
	case name == "go":
		return []string{
			"-C", "-run", "-bench", "-count", "-timeout", "-tags", "-coverprofile", "-covermode", "-coverpkg", "-o", "-p", "-parallel",
			"-cpu", "-exec", "-skip", "-fuzz", "-fuzztime", "-benchtime", "-ldflags", "-gcflags", "-mod", "-modfile", "-shuffle", "-vet", "-cpuprofile", "-memprofile",
		}
	case name == "cargo":
		return []string{
			"-p", "--package", "--test", "--bin", "--example", "--bench", "--features", "-F", "--manifest-path", "--target",
			"--target-dir", "-j", "--jobs", "--profile", "--color", "--config", "-Z", "-C", "-E", "--exclude",
		}
	case name == "git":
		return []string{"-C", "-c", "--git-dir", "--work-tree", "-m", "-F", "-n"}
	case name == "npm" || name == "pnpm" || name == "yarn" || name == "bun":
		return []string{"-C", "--dir", "--cwd", "--filter", "-F", "--prefix", "-w", "--workspace"}
	case name == "jest" || name == "vitest" || name == "mocha":
		return []string{"-t", "--testNamePattern", "-c", "--config", "--reporter", "--reporters", "--maxWorkers", "-w", "--project", "-g", "--grep", "-R"}
	case strings.HasPrefix(name, "pip"):
		return []string{"-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-t", "--target", "--python", "--log", "-e", "--editable"}
	case name == "head" || name == "tail":
		return []string{"-n", "-c", "--lines", "--bytes"}
	case name == "sed":
		return []string{"-e", "-f", "--expression", "--file", "-l"}
	case name == "grep" || name == "egrep" || name == "fgrep" || name == "rg" || name == "ag":
		return []string{"-e", "-f", "-m", "-A", "-B", "-C", "-g", "-t", "-T", "--glob", "--type", "--include", "--exclude", "--exclude-dir", "--max-count", "--context"}
	case name == "awk" || name == "gawk":
		return []string{"-F", "-v", "-f"}
	case name == "curl":
		return []string{"-X", "--request", "-H", "--header", "-d", "--data", "--data-raw", "-o", "--output", "-u", "--user", "-m", "--max-time", "-w"}
	case name == "docker":
		return []string{"-f", "--file", "-p", "-e", "-v", "-w", "--name", "-t", "--tag"}
	case isPython(name):
		return []string{"-W", "-X"}
	}
	return nil
}

// Operands are the words of a command that are neither options nor their
// values, without its name.
func Operands(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	return operands(argv)
}

// Inline reports whether the command runs a program that is not in a file:
// python -c, node -e, python with a here-document.
func Inline(argv []string) bool {
	return len(argv) > 0 && (hasAny(argv, "-c", "-e", "--eval", "-p", "-") || len(operands(argv)) == 0)
}
