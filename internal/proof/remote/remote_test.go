package remote

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gauntlet/test/remotetest"
)

var (
	key      = strings.Repeat("0a", 32)
	envelope = []byte(`{"payloadType":"x"}`)
)

func serve(t *testing.T, h http.Handler) *Server {
	t.Helper()
	ts := httptest.NewServer(h)
	t.Cleanup(ts.Close)
	s, err := New(ts.URL+"/", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPublishThenLookup(t *testing.T) {
	fake := &remotetest.Server{}
	s := serve(t, fake)
	log := []byte("ok  example  0.1s\n")
	if _, err := s.Lookup(t.Context(), key); !errors.Is(err, ErrMiss) {
		t.Fatalf("before: %v", err)
	}
	if err := s.Publish(t.Context(), key, envelope, log); err != nil {
		t.Fatal(err)
	}
	got, err := s.Lookup(t.Context(), key)
	if err != nil || !bytes.Equal(got, envelope) {
		t.Errorf("got %q, %v", got, err)
	}
	text, err := s.get(t.Context(), "cas", Sum(log).SHA256, int64(len(log)))
	if err != nil || !bytes.Equal(text, log) {
		t.Errorf("log %q, %v", text, err)
	}
}

func TestOddAnswersAreMisses(t *testing.T) {
	failed := append(encodeResult(envelope, nil), resultExitCode<<3|varint, 1)
	twice := append(encodeResult(envelope, nil), encodeResult([]byte("{}"), nil)...)
	for name, body := range map[string][]byte{
		"html": []byte("<html>"), "empty": nil, "failed": failed, "two envelopes": twice,
		"cut short": encodeResult(envelope, nil)[:20], "no envelope": field(nil, resultOutputFiles, field(nil, filePath, []byte("other"))),
		"too long": encodeResult(bytes.Repeat([]byte("x"), maxResult), nil),
	} {
		t.Run(name, func(t *testing.T) {
			fake := &remotetest.Server{}
			fake.Set("ac", key, body)
			if got, err := serve(t, fake).Lookup(t.Context(), key); !errors.Is(err, ErrMiss) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestResultWithoutItsLogIsAMiss(t *testing.T) {
	fake := &remotetest.Server{}
	log := Sum([]byte("never uploaded"))
	fake.Set("ac", key, encodeResult(envelope, &log))
	if _, err := serve(t, fake).Lookup(t.Context(), key); !errors.Is(err, ErrMiss) {
		t.Errorf("got %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	s := serve(t, http.RedirectHandler(other.URL, http.StatusFound))
	// Such a server never has a proof: the person has to hear of it.
	if _, err := s.Lookup(t.Context(), key); err == nil || errors.Is(err, ErrMiss) || !strings.Contains(err.Error(), "set remote.url to") {
		t.Errorf("got %v", err)
	}
	if asked {
		t.Error("the other host was asked")
	}
}

func TestSlowServerEndsWithTheContext(t *testing.T) {
	s := serve(t, &remotetest.Server{Delay: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := s.Lookup(ctx, key); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrMiss) {
		t.Errorf("got %v", err)
	}
}

func TestBrokenServerIsAnError(t *testing.T) {
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	if _, err := s.Lookup(t.Context(), key); err == nil || errors.Is(err, ErrMiss) {
		t.Errorf("got %v", err)
	}
	if err := serve(t, &remotetest.Server{Full: true}).Publish(t.Context(), key, envelope, nil); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("full: %v", err)
	}
}

// A refusal is one line: a page for a browser is left out.
func TestRefusalIsOneLine(t *testing.T) {
	for body, want := range map[string]string{"<html>\r\n<head>": "to PUT /ac", "quota\r\nof this team": "to PUT /ac: quota\r", "": "to PUT /ac"} {
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, http.StatusForbidden) }))
		if err := s.Publish(t.Context(), key, envelope, nil); err == nil || !strings.HasSuffix(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, bad := range []string{"", "cache.example", "ftp://cache.example", "https://user:secret@cache.example", "http://"} {
		if _, err := New(bad, nil, nil); err == nil {
			t.Errorf("%q was accepted", bad)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the password is shown: %v", err)
		}
	}
	s := serve(t, &remotetest.Server{})
	for _, bad := range []string{"", "../x", strings.Repeat("A0", 32), strings.Repeat("0", 63)} {
		if _, err := s.Lookup(t.Context(), bad); !errors.Is(err, ErrMiss) {
			t.Errorf("key %q: %v", bad, err)
		}
	}
}

func TestBreaker(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	b, tripped := Breaker{}.After(true, 2, now)
	if b.Open(now) || tripped {
		t.Fatal("open after one timeout")
	}
	if again, _ := b.After(false, 2, now); again != (Breaker{}) {
		t.Fatal("an answer does not close it")
	}
	b, tripped = b.After(true, 2, now)
	if !b.Open(now) || !tripped || !b.Open(now.Add(9*time.Minute)) {
		t.Fatal("closed after two timeouts")
	}
	if b.Open(now.Add(10*time.Minute)) || b.Open(now.Add(-time.Hour)) {
		t.Fatal("open for ever")
	}
}

func FuzzDecodeResult(f *testing.F) {
	f.Add(encodeResult(envelope, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := decodeResult(b); err == nil && (len(got) == 0 || !bytes.Contains(b, got)) {
			t.Errorf("read %q, which is not in it", got)
		}
	})
}
