package setup

import (
	"slices"
	"strings"
)

// tidy writes a command on one line and drops what only CI needs.
func tidy(run string) string {
	run = strings.ReplaceAll(run, "\\\n", " ")
	if strings.HasPrefix(run, "go test ") {
		for _, flag := range []string{"-coverprofile", "-covermode", "-coverpkg"} {
			run = withoutFlag(run, flag) // a report that is not read at a stop
		}
	}
	if strings.Contains(run, "pytest ") && !strings.Contains(run, "--cov-fail-under") {
		for _, flag := range []string{"--cov", "--cov-report", "--cov-config"} {
			run = withoutValue(run, flag)
		}
		for _, flag := range []string{"--cov", "--cov-report", "--cov-config", "--cov-append", "--cov-branch"} {
			run = withoutWord(run, flag)
		}
	}
	if !strings.ContainsAny(run, "\"'`\n#") {
		words := strings.Fields(run)
		switch {
		case len(words) == 3 && words[1] == "run" && words[2] == "test" && slices.Contains([]string{"npm", "pnpm", "yarn"}, words[0]):
			words = []string{words[0], "test"} // the same, as people type it
		case len(words) == 2 && words[1] == "t" && words[0] == "npm":
			words[1] = "test"
		case len(words) > 1 && words[0] == "npx" && words[1] != "--no-install" && words[1] != "--no":
			words = slices.Insert(words, 1, "--no-install") // what is not installed is not fetched
		case len(words) > 2 && words[0] == "pipx" && words[1] == "run" && words[2][0] != '-':
			words = words[2:] // the same for Python's tools, which are on the PATH then
		case len(words) > 1 && words[0] == "uvx" && words[1][0] != '-' && !strings.Contains(words[1], "@"):
			words = words[1:]
		case len(words) > 2 && (words[0] == "mvn" || words[0] == "./mvnw"):
			words = slices.DeleteFunc(words, func(w string) bool {
				goal, _, _ := strings.Cut(w, ":")
				return goal == "site" || goal == "javadoc" || goal == "coveralls" // documents and reports
			})
		case len(words) > 1 && (words[0] == "gradle" || words[0] == "./gradlew"):
			words = slices.DeleteFunc(words, func(w string) bool { return w == "--scan" }) // it publishes the build
		case len(words) > 1 && words[0] == "dotnet":
			// CI built it a step before; here that would test an old build.
			words = slices.DeleteFunc(words, func(w string) bool { return w == "--no-build" || w == "--no-restore" })
		}
		return strings.Join(words, " ")
	}
	return strings.TrimSpace(run)
}

// withoutFlag drops a flag and its value from a line.
func withoutFlag(line, flag string) string {
	for {
		i := strings.Index(line, " "+flag)
		if i < 0 {
			return line
		}
		rest := line[i+1+len(flag):]
		if rest != "" && rest[0] != '=' && rest[0] != ' ' {
			return line // another flag that begins alike
		}
		if rest != "" {
			rest = rest[1:]
		}
		_, tail, _ := strings.Cut(rest, " ")
		line = strings.TrimSpace(line[:i] + " " + tail)
	}
}

// withoutValue drops the words that follow a flag as its value.
func withoutValue(line, flag string) string {
	words := strings.Fields(line)
	var kept []string
	for i, w := range words {
		if i == 0 || words[i-1] != flag || strings.ContainsAny(w[:1], "-&|;<>") {
			kept = append(kept, w)
		}
	}
	if len(kept) == len(words) {
		return line
	}
	return strings.Join(kept, " ")
}

// withoutWord drops a flag whose value, if any, is glued to it.
func withoutWord(line, flag string) string {
	words := strings.Fields(line)
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == flag || strings.HasPrefix(w, flag+"=") })
	if len(kept) == len(words) {
		return line
	}
	return strings.Join(kept, " ")
}

// slug is a text as part of a file name.
func slug(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		default:
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		}
	}
	return strings.Trim(b.String(), "-.")
}
