package proof

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/git"
)

func key(c string) string { return digest(c) }

func TestKeyParts(t *testing.T) {
	base := Subject{Gate: "g", Dir: ".", Command: "c", Env: map[string]string{"A": "1"}, Settings: []string{"s"}, Tools: map[string]string{"t": "1"}, Base: "b", Files: []git.File{{Path: "f", Mode: 1, ID: "i"}}, Others: map[string]string{"o": "1"}}
	k := base.Key()
	for name, change := range map[string]func(*Subject){
		PartCommand:  func(s *Subject) { s.Command = "d" },
		PartEnv:      func(s *Subject) { s.Env = map[string]string{"A1": ""} },
		PartSettings: func(s *Subject) { s.Settings = nil },
		PartTools:    func(s *Subject) { s.Tools = map[string]string{"t": "2"} },
		PartBase:     func(s *Subject) { s.Base = "" },
		PartFiles:    func(s *Subject) { s.Files = []git.File{{Path: "f", Mode: 2, ID: "i"}} },
		PartOthers:   func(s *Subject) { s.Others = nil },
	} {
		s := base
		change(&s)
		other := s.Key()
		if other.ID == k.ID {
			t.Errorf("%s does not count", name)
		}
		if d := other.Differs(k.Parts); len(d) != 1 || d[0] != name {
			t.Errorf("%s: differs in %v", name, d)
		}
	}
	for name, change := range map[string]func(*Subject){
		"epoch": func(s *Subject) { s.Epoch = 1 }, "gate": func(s *Subject) { s.Gate = "h" }, "directory": func(s *Subject) { s.Dir = "d" },
	} {
		s := base
		if change(&s); s.Key().ID == k.ID {
			t.Errorf("%s does not count", name)
		}
	}
}

