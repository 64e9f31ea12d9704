package cursor

import "gauntlet/internal/agent/wire"

// Reviewer is the command line that answers a review, reading and nothing else.
// The flags come from its documentation.
func (Adapter) Reviewer() wire.Reviewer {
	return wire.Reviewer{
		Name: "cursor", Programs: []string{"cursor-agent", "agent"},
		Args:    []string{"-p", "--mode", "ask", "--output-format", "text", "--trust"},
		Starts:  []string{".cursor", ".mcp.json", ".claude"},
		Secrets: []string{"CURSOR_"},
	}
}
