package attest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func sample() Proof {
	return Proof{
		Key: strings.Repeat("ab", 32), Tree: strings.Repeat("cd", 20), Gate: "test", Command: "go test ./...", Platform: "linux/amd64",
		Tools: []string{"go version go1.26.8 linux/amd64"}, Where: "ci", FinishedAt: now.Add(-time.Hour), Took: 1500 * time.Millisecond,
		LogDigest: strings.Repeat("ef", 32), LogSize: 12,
	}
}

func newKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

func with(key ed25519.PrivateKey) func([]byte) ([]byte, string, error) {
	return func(m []byte) ([]byte, string, error) {
		return SignEd25519(key, m), FromEd25519(key.Public().(ed25519.PublicKey)).Fingerprint(), nil
	}
}

func allow(keys ...ed25519.PrivateKey) Signers {
	var out Signers
	for _, k := range keys {
		out = append(out, Signer{Principals: []string{"ci"}, Key: FromEd25519(k.Public().(ed25519.PublicKey))})
	}
	return out
}

func TestSignedProofComesBackWhole(t *testing.T) {
	key := newKey(1)
	env, err := Sign(sample(), with(key))
	if err != nil {
		t.Fatal(err)
	}
	got, signer, err := Verify(env, allow(newKey(2), key), now)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), got); diff != "" {
		t.Error(diff)
	}
	if signer.Name() != "ci" {
		t.Errorf("signer %q", signer.Name())
	}
}

