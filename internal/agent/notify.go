package agent

import (
	"fmt"

	"gauntlet/internal/agent/codex"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/text"
)

// Notice is the end of a turn as a client reports it to its notify program.
type Notice struct {
	Event event.Event
	// Inputs are the prompts of the turn, the newest last.
	Inputs []string
	// Home is where the client keeps its sessions; "" when unknown.
	Home string
}

// DecodeNotice reads the JSON that a client gives its notify program as the
// last argument. Its event is of kind Other when it is not the end of a turn.
func DecodeNotice(payload []byte, getenv func(string) string) (Notice, error) {
	p, err := wire.Parse(payload)
	if err != nil {
		return Notice{}, fmt.Errorf("the last argument is not the JSON of a notification: %w", err)
	}
	client := codex.Adapter{}
	ev := client.Decode(p)
	ev.Agent = client.Name()
	return Notice{
		Event: ev, Inputs: p.Strings("input-messages"),
		Home: wire.EnvDir(wire.Dirs{Home: text.Home(getenv), Getenv: getenv}, "CODEX_HOME", ".codex"),
	}, nil
}
