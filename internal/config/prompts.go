package config

import (
	"embed"
	"path"
	"strings"
)

//go:embed prompts
var promptFiles embed.FS

// Where an old review has its prompt instead of its own text.
const (
	fromBuiltin = "builtin"
	fromFile    = "prompt_file"
	fromSkill   = "skill_name"

	builtinPrefix = "built-in:" // of the name of a review in an entry point
)

type promptSource struct{ kind, value string }

// builtinPrompt is Gauntlet's prompt of a name that agent-gauntlet and agent-validator have
// as a built-in review. Their combined reviews are those prompts one after another.
func builtinPrompt(name string) (string, bool) {
	parts := []string{name}
	switch name {
	case "security-and-errors":
		parts = []string{"security", "error-handling"}
	case "all-reviewers":
		parts = []string{"code-quality", "security", "error-handling", "test-integrity"}
	}
	var texts []string
	for _, part := range parts {
		data, err := promptFiles.ReadFile(path.Join("prompts", part+".md"))
		if err != nil {
			return "", false
		}
		texts = append(texts, strings.TrimSpace(string(data)))
	}
	return strings.Join(texts, "\n\n"), true
}

func builtinNames() string {
	return "code-quality, security, error-handling, test-integrity, task-compliance, security-and-errors, all-reviewers"
}

func skillPrompt(skill string) string {
	return "Use the skill " + quote(skill) + " to review this change. Report what it finds."
}

func skillFix(skill string) string {
	return "Use the skill " + quote(skill) + " to fix this.\n"
}

// promptOf is the prompt of a review that names it instead of containing it.
func (l *loader) promptOf(from promptSource) (text, problem string) {
	switch from.kind {
	case fromSkill:
		return skillPrompt(from.value), ""
	case fromBuiltin:
		text, ok := builtinPrompt(from.value)
		if !ok {
			return "", "no built-in prompt named " + quote(from.value) + " (there are " + builtinNames() + ")"
		}
		return text, ""
	}
	return l.fixText(from.value)
}
