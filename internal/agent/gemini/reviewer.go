package gemini

import "gauntlet/internal/agent/wire"

// Reviewer is the command line that answers a review, reading and nothing else.
// The flags were checked with version 0.61.0.
func (Adapter) Reviewer() wire.Reviewer {
	// Without a terminal the default mode denies every tool that would ask:
	// writing, the shell, the web. In a directory it does not know it would exit;
	// --skip-trust lets it continue without the hooks and settings of the project
	// under review, which would run with the user's rights.
	return wire.Reviewer{
		Name: "gemini", Programs: []string{"gemini"},
		Args:    []string{"--skip-trust", "--approval-mode", "default", "--output-format", "text"},
		Unset:   []string{"GEMINI_CLI_TRUST_WORKSPACE"},
		Secrets: []string{"GEMINI_", "GOOGLE_"},
	}
}
