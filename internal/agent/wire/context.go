package wire

import (
	"encoding/json"

	"gauntlet/internal/event"
)

// contextWindow reads how full the context window is, where an event says so;
// nil when it does not, or when one of its figures is no number: a sum that
// leaves one out would be a guess.
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

// tokens reads a count; ok is false for anything that is none.
func tokens(raw json.RawMessage) (n int, ok bool) {
	var f *float64
	if raw == nil || json.Unmarshal(raw, &f) != nil || f == nil || *f < 0 || *f > 1e12 {
		return 0, false
	}
	return int(*f), true
}
