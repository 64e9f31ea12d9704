package gemini

import "gauntlet/internal/agent/wire"

// Reviewer is the command line that answers a review, reading and nothing else.
// The flags were checked with version 0.61.0.
func (Adapter) Reviewer() wire.Reviewer {
	// Without a terminal the default mode denies every tool that would ask:
	// writing, the shell, the web. A directory it does not know would end it.
	return wire.Reviewer{
		Name: "gemini", Programs: []string{"gemini"},
		Args: []string{"--approval-mode", "default", "--output-format", "text"},
		Env:  []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
	}
}