func TestInvalidStatementsAreRejected(t *testing.T) {
	key := newKey(1)
	env, err := Sign(sample(), with(key))
	if err != nil {
		t.Fatal(err)
	}
	edit := func(change func(e *envelope)) []byte {
		var e envelope
		if err := json.Unmarshal(env, &e); err != nil {
			t.Fatal(err)
		}
		change(&e)
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	payload := func(from, to string) []byte {
		return edit(func(e *envelope) {
			b, _ := base64.StdEncoding.DecodeString(e.Payload)
			changed := bytes.Replace(b, []byte(from), []byte(to), 1)
			if bytes.Equal(b, changed) {
				t.Fatalf("%q is not in the payload", from)
			}
			e.Payload = base64.StdEncoding.EncodeToString(changed)
		})
	}
	resigned := func(change func(p *Proof)) []byte {
		p := sample()
		change(&p)
		b, err := Sign(p, with(key))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	expired := allow(key)
	expired[0].ValidBefore = now.Add(-time.Minute)
	later := allow(key)
	later[0].ValidAfter = now.Add(-time.Minute) // after the proof was made
	for _, tt := range []struct {
		name    string
		env     []byte
		signers Signers
	}{
		{"no signer is trusted", env, nil},
		{"another key is trusted", env, allow(newKey(2))},
		{"the key has expired", env, expired},
		{"the key is younger than the proof", env, later},
		{"another gate written into it", payload(`"passedTests":["test"]`, `"passedTests":["lint"]`), allow(key)},
		{"another key written into it", payload("abab", "abac"), allow(key)},
		{"a failure made a pass", payload("PASSED", "FAILED"), allow(key)},
		{"no signature", edit(func(e *envelope) { e.Signatures = nil }), allow(key)},
		{"signature is not base64", edit(func(e *envelope) { e.Signatures[0].Sig = "%" }), allow(key)},
		{"signature cut short", edit(func(e *envelope) { e.Signatures[0].Sig = e.Signatures[0].Sig[:40] }), allow(key)},
		{"another payload type", edit(func(e *envelope) { e.PayloadType = "text/plain" }), allow(key)},
		{"text after the envelope", append(bytes.Clone(env), "{}"...), allow(key)},
		{"no gate", resigned(func(p *Proof) { p.Gate = "" }), allow(key)},
		{"no key", resigned(func(p *Proof) { p.Key = "" }), allow(key)},
		{"empty", nil, allow(key)},
		{"an array", []byte("[]"), allow(key)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if p, s, err := Verify(tt.env, tt.signers, now); err == nil {
				t.Errorf("believed %+v by %s", p, s.Name())
			}
		})
	}
}

func TestSignatureOfAnotherNamespaceIsRefused(t *testing.T) {
	dir := t.TempDir()
	keygen(t, dir, "-t", "ed25519")
	blob := sshSign(t, dir, "git", []byte("message"))
	if _, err := VerifySSH(blob, []byte("message")); err == nil || !strings.Contains(err.Error(), `"git"`) {
		t.Errorf("got %v", err)
	}
}

// The real ssh-keygen signs, Gauntlet verifies.
func TestVerifiesWhatSSHKeygenSigned(t *testing.T) {
	for _, kind := range [][]string{{"-t", "ed25519"}, {"-t", "ecdsa", "-b", "256"}, {"-t", "ecdsa", "-b", "384"}, {"-t", "ecdsa", "-b", "521"}, {"-t", "rsa", "-b", "3072"}} {
		t.Run(strings.Join(kind, ""), func(t *testing.T) {
			dir := t.TempDir()
			keygen(t, dir, kind...)
			line, err := os.ReadFile(filepath.Join(dir, "key.pub"))
			if err != nil {
				t.Fatal(err)
			}
			message := []byte("a message")
			key, err := VerifySSH(sshSign(t, dir, Namespace, message), message)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(string(line))
			if got := key.Line(); got != words[0]+" "+words[1] {
				t.Errorf("key %s, want %s", got, words[:2])
			}
			if _, err := VerifySSH(sshSign(t, dir, Namespace, message), []byte("another")); !errors.Is(err, errSignature) {
				t.Errorf("another message: %v", err)
			}
		})
	}
}

// Gauntlet signs, the real ssh-keygen verifies.
func TestSSHKeygenVerifiesWhatWasSigned(t *testing.T) {
	needKeygen(t)
	dir := t.TempDir()
	key := newKey(3)
	pub := FromEd25519(key.Public().(ed25519.PublicKey))
	message := []byte("a message")
	sig := pem.EncodeToMemory(&pem.Block{Type: sigArmor, Bytes: SignEd25519(key, message)})
	write(t, dir, "sig", string(sig))
	write(t, dir, "allowed", "ci "+pub.Line()+"\n")
	cmd := exec.Command("ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "ci", "-n", Namespace, "-s", "sig")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(message)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), pub.Fingerprint()) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestAllowedSigners(t *testing.T) {
	line := FromEd25519(newKey(1).Public().(ed25519.PublicKey)).Line()
	for _, tt := range []struct {
		text string
		want int
		warn string
	}{
		{"ci " + line, 1, ""},
		{"# comment\n\n  ci,dev " + line + " a comment\n", 1, ""},
		{"ci namespaces=\"git,proof@*\" " + line, 1, ""},
		{"ci namespaces=\"git\" " + line, 0, ""},
		{"ci valid-after=\"20260101Z\",valid-before=\"20270101\" " + line, 1, ""},
		{"ci valid-before=\"soon\" " + line, 0, "signers:1: valid-before: "},
		{"ci cert-authority " + line, 0, "signers:1: certificate authorities"},
		{"ci colour=\"red\" " + line, 0, `unknown option "colour"`},
		{"ci ssh-ed25519 AAAA", 0, "signers:1: public key"},
		{"ci\tssh-ed25519", 0, "signers:1: want"},
		{"ok " + line + "\nbad\nalso " + line, 2, "signers:2: "},
	} {
		got, warnings := ParseSigners("signers", []byte(tt.text))
		if len(got) != tt.want {
			t.Errorf("%q: %d signers, want %d", tt.text, len(got), tt.want)
		}
		if text := strings.Join(warnings, "\n"); tt.warn == "" != (text == "") || !strings.Contains(text, tt.warn) {
			t.Errorf("%q: warnings %q, want %q", tt.text, text, tt.warn)
		}
	}
}

func TestValidityIsHalfOpen(t *testing.T) {
	list, warnings := ParseSigners("f", []byte("ci valid-after=\"20260101Z\",valid-before=\"202601021200Z\" "+FromEd25519(newKey(1).Public().(ed25519.PublicKey)).Line()))
	if len(list) != 1 {
		t.Fatal(warnings)
	}
	for at, want := range map[string]bool{
		"2025-12-31T23:59:59Z": false, "2026-01-01T00:00:00Z": true, "2026-01-02T11:59:59Z": true, "2026-01-02T12:00:00Z": false,
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := list[0].Valid(when); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}

func FuzzVerify(f *testing.F) {
	key := newKey(1)
	env, err := Sign(sample(), with(key))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(env)
	f.Add([]byte(`{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"sig":"U1NIU0lH"}]}`))
	trusted := allow(key)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, _, err := Verify(b, trusted, now)
		if err == nil && p.Key != sample().Key {
			t.Errorf("accepted an unsigned proof: %+v", p)
		}
	})
}

func FuzzParseSigners(f *testing.F) {
	f.Add("ci namespaces=\"a\" " + FromEd25519(newKey(1).Public().(ed25519.PublicKey)).Line())
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := ParseSigners("f", []byte(text))
		for _, s := range list {
			if s.Key.Type == "" || len(s.Key.Blob) == 0 {
				t.Errorf("a signer without a key from %q", text)
			}
		}
	})
}

func needKeygen(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("SKIPPED: ssh-keygen is not installed, so signatures of real SSH keys are not tested")
	}
}

func keygen(t *testing.T, dir string, kind ...string) {
	t.Helper()
	needKeygen(t)
	args := append([]string{"-q", "-N", "", "-C", "test", "-f", filepath.Join(dir, "key")}, kind...)
	if out, err := exec.Command("ssh-keygen", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func sshSign(t *testing.T, dir, namespace string, message []byte) []byte {
	t.Helper()
	cmd := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-f", filepath.Join(dir, "key"), "-n", namespace)
	cmd.Stdin = bytes.NewReader(message)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	blob, err := Unarmor(out)
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
