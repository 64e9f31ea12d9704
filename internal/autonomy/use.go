package autonomy

import (
	"cmp"
	"strings"

	"gauntlet/internal/event"
)

// defaultWindow is assumed for an unknown model.
const defaultWindow = 200_000

// families are model families by the beginning of their names, the more specific first. The
// names come from transcripts and events: they are data and do not refer to an agent.
var families = [...]struct {
	prefix string
	window int
}{
	{"claude-opus-5", 1_000_000},
	{"claude-", 200_000},
	{"gemini-1.5-pro", 2_097_152},
	{"gemini-", 1_048_576},
	{"gpt-5", 272_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4o", 128_000},
	{"gpt-4-turbo", 128_000},
	{"codex-mini", 200_000},
	{"o3", 200_000},
	{"o4-mini", 200_000},
	{"qwen3-coder", 262_144},
	{"qwen", 131_072},
}

// Window is the size of a model's context in tokens.
func Window(model string) int {
	model = strings.ToLower(strings.TrimSpace(model))
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:] // a provider before the name
	}
	if strings.HasSuffix(model, "[1m]") {
		return 1_000_000
	}
	for _, f := range families {
		if strings.HasPrefix(model, f.prefix) {
			return f.window
		}
	}
	return defaultWindow
}

// use finds how full the context window is, from the best available source.
func (in Input) use() (event.ContextUse, bool) {
	if usable(in.Event.Context) {
		return *in.Event.Context, true
	}
	var line StatusLine
	if in.State.Get(statusSection, &line) && line.Known && line.Window > 0 {
		return event.ContextUse{Tokens: line.Tokens, Window: line.Window}, true
	}
	u := in.Usage
	if u == nil || u.Tokens <= 0 {
		return event.ContextUse{}, false
	}
	model := cmp.Or(u.Model, in.Event.Model)
	window := Window(model)
	switch {
	case in.Config != nil && in.Config.ContextWindow != nil && *in.Config.ContextWindow > 0:
		window = *in.Config.ContextWindow
	case u.Window > 0:
		window = u.Window
	case line.Window > 0:
		window = line.Window
	}
	return event.ContextUse{Tokens: u.Tokens, Window: window}, true
}

// usable reports whether a figure can be turned into a percentage.
func usable(c *event.ContextUse) bool { return c != nil && c.Window > 0 && c.Tokens >= 0 }
