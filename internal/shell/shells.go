package shell

import (
	"slices"
	"strings"
)

// scriptFile sees that bash scripts/check.sh -x runs scripts/check.sh -x.
func scriptFile(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch {
		case strings.HasPrefix(args[i], "--"):
		case isCluster(args[i]) && strings.HasSuffix(args[i], "o") && !strings.Contains(args[i], "c"), args[i] == "+o":
			i++
		case strings.HasPrefix(args[i], "-") || strings.HasPrefix(args[i], "+"):
			if strings.ContainsAny(args[i], "cs") {
				return nil
			}
		default:
			return args[i:]
		}
	}
	return nil
}

func isShellName(name string) bool {
	return slices.Contains([]string{"bash", "sh", "zsh", "dash", "ksh"}, name)
}

// shellScript is the text of `bash -lc 'text'`.
func shellScript(argv []string) (string, bool) {
	switch name := strings.ToLower(base(argv[0])); {
	case name == "pwsh" || name == "powershell" || name == "cmd":
		for i, arg := range argv[1:] {
			switch strings.ToLower(arg) {
			case "-c", "-command", "/c":
				return strings.Join(argv[i+2:], " "), len(argv) > i+2
			}
		}
		return "", false
	case name == "nix-shell" || name == "nix":
		for i, arg := range argv[:len(argv)-1] {
			if arg == "--run" {
				return argv[i+1], true
			}
		}
		return "", false
	case !isShellName(name):
		return "", false
	}
	for i := 1; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "-o" || arg == "+o" || strings.HasSuffix(arg, "o") && isCluster(arg) && !strings.Contains(arg, "c"):
			i++
		case isCluster(arg) && strings.Contains(arg, "c"):
			i++
			if strings.Contains(arg, "o") {
				i++ // bash -euo pipefail -c, written as -euoc pipefail
			}
			if i < len(argv) {
				return argv[i], true
			}
			return "", false
		case !strings.HasPrefix(arg, "-"):
			return "", false
		}
	}
	return "", false
}

// isCluster reports whether a word is a cluster of short options: -lc, -euo; not --login.
func isCluster(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && arg[1] != '-'
}
