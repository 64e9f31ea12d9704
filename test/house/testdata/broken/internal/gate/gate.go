package gate

import (
	"gauntlet/internal/agent/agenttest" // breaks: imports
	"gauntlet/internal/agent/codex"     // breaks: imports
	"gauntlet/internal/review"          // breaks: imports
)

func Judge() int { return review.Status() + codex.Name + agenttest.Cases }
