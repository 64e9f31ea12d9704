package redact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Built at run time so that no scanner reports this file as a leak.
var secrets = map[string]string{
	"AWS access key": "AKIA" + "IOSFODNN7EXAMPLE",
	"GitHub token":   "ghp_" + strings.Repeat("a1B2", 9),
	"Anthropic key":  "sk-ant-" + "api03-" + strings.Repeat("x9Y", 10),
	"OpenAI key":     "sk-proj-" + strings.Repeat("Zz09", 10),
	"Google key":     "AIza" + strings.Repeat("b", 35),
	"Slack token":    "xoxb-" + "1234567890-abcdefghij",
	"Stripe key":     "sk_live_" + strings.Repeat("4eC3", 6),
	"Linear token":   "lin_api_" + strings.Repeat("a1B2", 10),
	"npm token":      "npm_" + strings.Repeat("abcdef", 6),
	"GitLab token":   "glpat-" + strings.Repeat("q1w2", 6),
	"JSON web token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N",
	"private key":    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----",
}

func TestSecretsAreRedacted(t *testing.T) {
	for kind, s := range secrets {
		text := "before\nthe value is " + s + " here\nafter"
		got := String(text)
		if strings.Contains(got, s) || !strings.Contains(got, "[redacted]") {
			t.Errorf("%s not redacted: %s", kind, got)
		}
		if !strings.HasPrefix(got, "before\nthe value is ") || !strings.HasSuffix(got, " here\nafter") {
			t.Errorf("%s: surroundings changed: %s", kind, got)
		}
		fs := Find(text)
		if len(fs) == 0 || fs[0].Line != 2 || fs[0].Kind != kind {
			t.Errorf("%s: found %v", kind, fs)
		}
	}
}

func TestAssignmentsAndURLs(t *testing.T) {
	tests := map[string]string{
		`password = "hunter2hunter2x9"`:                   `password = "[redacted]"`,
		`API_KEY: abcdef0123456789`:                       `API_KEY: [redacted]`,
		`git clone https://user:s3cr3tpass@example.com/x`: `git clone https://user:[redacted]@example.com/x`,
		`Authorization: Bearer abcdef0123456789`:          `Authorization: Bearer [redacted]`,
		`{"client_secret":"a1b2c3d4e5f6g7h8"}`:            `{"client_secret":"[redacted]"}`,
		`token = getTokenFromEnvironment`:                 `token = getTokenFromEnvironment`,
		`the secret of the castle: a very long corridor`:  `the secret of the castle: a very long corridor`,
		`key: value`: `key: value`,
		`FAIL TestTokenizer (0.01s) tokens.go:123`:         `FAIL TestTokenizer (0.01s) tokens.go:123`,
		`https://example.com:8080/path@v1.2.3/password`:    `https://example.com:8080/path@v1.2.3/password`,
		`task-1234567890abcdef sk-learn is a library name`: `task-1234567890abcdef sk-learn is a library name`,
	}
	for in, want := range tests {
		if got := String(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestStrip(t *testing.T) {
	tests := map[string]string{
		"\x1b[31mred\x1b[0m":                        "red",
		"\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ ok": "link ok",
		"50%\r100%\r\ndone":                         "50%\n100%\ndone",
		"a\x00b\x07c\x7f":                           "abc",
		"tab\tnew\nline":                            "tab\tnew\nline",
		"grüße 日本 👩‍👧":                              "grüße 日本 👩‍👧",
		"over\u202eride":                            "override",
		"bad \xff utf8":                             "bad \ufffd utf8",
		"cut \x1b[":                                 "cut ",
		"cut \x1b]0;title\nnext":                    "cut \nnext",
	}
	for in, want := range tests {
		if d := cmp.Diff(want, Strip(in)); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

func TestStripLeavesNoControl(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, r := range Strip(rapid.String().Draw(t, "s")) {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f {
				t.Fatalf("control %q left", r)
			}
		}
	})
}

func TestFenceCannotBeClosedFromInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("`a\n"))).Draw(t, "s")
		lines := strings.Split(Fence(s), "\n")
		f := lines[len(lines)-1]
		for _, l := range lines[1 : len(lines)-1] {
			if strings.HasPrefix(l, f) {
				t.Fatalf("fence %q closed by %q", f, l)
			}
		}
	})
}

func TestLine(t *testing.T) {
	if got := Line("a\n b\x1b[1m  c", 10); got != "a b c" {
		t.Errorf("%q", got)
	}
	if got := Line(strings.Repeat("ä", 50), 10); got != strings.Repeat("ä", 9)+"…" {
		t.Errorf("%q", got)
	}
}
