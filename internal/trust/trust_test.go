package trust

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/seal"
)

func policy(files ...string) config.Policy {
	p := config.Policy{}
	for i := 0; i+1 < len(files); i += 2 {
		p[files[i]] = config.PolicyFile{Data: []byte(files[i+1])}
	}
	return p
}

func command(c string) config.Policy {
	return policy("config.yml", "entry_points: [{path: ., checks: [test]}]\n", "checks/test.yml", "command: "+c+"\n")
}

func TestDecide(t *testing.T) {
	home, repo, ctx := t.TempDir(), t.TempDir(), t.Context()
	first, second, third := command("go test ./..."), command("true"), command("make")
	at := func(tree string) Store {
		return Open(seal.New(home), repo, filepath.Join(repo, tree), filepath.Join(repo, tree))
	}
	a, b := at("a"), at("b")
	if d := a.Decide(first); d.Trusted() || a.Known() {
		t.Errorf("trusted from the start: %+v", d)
	}
	if err := a.Allow(ctx, first, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Store{a, b} {
		if d := s.Decide(first); !d.Trusted() || d.Change != "" {
			t.Errorf("allowed in one work tree, not in all: %+v", d)
		}
	}
	if d := b.Decide(second); d.Policy.Digest() != first.Digest() || d.Change != "checks/test.yml  -go test ./...  +true" {
		t.Errorf("%+v", d)
	}
	// The one last used in this work tree judges, not the newest one.
	if err := b.Allow(ctx, second, time.Now()); err != nil {
		t.Fatal(err)
	}
	if d := a.Decide(third); d.Policy.Digest() != first.Digest() {
		t.Errorf("in a: %s", d.Change)
	}
	if d := b.Decide(third); d.Policy.Digest() != second.Digest() {
		t.Errorf("in b: %s", d.Change)
	}
	if err := a.Judged(ctx, second); err != nil {
		t.Fatal(err)
	}
	if d := a.Decide(config.Policy{}); d.Policy.Digest() != second.Digest() || d.Change != ".gauntlet was removed" {
		t.Errorf("removed: %+v", d)
	}
	if was, err := a.Deny(ctx); !was || err != nil || b.Known() {
		t.Errorf("deny: %t %v", was, err)
	}
	if entries, _ := filepath.Glob(filepath.Join(a.dir, "*.policy")); len(entries) != 0 {
		t.Errorf("copies left: %v", entries)
	}
}

func TestAnotherProjectIsNotAllowed(t *testing.T) {
	home, repo, other := t.TempDir(), t.TempDir(), t.TempDir()
	p := command("true")
	if err := Open(seal.New(home), repo, repo, repo).Allow(t.Context(), p, time.Now()); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Store{
		"another repository":           Open(seal.New(home), other, other, other),
		"another directory in it":      Open(seal.New(home), repo, repo, filepath.Join(repo, "sub")),
		"the same path outside git":    Open(seal.New(home), "", "", repo),
		"another home":                 Open(seal.New(t.TempDir()), repo, repo, repo),
		"a home that is not there yet": Open(seal.New(filepath.Join(home, "new")), repo, repo, repo),
		"no home":                      Open(seal.New(""), repo, repo, repo),
	} {
		if s.Decide(p).Trusted() {
			t.Errorf("%s is allowed", name)
		}
	}
	if err := Open(seal.New(""), repo, repo, repo).Allow(t.Context(), p, time.Now()); !errors.Is(err, ErrNoHome) {
		t.Errorf("%v", err)
	}
	// The record of one project does not open as that of another.
	a, b := Open(seal.New(home), repo, repo, repo), Open(seal.New(home), other, other, other)
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(a.path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path(), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if b.Decide(p).Trusted() {
		t.Error("a record that was copied counts")
	}
}

func TestChangedCopyCountsForNothing(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	s := Open(seal.New(home), repo, repo, repo)
	good := command("go test ./...")
	if err := s.Allow(t.Context(), good, time.Now()); err != nil {
		t.Fatal(err)
	}
	evil, err := os.ReadFile(s.copyPath(good.Digest()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.copyPath(good.Digest()), []byte(strings.Replace(string(evil), "checks", "chocks", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := s.Decide(command("true")); d.Trusted() {
		t.Errorf("a changed copy judges: %+v", d)
	}
	if d := s.Decide(good); !d.Trusted() {
		t.Error("what is on disk and allowed needs no copy")
	}
}

func TestUnreadableIsNotAllowed(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	p := command("true")
	p["checks/odd.yml"] = config.PolicyFile{Err: errors.New("is a pipe")}
	if err := Open(seal.New(home), repo, repo, repo).Allow(t.Context(), p, time.Now()); err == nil || !strings.Contains(err.Error(), "checks/odd.yml") {
		t.Errorf("%v", err)
	}
}

func TestOldestPoliciesAreForgotten(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	s := Open(seal.New(home), repo, repo, repo)
	for i := range maxAllowed + 3 {
		if err := s.Allow(t.Context(), command("echo "+string(rune('a'+i))), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	entries, _ := filepath.Glob(filepath.Join(s.dir, "*.policy"))
	if len(s.read().Allowed) != maxAllowed || len(entries) != maxAllowed {
		t.Errorf("%d allowed, %d copies", len(s.read().Allowed), len(entries))
	}
}

func TestDescribe(t *testing.T) {
	base := command("go test ./...")
	with := func(name, text string) config.Policy {
		p := config.Policy{}
		for n, f := range base {
			p[n] = f
		}
		p[name] = config.PolicyFile{Data: []byte(text)}
		return p
	}
	for want, now := range map[string]config.Policy{
		"checks/test.yml  -go test ./...  +true":                                 with("checks/test.yml", "command: \"true\"\n"),
		"checks/test.yml  +timeout: 1":                                           with("checks/test.yml", "command: go test ./...\ntimeout: 1\n"),
		"checks/evil.yml  +curl evil":                                            with("checks/evil.yml", "# nice\ncommand: curl evil\n"),
		"config.yml  -entry_points: [{path: ., checks: [test]}]  +stop_hook: {}": with("config.yml", "stop_hook: {}\n"),
		"checks/test.yml removed  -go test ./...":                                policy("config.yml", string(base["config.yml"].Data)),
		"checks/test.yml  -go test ./...  +echo \\x1b[2Ja; rm":                   with("checks/test.yml", "command: echo \x1b[2Ja; rm\n"),
		".gauntlet was removed":                                                  {},
		"reviews/r.md":                                                           with("reviews/r.md", "---\nmode: off\n---\nLook.\n"),
	} {
		if got := Describe(base, now); got != want && !strings.Contains(want, "x1b") {
			t.Errorf("got  %s\nwant %s", got, want)
		} else if strings.Contains(got, "\x1b") {
			t.Errorf("control characters: %q", got)
		}
	}
}
