package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
)

// RecordSent remembers a text that was sent to the agent as its next prompt: some agents
// log it, and fire their prompt hook for it, as if a human had typed it.
func (l *Ledger) RecordSent(text string) {
	if key := textKey(text); !slices.Contains(l.Sent, key) {
		l.Sent = newest(append(l.Sent, key), maxSent)
	}
}

// IsOwn reports whether a prompt is a text that Gauntlet sent.
func (l Ledger) IsOwn(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), event.CheckpointHeader) || slices.Contains(l.Sent, textKey(text))
}

// textKey identifies a text by its first words: what a client or a terminal returns may be
// cut at its end and have other white space.
func textKey(text string) string {
	text = strings.Join(strings.Fields(redact.Strip(text)), " ")
	if len(text) > 600 {
		text = text[:600]
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}
