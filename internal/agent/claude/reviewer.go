package claude

import "gauntlet/internal/agent/wire"

// Reviewer is the command line that answers a review, reading and nothing else.
// The flags were checked with version 2.1.325.
func (Adapter) Reviewer() wire.Reviewer {
	// --allowedTools alone only avoids questions: a user's settings may allow
	// more. --tools is what removes the other tools.
	return wire.Reviewer{
		Name: "claude", Programs: []string{"claude"},
		Args: []string{
			"-p", "--allowedTools", "Read,Glob,Grep", "--tools", "Read,Glob,Grep",
			"--strict-mcp-config", "--no-session-persistence", "--output-format", "text",
			"--settings", `{"disableAllHooks":true}`, // hooks of the project under review would run with the user's rights
		},
		Secrets: []string{"ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "AZURE_"}, // its own, and those of the clouds that offer it
		Unset:   []string{"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"},
	}
}
