//go:build unix

package fleet

import (
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"gauntlet/test/remotetest"
)

// A proof from the server that is stored locally counts only as long as the policy accepts
// it: after a lost key, or when a proof is denied, the gate runs again.
func TestRevokedProofCountsNowhere(t *testing.T) {
	fake := &remotetest.Server{}
	ts := httptest.NewServer(fake)
	defer ts.Close()
	ci := newMachine(t, "ci", "remote: {url: "+ts.URL+", write: true}\n")
	line := ci.key()
	ci.write(ci.repo, ".gauntlet/checks/test.yml", "command: grep -q GOOD a.txt\ntools: [git --version]\n")
	ci.judge()
	ci.published()
	dev := newMachine(t, "dev", "remote: {url: "+ts.URL+"}\n")
	dev.write(dev.repo, ".gauntlet/checks/test.yml", "command: grep -q GOOD a.txt\ntools: [git --version]\n")
	dev.write(dev.repo, ".gauntlet/allowed_signers", line+"\n")
	got := dev.judge()
	if !got.Gates[0].Cached || !strings.Contains(got.Gates[0].Message, runtime.GOOS+"/"+runtime.GOARCH+", git 2.") {
		t.Fatalf("%+v", got)
	}
	if again := dev.judge(); !again.Gates[0].Cached {
		t.Fatalf("kept here: %+v", again)
	}
	gets, _ := fake.Counts()
	if gets != 2 { // ci's own look-up, and one of dev's
		t.Errorf("%d look-ups", gets)
	}

	// The key is lost: its line is removed.
	if out := dev.must(dev.bin, "proofs", "show", "test"); !strings.Contains(out, "passed") {
		t.Errorf("show: %s", out)
	}
	dev.write(dev.repo, ".gauntlet/allowed_signers", "")
	if out := dev.must(dev.bin, "proofs", "show", "test"); !strings.Contains(out, "not proved for this content") {
		t.Errorf("show, after the key was lost: %s", out)
	}
	if got := dev.judge(); got.Gates[0].Cached || got.Status != "passed" {
		t.Errorf("after the key was lost: %+v", got)
	}

	// One proof is denied, by a prefix of its key.
	dev.forget()
	dev.write(dev.repo, ".gauntlet/allowed_signers", line+"\n")
	if got := dev.judge(); !got.Gates[0].Cached {
		t.Fatalf("%+v", got)
	}
	key := fake.Keys("ac")[0]
	if out := dev.must(dev.bin, "proofs", "forget", "--remote", key[:12]); !strings.Contains(out, key) {
		t.Errorf("%s", out)
	}
	if got := dev.judge(); got.Gates[0].Cached || got.Status != "passed" {
		t.Errorf("denied: %+v", got)
	}
	// The machine's own run counts, although the key is denied for proofs of others.
	if got := dev.judge(); !got.Gates[0].Cached || got.Gates[0].Proof.Source != "run" {
		t.Errorf("its own run: %+v", got)
	}
}

// A failure on this content is not overruled by a proof from another machine.
func TestLocalFailureIsNotOverruledByRemotePass(t *testing.T) {
	fake := &remotetest.Server{}
	ts := httptest.NewServer(fake)
	defer ts.Close()
	const check = "command: test -e \"$MARK\"\nenv: {MARK: ../mark}\n" // differs by machine, not by content
	ci := newMachine(t, "ci", "remote: {url: "+ts.URL+", write: true}\n")
	line := ci.key()
	dev := newMachine(t, "dev", "remote: {url: "+ts.URL+"}\n")
	dev.write(dev.repo, ".gauntlet/allowed_signers", line+"\n")
	for _, m := range []*machine{ci, dev} {
		m.write(m.repo, ".gauntlet/checks/test.yml", check)
	}
	if got := dev.judge(); got.Status != "failed" {
		t.Fatalf("%+v", got)
	}
	ci.write(ci.repo, "../mark", "")
	if got := ci.judge(); got.Status != "passed" {
		t.Fatalf("%+v", got)
	}
	ci.published()
	if got := dev.judge(); got.Status != "failed" || got.Gates[0].Cached {
		t.Errorf("%+v", got)
	}
}