func TestLedger(t *testing.T) {
	dir, home := filepath.Join(t.TempDir(), "proofs"), t.TempDir()
	l := Open(dir, home)
	now := time.Now().UTC()
	put := func(r Record) {
		t.Helper()
		if err := l.Put(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if e := l.Get(key("a")); e.Newest() != nil {
		t.Error("something in an empty ledger")
	}
	put(Record{Key: key("a"), Gate: "check:.:t", Outcome: Pass, Source: Run, Where: "/w", At: now})
	put(Record{Key: key("a"), Gate: "check:.:t", Outcome: Fail, Source: Run, At: now.Add(time.Second)})
	e := Open(dir, home).Get(key("a"))
	if e.Pass == nil || e.Fail == nil || e.Newest().Outcome != Fail {
		t.Errorf("%+v", e)
	}
	// An agent's claim does not replace a run; a run replaces an agent's claim.
	put(Record{Key: key("b"), Gate: "g", Outcome: Pass, Source: Agent, At: now})
	put(Record{Key: key("b"), Gate: "g", Outcome: Pass, Source: Run, At: now.Add(1)})
	put(Record{Key: key("b"), Gate: "g", Outcome: Pass, Source: Agent, At: now.Add(2)})
	put(Record{Key: key("b"), Gate: "g", Outcome: Fail, Source: Run, StartedBy: ByAgent, At: now.Add(3)})
	if e := l.Get(key("b")); e.Newest().Source != Run || e.Failed() || e.Claimed() != nil || e.Claim.Outcome != Fail {
		t.Errorf("%+v", e)
	}
	if o := l.Get(key("a")).Pass.Origin("/w"); o.Source != Run {
		t.Errorf("%+v", o)
	}
	if o := l.Get(key("a")).Pass.Origin("/x"); o.Source != Worktree || o.Where != "/w" || o.By == "" {
		t.Errorf("%+v", o)
	}
	if n := len(l.List()); n != 4 {
		t.Errorf("%d records", n)
	}
	if n, err := l.Forget(func(r Record) bool { return r.Gate == "g" }); n != 1 || err != nil {
		t.Error(n, err)
	}
	if l.Get(key("b")).Newest() != nil || l.Get(key("a")).Newest() == nil {
		t.Error("the wrong one was forgotten")
	}
	for _, bad := range []string{"", "../../x", strings.Repeat("g", 64), strings.ToUpper(key("a"))} {
		if l.Put(t.Context(), Record{Key: bad, Outcome: Pass}) == nil || l.Get(bad).Newest() != nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}

// A torn, forged, moved or foreign record is a miss, never an error.
func TestForgedProofsAreMissing(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	l := Open(dir, home)
	fresh := func() (string, []byte) {
		if err := l.Put(t.Context(), Record{Key: key("a"), Gate: "g", Outcome: Fail, Source: Run, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, key("a"))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return name, b
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name, b := fresh()
	write(name, []byte(strings.ReplaceAll(string(b), `"fail"`, `"pass"`)))
	if l.Get(key("a")).Newest() != nil {
		t.Error("forged")
	}
	_, b = fresh()
	write(name, b[:len(b)/2])
	if l.Get(key("a")).Newest() != nil {
		t.Error("torn")
	}
	write(filepath.Join(dir, key("b")), b)
	if l.Get(key("b")).Newest() != nil {
		t.Error("under another name")
	}
	write(name, b)
	if Open(dir, t.TempDir()).Get(key("a")).Newest() != nil {
		t.Error("of another user")
	}
	if l.Get(key("a")).Newest() == nil {
		t.Error("the true one")
	}
	if n, err := l.Forget(func(Record) bool { return true }); err != nil || n != 1 || len(l.names()) != 0 {
		t.Error(n, err, l.names())
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir, t.TempDir())
	now := time.Now()
	if err := l.Put(t.Context(), Record{Key: key("old"), Outcome: Pass, At: now}); err != nil {
		t.Fatal(err)
	}
	past := now.Add(-31 * 24 * time.Hour)
	for _, n := range []string{key("old"), ".swept"} {
		if err := os.Chtimes(filepath.Join(dir, n), past, past); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Put(t.Context(), Record{Key: key("new"), Outcome: Pass, At: now}); err != nil {
		t.Fatal(err)
	}
	if got := l.names(); len(got) != 1 || got[0] != key("new") {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.txt")); err != nil {
		t.Error(err)
	}
}

func TestDoubt(t *testing.T) {
	l := Open(t.TempDir(), t.TempDir())
	if _, doubted := l.Doubted("g"); doubted {
		t.Error("doubted without a reason")
	}
	if err := l.Doubt(Doubt{Gate: "g", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if _, doubted := l.Doubted("g"); !doubted {
		t.Error("not doubted")
	}
	if _, doubted := l.Doubted("h"); doubted {
		t.Error("another gate")
	}
	if was, err := l.Trust("g"); !was || err != nil {
		t.Error(was, err)
	}
	if _, doubted := l.Doubted("g"); doubted {
		t.Error("still doubted")
	}
}

// A tool runs once for as long as its file is the same.
func TestTools(t *testing.T) {
	bin, l := t.TempDir(), Open(t.TempDir(), t.TempDir())
	script := func(version string) {
		if err := os.WriteFile(filepath.Join(bin, "tool"), []byte("#!/bin/sh\necho x >> "+bin+"/asked; echo "+version+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asked := func() int {
		b, _ := os.ReadFile(filepath.Join(bin, "asked"))
		return len(b) / 2
	}
	ask := ToolAsk{Dir: bin, Environ: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}}
	version := func() string { return l.Tools(t.Context(), []string{"tool --version"}, ask)["tool --version"] }
	script("1")
	first := version()
	if again := version(); again != first || asked() != 1 {
		t.Errorf("%q then %q, asked %d times", first, again, asked())
	}
	script("22")
	if version() == first || asked() != 2 {
		t.Error("another version is not seen")
	}
	ask.Versions = "other"
	if version(); asked() != 3 {
		t.Error("a file that chooses the version changed")
	}
	if err := os.Remove(filepath.Join(bin, "tool")); err != nil {
		t.Fatal(err)
	}
	if gone := version(); gone == first || gone != version() {
		t.Error("a missing tool")
	}
}

func TestAgainIsOneInTwenty(t *testing.T) {
	n := 0
	for i := range 20000 {
		if Again(digest(string(rune(i)))) {
			n++
		}
	}
	if n < 800 || n > 1200 {
		t.Errorf("%d of 20000", n)
	}
	if !Again("") {
		t.Error("what has no key is run")
	}
}

// A link in the git directory leads nothing out of it.
func TestDirIsNotALink(t *testing.T) {
	for _, link := range []string{"gauntlet", "gauntlet/proofs"} {
		common, elsewhere := t.TempDir(), t.TempDir()
		if want := filepath.Join(common, "gauntlet", "proofs"); Dir("", common, "/project", "/home") != want {
			t.Errorf("no link: %s", Dir("", common, "/project", "/home"))
		}
		path := filepath.Join(common, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, path); err != nil {
			t.Fatal(err)
		}
		if dir := Dir("", common, "/project", "/home"); dir != "" {
			t.Errorf("%s is a link: %s", link, dir)
		}
		if dir := Dir(elsewhere, common, "/project", "/home"); dir != elsewhere {
			t.Errorf("configured: %s", dir)
		}
	}
}
