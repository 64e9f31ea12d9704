package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"gauntlet/internal/agent/wire"
)

// trustTable is the header of the table in config.toml under which Codex keeps
// the trust in one hook: the file, the event in snake case, and the positions
// of group and handler.
func trustTable(file, event string, group, handler int) string {
	return fmt.Sprintf("[hooks.state.%s]", tomlString(fmt.Sprintf("%s:%s:%d:%d", file, snake(event), group, handler)))
}

// trustHash is what Codex computes for a hook before it runs it: SHA-256 over
// compact JSON with sorted keys.
func trustHash(event, command string, timeout int64) string {
	type handler struct {
		Async   bool   `json:"async"`
		Command string `json:"command"`
		Timeout int64  `json:"timeout"`
		Type    string `json:"type"`
	}
	line := wire.Line(struct {
		Event string    `json:"event_name"`
		Hooks []handler `json:"hooks"`
	}{snake(event), []handler{{Command: command, Timeout: timeout, Type: "command"}}})
	sum := sha256.Sum256(bytes.TrimSuffix(line, []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// tomlString is a basic string of TOML.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
