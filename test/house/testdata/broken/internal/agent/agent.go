// Package agent may know agents by name: nothing is found here.
package agent

import (
	"gauntlet/internal/agent/codex"
	"gauntlet/internal/agent/gemini"
)

const Default = "claude"

func All() []int { return []int{codex.Name, gemini.Name} }
