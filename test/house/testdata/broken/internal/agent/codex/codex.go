package codex

import "gauntlet/internal/agent/gemini" // breaks: imports

const Name = 1 + gemini.Name
