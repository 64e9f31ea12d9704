package trust

import (
	"errors"
	"fmt"
	"maps"
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

func load(p config.Policy) (*config.Loaded, error) {
	return config.LoadPolicy("/project", p, func(string) string { return "" })
}

func TestDecide(t *testing.T) {
	home, repo, ctx := t.TempDir(), t.TempDir(), t.Context()
	first, second, third := command("go test ./..."), command("true"), command("make")
	at := func(tree string) Store {
		return Open(seal.New(home), repo, filepath.Join(repo, tree), filepath.Join(repo, tree))
	}
	a, b := at("a"), at("b")
	if d := a.Decide(first, load); d.Trusted() || a.Known() {
		t.Errorf("trusted from the start: %+v", d)
	}
	if err := a.Allow(ctx, first, Act{At: time.Now(), By: Terminal}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Store{a, b} {
		if d := s.Decide(first, load); !d.Trusted() || d.Change != "" {
			t.Errorf("allowed in one work tree, not in all: %+v", d)
		}
	}
	if d := b.Decide(second, load); d.Policy.Digest() != first.Digest() || d.Change != "checks/test.yml  -go test ./...  +true" {
		t.Errorf("%+v", d)
	}
	// One policy is current for all work trees: the one allowed last.
	if err := b.Allow(ctx, second, Act{At: time.Now(), By: Terminal}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Store{a, b} {
		if d := s.Decide(third, load); d.Policy.Digest() != second.Digest() {
			t.Errorf("%s", d.Change)
		}
		if d := s.Decide(first, load); d.Policy.Digest() != second.Digest() || d.Change == "" {
			t.Errorf("an edit back to an earlier policy counts by itself: %+v", d)
		}
	}
	if err := a.Allow(ctx, first, Act{At: time.Now(), By: Terminal}); err != nil {
		t.Fatal(err)
	}
	if d := b.Decide(config.Policy{}, load); d.Policy.Digest() != first.Digest() || d.Change != ".gauntlet was removed" {
		t.Errorf("removed: %+v", d)
	}
	if d := b.Decide(second, load); d.Policy.Digest() != first.Digest() {
		t.Errorf("the earlier policy that was allowed again is not the current one: %+v", d)
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
	if err := Open(seal.New(home), repo, repo, repo).Allow(t.Context(), p, Act{At: time.Now(), By: Terminal}); err != nil {
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
		if s.Decide(p, load).Trusted() {
			t.Errorf("%s is allowed", name)
		}
	}
	if err := Open(seal.New(""), repo, repo, repo).Allow(t.Context(), p, Act{At: time.Now(), By: Terminal}); !errors.Is(err, ErrNoHome) {
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
	if b.Decide(p, load).Trusted() {
		t.Error("a record that was copied counts")
	}
}

func TestChangedCopyCountsForNothing(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	s := Open(seal.New(home), repo, repo, repo)
	good := command("go test ./...")
	if err := s.Allow(t.Context(), good, Act{At: time.Now(), By: Terminal}); err != nil {
		t.Fatal(err)
	}
	evil, err := os.ReadFile(s.copyPath(good.Digest()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.copyPath(good.Digest()), []byte(strings.Replace(string(evil), "checks", "chocks", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := s.Decide(command("true"), load); d.Trusted() {
		t.Errorf("a changed copy judges: %+v", d)
	}
	if d := s.Decide(good, load); !d.Trusted() {
		t.Error("what is on disk and allowed needs no copy")
	}
}

func TestUnreadableIsNotAllowed(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	p := command("true")
	p["checks/odd.yml"] = config.PolicyFile{Err: errors.New("is a pipe")}
	if err := Open(seal.New(home), repo, repo, repo).Allow(t.Context(), p, Act{At: time.Now(), By: Terminal}); err == nil || !strings.Contains(err.Error(), "checks/odd.yml") {
		t.Errorf("%v", err)
	}
}

func TestOldestPoliciesAreForgotten(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	s := Open(seal.New(home), repo, repo, repo)
	for i := range maxAllowed + 3 {
		if err := s.Allow(t.Context(), command("echo "+string(rune('a'+i))), Act{At: time.Now(), By: Terminal}); err != nil {
			t.Fatal(err)
		}
	}
	entries, _ := filepath.Glob(filepath.Join(s.dir, "*.policy"))
	if len(s.read().Allowed) != maxAllowed || len(entries) != maxAllowed {
		t.Errorf("%d allowed, %d copies", len(s.read().Allowed), len(entries))
	}
}

func TestMeaningIsComparedNotText(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	s := Open(seal.New(home), repo, repo, repo)
	base := policy(
		"config.yml", "max_retries: 2\nstop_hook:\n  enabled: true\n  mode: enforce\nentry_points:\n  - path: .\n    checks: [test]\n    reviews: [r]\n",
		"checks/test.yml", "command: go test ./...\nenv: {A: x, B: y}\n", "reviews/r.md", "---\nnum_reviews: 2\ncli_preference: [claude]\n---\nLook.\n", "fix/a.md", "Do.\n")
	if err := s.Allow(t.Context(), base, Act{At: time.Now(), By: Terminal}); err != nil {
		t.Fatal(err)
	}
	with := func(name, text string) config.Policy {
		p := maps.Clone(base)
		p[name] = config.PolicyFile{Data: []byte(text)}
		return p
	}
	for name, now := range map[string]config.Policy{
		"comment, order, white space": with("config.yml", "# c\nentry_points:\n    - checks:\n        - test\n      path: .   # here\n      reviews: [ r ]\n\n\nstop_hook: {mode: enforce, enabled: true}\nmax_retries: 2\n"),
		"quotes and line ends":        with("checks/test.yml", "env:\r\n  \"B\": 'y'\r\n  A: \"x\"\r\n'command': \"go test ./...\"\r\n"),
		"anchors":                     with("checks/test.yml", "command: &c go test ./...\nenv: {B: &y y, A: x}\nretries: &n 0\n"),
		"a default written out":       with("checks/test.yml", "command: go test ./...\nenv: {A: x, B: y}\nparallel: false\n"),
		"white space of a review":     with("reviews/r.md", "---\n# two\ncli_preference: [ claude ]\nnum_reviews: 2\n---\n\nLook.\n\n"),
	} {
		if d := s.Decide(now, load); d.Change != "" || d.Policy.Digest() != now.Digest() {
			t.Errorf("%s: %q", name, d.Change)
		}
	}
	for name, now := range map[string]config.Policy{
		"an empty list is not none":  with("config.yml", "max_retries: 2\nstop_hook:\n  enabled: true\n  mode: enforce\nautonomy: {protected: []}\nentry_points:\n  - path: .\n    checks: [test]\n    reviews: [r]\n"),
		"order of a list":            with("config.yml", "max_retries: 2\ncli: {default_preference: [codex, claude]}\nentry_points:\n  - path: .\n    checks: [test]\n    reviews: [r]\n"),
		"a file that a check names":  with("fix/a.md", "Do not.\n"),
		"a file that nobody names":   with("notes.txt", "x\n"),
		"white space in a command":   with("checks/test.yml", "command: go  test ./...\nenv: {A: x, B: y}\n"),
		"one variable more":          with("checks/test.yml", "command: go test ./...\nenv: {A: x, B: y, C: z}\n"),
		"an unused check":            with("checks/other.yml", "command: x\n"),
		"an invalid file":            with("checks/test.yml", "comand: go test ./...\n"),
		"a list that reads the same": with("config.yml", "max_retries: 2\nstop_hook:\n  enabled: true\n  mode: enforce\nentry_points:\n  - path: .\n    checks: [test]\n    reviews: [r]\n    exclude: ['a, b']\n"),
	} {
		if d := s.Decide(now, load); d.Change == "" || d.Policy.Digest() != base.Digest() {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// A store of the version that kept a set of allowed policies and which of them judged last
// in each work tree.
func TestStoreOfAnEarlierVersion(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	s := Open(seal.New(home), repo, repo, repo)
	good, harmless := command("go test ./..."), command("true")
	for _, p := range []config.Policy{good, harmless} {
		if err := s.Allow(t.Context(), p, Act{At: time.Now(), By: Terminal}); err != nil {
			t.Fatal(err)
		}
	}
	used := func(digest string) {
		t.Helper()
		if err := s.change(t.Context(), func(r *record) error {
			r.Used = map[string]string{s.tree: digest}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	used(good.Digest())
	if d := s.Decide(good, load); d.Change != "" || !d.Trusted() {
		t.Errorf("%+v", d)
	}
	if d := s.Decide(command("make"), load); d.Policy.Digest() != good.Digest() {
		t.Errorf("the policy that judged last does not judge: %+v", d)
	}
	used("sha256:gone")
	if d := s.Decide(harmless, load); d.Change != "" || !d.Trusted() {
		t.Errorf("%+v", d)
	}
	used(good.Digest())
	if err := s.Allow(t.Context(), harmless, Act{At: time.Now(), By: Terminal}); err != nil {
		t.Fatal(err)
	}
	if d := s.Decide(good, load); d.Policy.Digest() != harmless.Digest() {
		t.Errorf("%+v", d)
	}
}

// Gates of older versions are written in config.yml, several in one file.
func TestCompareGatesInOneFile(t *testing.T) {
	gates := func(a, b string) config.Policy {
		return policy("config.yml", "checks:\n  a: {command: "+a+"}\n  b: {command: "+b+"}\nentry_points: [{path: ., checks: [a, b]}]\n")
	}
	old, commented := gates("one", "two"), gates("one", "two")
	commented["config.yml"] = config.PolicyFile{Data: append([]byte("# really\n"), commented["config.yml"].Data...)}
	if c := Compare(old, commented, load); !c.Same() {
		t.Errorf("a comment: %s", c.Line())
	}
	for want, now := range map[string]config.Policy{
		"config.yml  -checks[a].command: one  +checks[a].command: EVIL": gates("EVIL", "two"),
		"config.yml  -checks[b].command: two  +checks[b].command: EVIL": gates("one", "EVIL"),
	} {
		if got := Compare(old, now, load).Line(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	base := command("go test ./...")
	with := func(name, text string) config.Policy {
		p := maps.Clone(base)
		p[name] = config.PolicyFile{Data: []byte(text)}
		return p
	}
	for want, now := range map[string]config.Policy{
		"checks/test.yml  -go test ./...  +true":      with("checks/test.yml", "command: \"true\"\n"),
		"checks/test.yml  -timeout: 300  +timeout: 1": with("checks/test.yml", "command: go test ./...\ntimeout: 1\n"),
		"checks/evil.yml  +curl evil":                 with("checks/evil.yml", "# nice\ncommand: curl evil\n"),
		"config.yml  -stop_hook.enabled: true  +stop_hook.enabled: false; config.yml  +entry_points[.].exclude: src/**": with("config.yml",
			"# preset: strict\nstop_hook: {enabled: false}\nentry_points: [{path: ., checks: [test], exclude: [src/**]}]\n"),
		"checks/test.yml is invalid (.gauntlet/checks/test.yml:1:1: comand: unknown key (did you mean \"command\"?))": with("checks/test.yml", "comand: x\n"),
		"checks/test.yml  -go test ./...  +echo \\x1b[2Ja; rm":                                                        with("checks/test.yml", "command: echo \x1b[2Ja; rm\n"),
		".gauntlet was removed":                      {},
		"reviews/r.md  +prompt: Look at everything.": with("reviews/r.md", "---\nmode: off\n---\nLook at everything.\n"),
	} {
		got := Compare(base, now, load).Line()
		if got != want && !strings.Contains(want, "x1b") {
			t.Errorf("got  %s\nwant %s", got, want)
		} else if strings.Contains(got, "\x1b") {
			t.Errorf("control characters: %q", got)
		}
	}
	many := Compare(base, with("config.yml", "max_retries: 9\nmax_parallel: 2\nstop_hook: {preset: strict, mode: warn, max_blocks: 1}\nentry_points: [{path: ., checks: [test]}]\n"), load)
	if !strings.HasPrefix(many.Line(), "config.yml  -stop_hook.mode: enforce  +stop_hook.mode: warn; ") || !strings.HasSuffix(many.Line(), fmt.Sprintf("; and %d more settings", len(many.Settings)-maxItems)) || len(many.Settings) < 10 {
		t.Errorf("%d: %s", len(many.Settings), many.Line())
	}
}

// What was agreed to since the last verdict of a work tree is known until a verdict saw it.
func TestConsentSinceTheLastVerdict(t *testing.T) {
	home, repo, ctx := t.TempDir(), t.TempDir(), t.Context()
	at := func(tree string) Store {
		return Open(seal.New(home), repo, filepath.Join(repo, tree), filepath.Join(repo, tree))
	}
	a, b := at("a"), at("b")
	start := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	policy := func(text string) config.Policy {
		return config.Policy{"config.yml": config.PolicyFile{Data: []byte(text)}}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(a.Allow(ctx, policy("a: 1"), Act{What: "allow", At: start, By: Terminal}))
	if _, acts, ok := a.Seen(); ok || len(acts) != 0 {
		t.Errorf("before the first verdict a person's own act is no news: %v", acts)
	}
	must(a.Note(ctx, Act{What: "trust", At: start.Add(1), By: Unseen, Caller: "sh (pid 1)"}))
	_, acts, _ := a.Seen()
	if len(acts) != 1 || acts[0].Describe(start) != "trust at "+start.Local().Format("15:04")+" by a process with no terminal, sh (pid 1)" {
		t.Errorf("%v", acts)
	}
	first := policy("a: 1").Digest()
	must(a.Judged(ctx, Consent{At: start.Add(2), Policy: first, Hooks: map[string]string{"claude": "x"}}))
	must(a.Judged(ctx, Consent{At: start.Add(2), Policy: first, Hooks: map[string]string{"codex": "y"}}))
	last, acts, ok := a.Seen()
	if !ok || len(acts) != 0 || last.Hooks["claude"] != "x" || last.Hooks["codex"] != "y" {
		t.Errorf("%+v %v %t", last, acts, ok)
	}
	if _, acts, ok := b.Seen(); ok || len(acts) != 1 {
		t.Errorf("the other work tree has seen it: %v", acts)
	}
	// What Gauntlet itself wrote is no news, what a person allows is.
	must(a.Allow(ctx, policy("a: 2"), Act{What: "lower baseline", At: start.Add(3), By: Gauntlet}))
	if last, acts, _ := a.Seen(); last.Policy != policy("a: 2").Digest() || len(acts) != 0 {
		t.Errorf("%+v %v", last, acts)
	}
	must(a.Allow(ctx, policy("a: 3"), Act{What: "allow", At: start.Add(4), By: Page}))
	if last, acts, _ := a.Seen(); last.Policy == policy("a: 3").Digest() || len(acts) != 1 || acts[0].By != Page {
		t.Errorf("%+v %v", last, acts)
	}
	// Nothing is forgotten by deny.
	if _, err := a.Deny(ctx); err != nil || a.Known() {
		t.Error(err)
	}
	if _, acts, ok := a.Seen(); !ok || len(acts) != 1 {
		t.Errorf("%v %t", acts, ok)
	}
	if Meaning("a: 1 # one\n\n# trust: all\n  b: 2  \n") != Meaning("a: 1\n  b: 2") || Meaning("a: 1") == Meaning("a: 2") {
		t.Error("a comment is a setting")
	}
}
