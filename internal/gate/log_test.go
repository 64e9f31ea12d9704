package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/internal/redact"
)

// A secret is recognised wherever the writes of a program happen to split it, in
// two pieces at every place and byte by byte.
func TestSecretsAcrossWrites(t *testing.T) {
	// Built here, so that no scanner takes this file for a leak.
	body := strings.Repeat("q7Rw2Tz9", 8)
	token := "ghp_" + strings.Repeat("a1B2", 9)
	for name, c := range map[string]struct{ text, secret string }{
		"token":           {"push with " + token + " now\nok\n", token},
		"coloured":        {"push with \x1b[31m" + token[:10] + "\x1b[m\x1b[K" + token[10:] + " now\n", token[10:]},
		"wide":            {"p\x00w\x00d\x00=\x00 " + strings.Join(strings.Split(token, ""), "\x00") + "\n", token},
		"assigned":        {"DB_PASSWORD=" + body[:20] + " and more\n", body[:20]},
		"header":          {"> Authorization: Basic " + body[:24] + "==\n", body[:24]},
		"escaped":         {`{\"client_secret\": \"` + body[:32] + `\"}` + "\n", body[:32]},
		"URL":             {"GET postgres%3A%2F%2Fapp%3A" + body[:16] + "%40db/x\n", body[:16]},
		"private key":     {"-----BEGIN EC PRIVATE KEY-----\n" + body + "\n" + body + "\n-----END EC PRIVATE KEY-----\nok\n", body},
		"PuTTY's key":     {"Private-Lines: 2\n" + body + "\n" + body + "\nPrivate-MAC: 12\nok\n", body},
		"key without end": {"-----BEGIN EC PRIVATE KEY-----\n" + body + "\n" + body + "\n", body},
		"by value":        {"deploying with Correct-Horse-9\n", "Correct-Horse-9"},
		"no line feed":    {"push with " + token, token},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for cut := range len(c.text) + 1 {
				check(t, c.secret, c.text[:cut], c.text[cut:])
			}
			check(t, c.secret, strings.Split(c.text, "")...)
			check(t, c.secret, strings.Repeat("x", maxPending-20)+" ", c.text)
		})
	}
}

// check writes pieces to a log and looks for the secret in it.
func check(t *testing.T, secret string, pieces ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	log, err := createLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	log.secrets = redact.Environment([]string{"DEPLOY_TOKEN=Correct-Horse-9"})
	for _, p := range pieces {
		if _, err := log.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
	}
	shown := log.lastLines(4000)
	if err := log.finish("Result: pass\n"); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"log": string(written), "reason": shown} {
		if strings.Contains(text, secret) || where == "log" && !strings.Contains(text, "[redacted]") {
			t.Fatalf("%s, in pieces of %d bytes and more: %q", where, len(pieces[0]), text)
		}
	}
}
