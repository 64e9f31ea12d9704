package setup

import (
	"slices"
	"strings"

	"gauntlet/internal/tool"
)

// tidy writes a command on one line and drops what only CI needs: reports that are not read
// at a stop, the network, what an earlier step built.
func tidy(run string) string {
	run = strings.TrimSpace(strings.ReplaceAll(run, "\\\n", " "))
	words := strings.Fields(run)
	var out []string
	for len(words) > 0 {
		n := slices.IndexFunc(words, func(w string) bool { return w == "&&" || w == "||" || w == "|" || w == ";" })
		if n < 0 {
			n = len(words)
		}
		out = append(out, atAStop(words[:n])...)
		out = append(out, words[n:min(n+1, len(words))]...)
		words = words[min(n+1, len(words)):]
	}
	if tidied := strings.Join(out, " "); !strings.ContainsAny(run, "\"'`\n#") || len(out) < len(strings.Fields(run)) && !strings.Contains(run, "\n") {
		return tidied
	}
	return run
}

// atAStop is a command as a person would type it here.
func atAStop(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	words = tool.Of(words).Offline()
	for view := words; len(view) > 0; view = tool.Of(view).Inner() {
		drops := tool.Of(view).ForCI()
		if len(drops) == 0 {
			continue
		}
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(drops, w) })
	}
	return words
}

// slug is a text as part of a file name.
func slug(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		default:
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		}
	}
	return strings.Trim(b.String(), "-.")
}
