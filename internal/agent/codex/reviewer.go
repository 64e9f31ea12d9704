package codex

import "gauntlet/internal/agent/wire"

// Reviewer is the command line that answers a review, reading and nothing else.
// The flags were checked with version 0.166.0.
func (Adapter) Reviewer() wire.Reviewer {
	return wire.Reviewer{
		Name: "codex", Programs: []string{"codex"},
		Args:    []string{"exec", "--sandbox", "read-only", "--color", "never", "--skip-git-repo-check", "--ephemeral", "--disable", "hooks"},
		Secrets: []string{"OPENAI_", "CODEX_", "AZURE_", "OPENROUTER_", "MISTRAL_", "GROQ_", "DEEPSEEK_", "XAI_", "TOGETHER_", "FIREWORKS_", "OLLAMA_"},
	}
}
