package wire

import (
	"cmp"
	"encoding/json"

	"gauntlet/internal/event"
)

// contextWindow reads how full the context window is, if the event reports it;
// nil when it does not, or when one of its figures is not a number: a sum without
// that figure would be a guess.
func contextWindow(p Payload) *event.ContextUse {
	window := p.Object("context_window")
	size, ok := tokens(window["context_window_size"])
	usage := window.Object("current_usage")
	if !ok || size == 0 || usage == nil {
		return nil
	}
	use := event.ContextUse{Window: size}
	known := false
	for _, key := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		raw, present := usage[key]
		if !present || string(raw) == "null" {
			continue
		}
		n, ok := tokens(raw)
		if !ok {
			return nil
		}
		use.Tokens += n
		known = true
	}
	if !known {
		return nil
	}
	return &use
}

// tokens reads a count; ok is false for anything else.
func tokens(raw json.RawMessage) (n int, ok bool) {
	var f *float64
	if raw == nil || json.Unmarshal(raw, &f) != nil || f == nil || *f < 0 || *f > 1e12 {
		return 0, false
	}
	return int(*f), true
}

// StatusLine is the part of the JSON for a client's status line that Gauntlet uses.
// Fields that are missing or of another type stay empty.
type StatusLine struct {
	SessionID, Cwd   string
	Model, ModelName string // the id, and what people call it
	Window           int
	Use              *event.ContextUse // nil when unknown
}

// DecodeStatusLine reads the JSON for a status line.
func DecodeStatusLine(payload []byte) StatusLine {
	p, err := Parse(payload)
	if err != nil {
		return StatusLine{}
	}
	work, model := p.Object("workspace"), p.Object("model")
	window, _ := tokens(p.Object("context_window")["context_window_size"])
	return StatusLine{
		SessionID: p.String("session_id"), Cwd: cmp.Or(p.String("cwd"), work.String("current_dir"), work.String("project_dir")),
		Model: model.String("id"), ModelName: cmp.Or(model.String("display_name"), model.String("id")),
		Window: window, Use: contextWindow(p),
	}
}
