package turn

import (
	"strings"
	"testing"
)

func TestOwnTextIsRecognisedWhenChanged(t *testing.T) {
	var l Ledger
	reason := "Tests: FAILED\n```\nx\n```\n\nContext-aware checkpoint\n\n1. Run `make`\n" + strings.Repeat("long ", 500)
	l.RecordSent(reason)
	for name, text := range map[string]string{
		"as it was": reason, "trimmed": strings.TrimSpace(reason), "pasted": strings.ReplaceAll(reason, "\n", "\r"), "cut": reason[:1500],
	} {
		if !l.IsOwn(text) {
			t.Errorf("%s: not recognised as sent by Gauntlet", name)
		}
	}
	for _, text := range []string{"", "go on", "1. Run `make`", "Tests: FAILED"} {
		if l.IsOwn(text) {
			t.Errorf("%q recognised as sent by Gauntlet", text)
		}
	}
}
