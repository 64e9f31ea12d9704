//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/test/e2e/fakemodel"
)

// TestNewcomer: after `gauntlet init --yes` in an existing project, the next bad stop of
// the agent in use is blocked by the project's own tests.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *testing.T, w *world) {
		w.write(w.repo, "package.json", "{\n  \"name\": \"sum\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\"test\": \"node --test\"}\n}\n")
		w.write(w.repo, "package-lock.json", "{\n  \"name\": \"sum\",\n  \"version\": \"1.0.0\",\n  \"lockfileVersion\": 3,\n  \"packages\": {\"\": {\"name\": \"sum\", \"version\": \"1.0.0\"}}\n}\n")
		w.write(w.repo, "sum.js", "module.exports = (a, b) => a + b;\n")
		w.write(w.repo, "sum.test.js", "const test = require('node:test');\nconst assert = require('node:assert');\nconst sum = require('./sum');\n"+
			"test('adds two numbers', () => assert.strictEqual(sum(2, 3), 5));\n")
		w.commitAll("a project")
		command, err := w.c.command()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(command, filepath.Join(w.bin, w.c.bin)); err != nil {
			t.Fatal(err)
		}
		w.clientHome()
		if said := w.exec(w.repo, "gauntlet", "init", "--yes"); !strings.Contains(w.read(w.repo, w.c.settings), "stop-hook") {
			t.Fatalf("init installed no hook for %s:\n%s", w.c.agent, said)
		}
		w.exec(w.repo, "gauntlet", "validate")
		w.exec(w.repo, "gauntlet", "run")
		w.commitAll("gauntlet")
		if w.c.agent == "codex" { // a person trusts the hooks in its own dialogue
			plain := w.c.args
			w.c.args = func(p, url string) []string {
				return append([]string{"--dangerously-bypass-hook-trust"}, plain(p, url)...)
			}
		}
		got := w.turn("Make it quicker.",
			fakemodel.ReadFile("sum.js"),
			fakemodel.EditFile("sum.js", "module.exports = (a, b) => a + b;\n", "module.exports = (a, b) => a - b;\n"), done,
			fakemodel.EditFile("sum.js", "module.exports = (a, b) => a - b;\n", "module.exports = (a, b) => a + b;\n"), fakemodel.Say("Right again."))
		wantUser(t, got, 3, "adds two numbers", "gauntlet ask")
		wantHooks(t, w, got, 2)
		if s := w.exec(w.repo, "git", "status", "--porcelain"); s != "" {
			t.Errorf("something is left behind:\n%s", s)
		}
	})
}
