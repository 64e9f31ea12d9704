package agent

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"gauntlet/internal/agent/codex"
	"gauntlet/internal/event"
)

// Notice is the end of a turn as a client's notify program hears of it.
type Notice struct {
	Event event.Event
	// Inputs are the prompts of the turn, the newest last.
	Inputs []string
	// Home is where the client keeps its sessions; "" when nothing says.
	Home string
}

// DecodeNotice reads the JSON that a client gives its notify program as the
// last argument. Its event is of kind Other when it is not the end of a turn.
func DecodeNotice(payload []byte, getenv func(string) string) (Notice, error) {
	var n struct {
		Type    string   `json:"type"`
		Thread  string   `json:"thread-id"`
		Turn    string   `json:"turn-id"`
		Cwd     string   `json:"cwd"`
		Inputs  []string `json:"input-messages"`
		Message string   `json:"last-assistant-message"`
	}
	if err := json.Unmarshal(payload, &n); err != nil {
		return Notice{}, fmt.Errorf("the last argument is not the JSON of a notification: %w", err)
	}
	out := Notice{Inputs: n.Inputs, Home: getenv("CODEX_HOME"), Event: event.Event{
		Agent: codex.Adapter{}.Name(), Kind: event.Other, SessionID: n.Thread, TurnID: n.Turn, Cwd: n.Cwd, LastMessage: n.Message,
	}}
	if n.Type == "agent-turn-complete" {
		out.Event.Kind = event.Stop
	}
	if home := getenv("HOME"); out.Home == "" && home != "" {
		out.Home = filepath.Join(home, ".codex")
	}
	return out, nil
}
