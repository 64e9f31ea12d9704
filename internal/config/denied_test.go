package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDeniedProofs(t *testing.T) {
	key, other := strings.Repeat("0a", 32), strings.Repeat("0b", 32)
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, Dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("config.yml", "checkpoint: {}\nremote: {url: http://cache.example}\n")
	put("allowed_signers", "ci ssh-ed25519 AAAA\n")
	put(DeniedFile, "# lost key\n"+strings.ToUpper(key)+" because it was wrong # why\nnot-a-key\n\n"+key[:63]+"\n")
	load := func() *Loaded {
		t.Helper()
		l, err := Load(root, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := load()
	if !slices.Equal(l.Denied, []string{key}) || len(l.Signers) == 0 {
		t.Errorf("denied %q, signers %q", l.Denied, l.Signers)
	}
	if said := strings.Join(l.Warnings, "\n"); !strings.Contains(said, "denied_proofs:3: not the key of a proof") || !strings.Contains(said, "denied_proofs:5: ") {
		t.Errorf("warnings %q", l.Warnings)
	}
	if added, err := Deny(root, key); added || err != nil {
		t.Errorf("again: %v %v", added, err)
	}
	if added, err := Deny(root, other); !added || err != nil || !slices.Equal(load().Denied, []string{key, other}) {
		t.Errorf("%v %v", added, err)
	}
	// The deny list is unknown: the proofs of others do not count.
	put(DeniedFile, strings.Repeat("#", maxFile+1))
	if l := load(); l.Signers != nil || !strings.Contains(strings.Join(l.Warnings, "\n"), "remote proofs of others do not count") {
		t.Errorf("unreadable: signers %q, warnings %q", l.Signers, l.Warnings)
	}
}
