//go:build unix

package remote

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"gauntlet/test/fleettest"
)

// Rules for every server of the protocol, tested with the real nginx and with the server
// that BAZEL_REMOTE names.
func TestConformance(t *testing.T) {
	t.Run("nginx", func(t *testing.T) {
		address, _ := fleettest.StartNginx(t)
		conformance(t, address)
	})
	if address := os.Getenv("BAZEL_REMOTE"); address != "" {
		t.Run("given", func(t *testing.T) { conformance(t, address) })
	}
}

func conformance(t *testing.T, address string) {
	s, err := New(address, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	key := randomKey(t)
	if _, err := s.Lookup(t.Context(), key); !errors.Is(err, ErrMiss) {
		t.Errorf("an unknown key: %v", err)
	}
	log := []byte("log of " + key)
	for round := range 2 { // the last writer wins
		envelope := fmt.Appendf(nil, `{"round":%d}`, round)
		if err := s.Publish(t.Context(), key, envelope, log); err != nil {
			t.Fatal(err)
		}
		got, err := s.Lookup(t.Context(), key)
		if err != nil || !bytes.Equal(got, envelope) {
			t.Errorf("round %d: %q, %v", round, got, err)
		}
	}
	if got, err := s.get(t.Context(), "cas", Sum(log).SHA256, int64(len(log))); err != nil || !bytes.Equal(got, log) {
		t.Errorf("log: %q, %v", got, err)
	}
	var wg sync.WaitGroup
	for i := range 50 {
		key, envelope := randomKey(t), fmt.Appendf(nil, `{"n":%d}`, i)
		wg.Go(func() {
			if err := s.Publish(t.Context(), key, envelope, nil); err != nil {
				t.Error(err)
				return
			}
			if got, err := s.Lookup(t.Context(), key); err != nil || !bytes.Equal(got, envelope) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wg.Wait()
}

func randomKey(t *testing.T) string {
	t.Helper()
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}
