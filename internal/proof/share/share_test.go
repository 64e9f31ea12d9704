package share

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/proof"
	"gauntlet/internal/proof/attest"
	"gauntlet/internal/proof/remote"
	"gauntlet/internal/redact"
	"gauntlet/test/remotetest"
)

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// desk is one user's machine: a home with a key, and a project that shares proofs.
type desk struct {
	t    *testing.T
	opts Options
	line string // its own, for allowed_signers
}

func newDesk(t *testing.T, url string) *desk {
	t.Helper()
	home := t.TempDir()
	pub, made, err := MakeKey(t.Context(), KeyFile(home))
	if err != nil || !made {
		t.Fatalf("key: %v, made %v", err, made)
	}
	cfg := &config.Loaded{Root: "/project"}
	cfg.Settings.Remote = config.RemoteSettings{URL: url, Read: true, Write: true, Signers: "allowed_signers", Timeout: time.Minute}
	return &desk{t: t, line: pub.Line(), opts: Options{
		Config: cfg, StateHome: home, Getenv: func(string) string { return "" }, Now: func() time.Time { return now },
	}}
}

func (d *desk) remote() *config.RemoteSettings { return &d.opts.Config.Settings.Remote }

func (d *desk) outbox() Outbox { return NewOutbox(d.opts.Config.Root, d.opts.StateHome) }

func (d *desk) add(items ...Item) {
	d.t.Helper()
	for _, it := range items {
		if err := d.outbox().Add(it); err != nil {
			d.t.Fatal(err)
		}
	}
}

