package copilot

import "gauntlet/internal/agent/wire"

// Reviewer is the command line that answers a review, reading and nothing else.
// The flags were checked with version 1.0.102.
func (Adapter) Reviewer() wire.Reviewer {
	return wire.Reviewer{
		Name: "github-copilot", Programs: []string{"copilot"},
		Args: []string{
			"-s", "--no-color", "--no-ask-user", "--available-tools=view,grep,glob",
			"--deny-tool=write", "--deny-tool=shell", "--disable-builtin-mcps",
		},
		// Setting it to "true" would also trust the directory, whatever it is.
		Unset:   []string{"COPILOT_ALLOW_ALL"},
		Starts:  []string{".github/hooks", ".github/copilot", ".github/mcp.json", ".mcp.json", ".vscode/mcp.json", ".claude"},
		Secrets: []string{"COPILOT_", "GH_", "GITHUB_"},
	}
}
