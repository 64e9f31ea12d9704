//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/test/e2e/fakemodel"
)

// TestVersions prints which clients are driven, and refuses any but the pinned ones.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, c := range clients() {
		t.Run(c.agent, func(t *testing.T) {
			w := newWorld(t, c)
			command, err := c.command()
			if err != nil {
				t.Fatal(err)
			}
			installed, err := c.pkg.Installed()
			if err != nil {
				t.Fatal(err)
			}
			said := strings.TrimSpace(w.exec(w.repo, command, "--version"))
			fmt.Printf("e2e: driving %s %s (says %q)\n", c.pkg.Name, installed, said)
			if installed != c.pkg.Version || !strings.Contains(said, c.pkg.Version) {
				t.Errorf("want version %s, installed %s, it reports %q", c.pkg.Version, installed, said)
			}
		})
	}
}

// TestCanary drives each client with a shell script as its hook, without gauntlet: when
// this fails, the client or the fake model changed, not Gauntlet.
func TestCanary(t *testing.T) {
	t.Parallel()
	hooks := map[string]string{
		"claude":  `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":%q,"timeout":20}]}]}}`,
		"codex":   `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":%q,"timeout":20}]}]}}`,
		"gemini":  `{"hooks":{"AfterAgent":[{"hooks":[{"name":"canary","type":"command","command":%q,"timeout":20000}]}]}}`,
		"qwen":    `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":%q,"timeout":20000}]}]}}`,
		"droid":   `{"Stop":[{"hooks":[{"type":"command","command":%q,"timeout":20}]}]}`,
		"copilot": `{"version":1,"hooks":{"agentStop":[{"type":"command","bash":%q,"timeoutSec":20}]}}`,
	}
	eachClient(t, func(t *testing.T, w *world) {
		if hooks[w.c.agent] == "" {
			return // it has no hook of its own: Gauntlet's plugin is driven
		}
		script := filepath.Join(w.bin, "canary")
		w.write(w.bin, "canary", `cat > /dev/null
if [ -e "$HOME/sang" ]; then exit 0; fi
touch "$HOME/sang"
echo '{"decision":"block","reason":"the canary says: write the song"}'
`)
		w.write(w.repo, "calc.txt", "one\ntwo\n")
		w.write(w.repo, w.c.settings, fmt.Sprintf(hooks[w.c.agent], "sh "+script))
		w.commitAll("start")
		if w.c.agent == "codex" {
			plain := w.c.args
			w.c.args = func(p, url string) []string {
				return append([]string{"--dangerously-bypass-hook-trust"}, plain(p, url)...)
			}
		}
		got := w.turn("Change calc.txt.",
			fakemodel.ReadFile("calc.txt"),
			fakemodel.EditFile("calc.txt", "two\n", "three\n"),
			fakemodel.Say("Done."),
			fakemodel.Step{Text: "Writing it.", Calls: []fakemodel.Call{{Write: &fakemodel.File{Path: "song.txt", Content: "la\n"}}, {Shell: "cat calc.txt && exit 3"}}},
			fakemodel.Say("There it is."),
		)
		wantUser(t, got, 3, "the canary says: write the song")
		if w.read(w.repo, "calc.txt") != "one\nthree\n" || w.read(w.repo, "song.txt") != "la\n" {
			t.Error("the client did not carry out the scripted edits:\n" + got.String())
		}
		if w.c.again == nil {
			return // `droid exec -s` does not work without the vendor's service
		}
		if later := w.goOn("And now?", fakemodel.Say("Fine.")); !strings.Contains(string(later.requests[0].Raw), "Change calc.txt.") {
			t.Error("the session does not go on:\n" + later.String())
		}
	})
}

// wantUser asserts that request i contained all texts for the model, in the user's (or the
// system's) voice, and that the request before it did not.
func wantUser(t *testing.T, got turn, i int, texts ...string) {
	t.Helper()
	if i >= len(got.requests) || i < 1 {
		t.Fatalf("no request %d, only %d", i+1, len(got.requests))
	}
	var said strings.Builder
	for _, m := range got.requests[i].Since(got.requests[i-1]) {
		if m.Role == "user" {
			said.WriteString(m.Text + "\n")
		}
	}
	for _, text := range texts {
		if !strings.Contains(said.String(), text) {
			t.Errorf("request %d does not contain %q for the model; it contains:\n%s", i+1, text, said.String())
		}
	}
}