func (d *desk) publish() int {
	d.t.Helper()
	n, err := d.outbox().Publish(d.t.Context(), d.opts)
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

func (d *desk) open() *Cache {
	d.t.Helper()
	c, warnings, err := Open(d.opts)
	if err != nil || c == nil || len(warnings) > 0 {
		d.t.Fatalf("open: %v %q", err, warnings)
	}
	return c
}

// ask looks up gates called test under the keys.
func (d *desk) ask(keys ...string) Answer {
	d.t.Helper()
	q := d.open().Begin()
	for _, k := range keys {
		q.Ask(d.t.Context(), Ask{Key: k, Gate: "test"})
	}
	return q.Wait(d.t.Context())
}

// trusts adds a line of allowed_signers to the desk.
func (d *desk) trusts(lines ...string) *desk {
	d.opts.Config.Signers = []byte(strings.Join(lines, "\n") + "\n")
	return d
}

func keyOf(n int) string { return fmt.Sprintf("%064x", n+1) }

// pass is a pass that may be published.
func pass(n int) Item {
	zero := 0
	return Item{Name: "test", Tools: []string{"go1.26.8"}, Record: proof.Record{
		Key: keyOf(n), Gate: "check:.:test", Outcome: proof.Pass, Source: proof.Run, StartedBy: proof.ByCI, Where: "ci", At: now.Add(-2 * time.Hour), DurationMS: 1500,
		Command: "go test ./...", ExitCode: &zero,
	}}
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	ts := httptest.NewServer(h)
	t.Cleanup(ts.Close)
	return ts.URL
}

// sign stores a proof at the server that was not published the usual way.
func (d *desk) sign(server *remotetest.Server, under string, p attest.Proof) {
	d.t.Helper()
	key, err := readKey(KeyFile(d.opts.StateHome))
	if err != nil {
		d.t.Fatal(err)
	}
	envelope, err := attest.Sign(p, func(m []byte) ([]byte, string, error) {
		return attest.SignEd25519(key, m), public(key).Fingerprint(), nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.put(server, under, envelope)
}

func (d *desk) put(server *remotetest.Server, under string, envelope []byte) {
	d.t.Helper()
	s, err := remote.New(serve(d.t, server), nil, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := s.Publish(d.t.Context(), under, envelope, nil); err != nil {
		d.t.Fatal(err)
	}
}

func said(a Answer) string { return strings.Join(a.Warnings, "\n") }

func TestPassIsSharedBetweenDesks(t *testing.T) {
	fake := &remotetest.Server{}
	url := serve(t, fake)
	ci, dev := newDesk(t, url), newDesk(t, url)
	it := withLog(t, pass(0), "ok\npassword=hunter2hunter2\n")
	ci.add(it)
	if n := ci.publish(); n != 1 {
		t.Fatalf("published %d", n)
	}
	if n := ci.publish(); n != 0 {
		t.Errorf("published again: %d", n)
	}
	if a := dev.ask(keyOf(0)); len(a.Hits) != 0 || len(a.Warnings) != 0 {
		t.Errorf("a stranger's proof: %+v", a)
	}
	dev.trusts("ci " + ci.line)
	rec, hit := dev.ask(keyOf(0)).Hits[keyOf(0)]
	if !hit || rec.Source != proof.Remote || rec.Outcome != proof.Pass || !rec.At.Equal(it.Record.At) || rec.DurationMS != 1500 {
		t.Fatalf("%v %+v", hit, rec)
	}
	o := rec.Origin("/elsewhere")
	if o.Where != "ci" || !strings.HasPrefix(o.By, "key SHA256:") || strings.Join(o.With, " ") != proof.Platform()+" go1.26.8" {
		t.Errorf("origin %+v", o)
	}
	// The user's own proofs count without a line.
	if a := ci.ask(keyOf(0)); len(a.Hits) != 1 {
		t.Errorf("one's own: %+v", a)
	}
	for _, k := range fake.Keys("cas") {
		if b, _ := fake.Get("cas", k); strings.Contains(string(b), "hunter2") {
			t.Errorf("the log was not redacted: %s", b)
		}
	}
	if len(fake.Keys("cas")) != 1 || redact.String("password=hunter2hunter2") == "password=hunter2hunter2" {
		t.Errorf("logs at the server: %d", len(fake.Keys("cas")))
	}
}

func TestDisabledCacheIsNotQueried(t *testing.T) {
	for name, change := range map[string]func(*config.RemoteSettings){
		"no url": func(r *config.RemoteSettings) { r.URL = "" }, "read: false": func(r *config.RemoteSettings) { r.Read = false },
	} {
		d := newDesk(t, "http://127.0.0.1:1")
		change(d.remote())
		if c, warnings, err := Open(d.opts); c != nil || warnings != nil || err != nil {
			t.Errorf("%s: %v %v %v", name, c, warnings, err)
		}
	}
	d := newDesk(t, "http://127.0.0.1:1")
	d.remote().Write = false
	if _, err := d.outbox().Publish(t.Context(), d.opts); err == nil || !strings.Contains(err.Error(), "remote.write") {
		t.Errorf("write: false: %v", err)
	}
}

// A value under a key that is not a proof of this gate, on this platform, under this key,
// by an allowed signer, is a miss.
func TestOnlyTheRightProofCounts(t *testing.T) {
	right := attest.Proof{Key: keyOf(0), Gate: "test", Platform: proof.Platform(), Where: "ci", FinishedAt: now.Add(-time.Hour)}
	change := func(f func(*attest.Proof)) attest.Proof {
		p := right
		f(&p)
		return p
	}
	for name, c := range map[string]struct {
		proof   attest.Proof
		line    string // of allowed_signers, in front of the key
		hit     bool
		warning string
	}{
		"right":               {right, "ci ", true, ""},
		"another gate":        {change(func(p *attest.Proof) { p.Gate = "lint" }), "ci ", false, "it is about lint"},
		"another key":         {change(func(p *attest.Proof) { p.Key = keyOf(1) }), "ci ", false, "not believed"},
		"another platform":    {change(func(p *attest.Proof) { p.Platform = "plan9/mips" }), "ci ", false, "on plan9/mips"},
		"no line":             {right, "", false, ""},
		"another namespace":   {right, `ci namespaces="git" `, false, ""},
		"expired":             {right, `ci valid-before="20261115110000Z" `, false, "has expired, or was not valid yet"},
		"expired when it ran": {right, `ci valid-after="20261115113000Z" `, false, "has expired, or was not valid yet"},
		"not valid yet":       {right, `ci valid-after="20261115130000Z" `, false, "has expired, or was not valid yet"},
		"valid":               {right, `ci valid-after="20261101Z",valid-before="20261201Z" `, true, ""},
		// Clocks: the publisher's is two hours ahead, or a day behind.
		"from the future":               {change(func(p *attest.Proof) { p.FinishedAt = now.Add(2 * time.Hour) }), "ci ", true, ""},
		"from the future, then expired": {change(func(p *attest.Proof) { p.FinishedAt = now.Add(2 * time.Hour) }), `ci valid-before="20261115130000Z" `, false, "has expired"},
		"from the past":                 {change(func(p *attest.Proof) { p.FinishedAt = now.Add(-24 * time.Hour) }), "ci ", true, ""},
		"from the past, not yet valid":  {change(func(p *attest.Proof) { p.FinishedAt = now.Add(-24 * time.Hour) }), `ci valid-after="20261115Z" `, false, "was not valid yet"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := &remotetest.Server{}
			ci, dev := newDesk(t, "http://127.0.0.1:1"), newDesk(t, serve(t, fake))
			if c.line != "" {
				dev.trusts(c.line + ci.line)
			}
			ci.sign(fake, keyOf(0), c.proof)
			a := dev.ask(keyOf(0))
			rec, hit := a.Hits[keyOf(0)]
			if hit != c.hit || !strings.Contains(said(a), c.warning) || (c.warning == "") != (len(a.Warnings) == 0) {
				t.Errorf("hit %v, warnings %q", hit, a.Warnings)
			}
			if hit && rec.At.After(now) {
				t.Errorf("a proof of %s would outdate what fails here now", rec.At)
			}
		})
	}
}

func TestForgedEnvelopesAreMisses(t *testing.T) {
	fake := &remotetest.Server{}
	ci, dev := newDesk(t, serve(t, fake)), newDesk(t, serve(t, fake))
	dev.trusts("ci " + ci.line)
	ci.add(pass(0))
	ci.publish()
	if len(dev.ask(keyOf(0)).Hits) != 1 {
		t.Fatal("no hit before it is forged")
	}
	good, _ := fake.Get("ac", keyOf(0))
	for i := range good { // every byte, once
		forged := append([]byte(nil), good...)
		forged[i] ^= 0x01
		fake.Set("ac", keyOf(0), forged)
		if rec, hit := dev.ask(keyOf(0)).Hits[keyOf(0)]; hit && (rec.Key != keyOf(0) || rec.Signer == "" || rec.Outcome != proof.Pass) {
			t.Fatalf("byte %d: %+v", i, rec)
		}
	}
	for n := range len(good) { // cut anywhere
		fake.Set("ac", keyOf(0), good[:n])
		if len(dev.ask(keyOf(0)).Hits) != 0 {
			t.Fatalf("cut at %d of %d: believed", n, len(good))
		}
	}
}

// A proof that was accepted before no longer counts when the policy changes.
func TestStoredProofsAreCheckedAgain(t *testing.T) {
	fake := &remotetest.Server{}
	ci, dev := newDesk(t, serve(t, fake)), newDesk(t, serve(t, fake))
	dev.trusts("ci " + ci.line)
	ci.add(pass(0))
	ci.publish()
	rec := dev.ask(keyOf(0)).Hits[keyOf(0)]
	if !dev.open().Counts(rec) {
		t.Fatal("does not count although nothing changed")
	}
	for name, line := range map[string]string{"revoked": "", "expired": `ci valid-before="20261115110000Z" ` + ci.line} {
		if dev.trusts(line).open().Counts(rec) {
			t.Errorf("%s: counts", name)
		}
	}
	// Renewed: an old line beside a new one.
	if !dev.trusts(`ci valid-before="20261101Z" `+ci.line, "ci "+ci.line).open().Counts(rec) || len(dev.ask(keyOf(0)).Hits) != 1 {
		t.Error("renewed: does not count")
	}
	gets, _ := fake.Counts()
	dev.opts.Config.Denied = []string{keyOf(0)}
	if dev.open().Counts(rec) || len(dev.ask(keyOf(0)).Hits) != 0 {
		t.Error("denied: counts")
	}
	if again, _ := fake.Counts(); again != gets {
		t.Error("a denied key was looked up")
	}
	// The user's own key is subject to the policy that names it.
	own := newDesk(t, serve(t, fake))
	own.add(pass(1))
	own.publish()
	if len(own.trusts(`me valid-before="20261101Z" `+own.line).ask(keyOf(1)).Hits) != 0 {
		t.Error("one's own key counts although the policy says it has expired")
	}
}
