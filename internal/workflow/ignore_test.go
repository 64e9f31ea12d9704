package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIgnoredOnce(t *testing.T) {
	for before, want := range map[string]string{
		"":                        ".claude/state/\n",
		"node_modules":            "node_modules\n.claude/state/\n",
		"a\r\nb\r\n":              "a\r\nb\r\n.claude/state/\r\n",
		"# .claude/state/\n":      "# .claude/state/\n.claude/state/\n",
		".claude/settings.json\n": ".claude/settings.json\n.claude/state/\n",
		"/.claude/state\n":        "/.claude/state\n",
		".claude/\n":              ".claude/\n",
		".claude/*\n":             ".claude/*\n",
		"**/.claude/state/**\n":   "**/.claude/state/**\n",
		"!.claude/state/\n":       "!.claude/state/\n",
		"*\n!keep\n":              "*\n!keep\n",
		".claude/state/  \r\nx\n": ".claude/state/  \r\nx\n",
		// For git, leading blanks are part of the name.
		"  .claude/state/\n": "  .claude/state/\n.claude/state/\n",
		// Re-including .claude does not include the state.
		".*\n!.claude\n":                  ".*\n!.claude\n.claude/state/\n",
		"/*\n!/.claude/\n":                "/*\n!/.claude/\n.claude/state/\n",
		".claude/\n!.claude/\n":           ".claude/\n!.claude/\n.claude/state/\n",
		".claude/*\n!.claude/commands/\n": ".claude/*\n!.claude/commands/\n",
	} {
		f := inRepo(t)
		path := filepath.Join(f.dir, ".gitignore")
		if before != "" {
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			f.update("ship", "gate", Update{Status: InProgress})
			if got, _ := os.ReadFile(path); string(got) != want {
				t.Errorf("%q became %q, want %q", before, got, want)
			}
		}
		// Git itself is the reference for the rules.
		if seen := gitRun(t, f.dir, "status", "--porcelain", "-uall", "--", ".claude"); (seen == "") == strings.Contains(before, "!.claude/state") {
			t.Errorf("%q: git status says %q", before, seen)
		}
		if st, _ := os.Stat(path); before != "" && st.Mode().Perm() != 0o600 {
			t.Errorf("%q: mode %v", before, st.Mode())
		}
	}
	f := inRepo(t)
	exclude := filepath.Join(f.dir, ".git", "info", "exclude")
	if err := os.MkdirAll(filepath.Dir(exclude), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(exclude, []byte("/.claude/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.update("ship", "gate", Update{Status: InProgress})
	if _, err := os.Stat(filepath.Join(f.dir, ".gitignore")); err == nil {
		t.Error("info/exclude has it already")
	}
	f = inRepo(t)
	f.put("../.gitignore", "state/\n")
	f.update("ship", "gate", Update{Status: InProgress})
	if _, err := os.Stat(filepath.Join(f.dir, ".gitignore")); err == nil {
		t.Error(".claude/.gitignore has it already")
	}
	f = inRepo(t)
	target := filepath.Join(t.TempDir(), "shared-ignore")
	if err := os.WriteFile(target, []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(f.dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	f.update("ship", "gate", Update{Status: InProgress})
	if got, _ := os.ReadFile(target); string(got) != "x\n" || !strings.Contains(f.said(), "not a regular file") {
		t.Error("a linked .gitignore was written or not mentioned")
	}
	f = outside(t)
	f.update("ship", "gate", Update{Status: InProgress})
	if _, err := os.Stat(filepath.Join(f.dir, ".gitignore")); err == nil {
		t.Error(".gitignore outside git")
	}
}
