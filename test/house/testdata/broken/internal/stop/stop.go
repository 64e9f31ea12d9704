package stop

import (
	"net" // breaks: imports
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/git"
	"gauntlet/internal/history/store" // breaks: imports
)

func Run(ev event.Event, prompt, output string) bool {
	store.Open()
	if c, err := net.Dial("tcp", "example.com:80"); err == nil { // breaks: clients
		_ = c.Close()
	}
	switch {
	case ev.Agent == "claude": // breaks: agents
		return true
	case prompt == "<task-notification>": // breaks: agents
		return true
	case output == "Exit code ": // breaks: agents
		return true
	}
	switch ev.Agent { // breaks: agents
	case "a":
		return true
	}
	if strings.HasPrefix(ev.Agent, "clau") || prompt == "cod"+"ex" { // breaks: agents
		git.Changed++
	}
	if ev.Agent == "" {
		return false
	}
	return settings() != variable()
}

func settings() string { return ".claude/settings.json" } // breaks: agents

func variable() string { return "GEMINI_PROJECT_DIR" } // breaks: agents

// A sentence for a person may name an agent, and the contract's own variable is
// no agent's.
func help() string {
	return "put it into .claude/settings.json, for Claude" + "CLAUDE_CONTEXT_THRESHOLD"
}
