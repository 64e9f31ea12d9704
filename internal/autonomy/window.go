package autonomy

import "strings"

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
