package shellcmd

import (
	"slices"
	"strings"
)

// javaTool is the tool that a program is, or is the project's own wrapper of: mvn or gradle.
func javaTool(name string) string {
	switch base(name) {
	case "mvn", "mvnw", "mvnw.cmd":
		return "mvn"
	case "gradle", "gradlew", "gradlew.bat":
		return "gradle"
	}
	return ""
}

// javaTasks are the phases and tasks that a call of Maven or Gradle runs, with the tests
// that they include: `mvn clean verify`, `gradle :app:check`. All of them have to succeed.
func javaTasks(argv []string) []string {
	var out []string
	for _, target := range Operands(argv) {
		out = append(out, target)
		if javaTool(argv[0]) == "mvn" {
			if slices.Contains([]string{"package", "verify", "install", "deploy", "integration-test"}, target) {
				out = append(out, "test")
			}
			continue
		}
		task := target[strings.LastIndexByte(target, ':')+1:]
		out = append(out, task)
		left := flagValues(argv, "-x", "--exclude-task")
		if (task == "check" || task == "build") && !slices.ContainsFunc(left, func(t string) bool { return isTestName(t) || strings.HasSuffix(t, "check") }) {
			out = append(out, "test")
		}
	}
	return out
}

// matchJava is matchArgv for Maven and Gradle, whose tasks may stand in any order.
func (p Pattern) matchJava(argv []string) bool {
	tasks := javaTasks(argv)
	return !slices.ContainsFunc(p.words[1:], func(word string) bool {
		if strings.HasPrefix(word, "-") {
			return !slices.Contains(argv[1:], word)
		}
		return !slices.ContainsFunc(tasks, func(task string) bool { return sameArgument(word, task) })
	})
}
