package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// ErrMiss means that the server has no usable proof for a key.
var ErrMiss = errors.New("no proof at the server")

// ErrRejected means that the server will never accept this upload: it is too large, or not
// in a form that the server knows.
var ErrRejected = errors.New("rejected")

// Bounds on what a server may send.
const (
	maxResult = 1 << 20
)

// Blob identifies content by its hash.
type Blob struct {
	SHA256 string
	Size   int64
}

// Sum computes the Blob of content.
func Sum(b []byte) Blob {
	sum := sha256.Sum256(b)
	return Blob{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(b))}
}

// Server is one remote cache.
type Server struct {
	base   *url.URL
	client *http.Client
	auth   func(*http.Request) error
}

// New prepares a server; nothing is connected yet. auth, if not nil, adds the
// user's credentials to each request.
func New(base string, transport http.RoundTripper, auth func(*http.Request) error) (*Server, error) {
	u, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("remote.url %q is not an http or https address", base)
	}
	if u.User != nil {
		return nil, errors.New("remote.url must not contain credentials; put them into remote.auth of your own configuration")
	}
	client := &http.Client{
		Transport: transport,
		// A redirect could carry credentials to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Server{base: u, client: client, auth: auth}, nil
}

// Close closes the idle connections.
func (s *Server) Close() { s.client.CloseIdleConnections() }

// Lookup fetches the signed envelope stored under key, a hex SHA-256. ErrMiss is every
// answer without one; other errors mean that the server did not answer.
func (s *Server) Lookup(ctx context.Context, key string) ([]byte, error) {
	b, err := s.get(ctx, "ac", key, maxResult)
	if err != nil {
		return nil, err
	}
	envelope, err := decodeResult(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMiss, err)
	}
	return envelope, nil
}

// Publish stores a signed envelope under key, its log first: a server may refuse to return
// a result whose parts are missing.
func (s *Server) Publish(ctx context.Context, key string, envelope, log []byte) error {
	var blob *Blob
	if len(log) > 0 {
		b := Sum(log)
		if err := s.put(ctx, "cas", b.SHA256, log); err != nil {
			return err
		}
		blob = &b
	}
	return s.put(ctx, "ac", key, encodeResult(envelope, blob))
}

func (s *Server) get(ctx context.Context, kind, key string, limit int64) ([]byte, error) {
	res, err := s.do(ctx, http.MethodGet, kind, key, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // read only
	switch {
	case res.StatusCode == http.StatusOK:
	case res.StatusCode >= 500:
		return nil, fmt.Errorf("%s answered %s", s.base.Host, res.Status)
	case res.StatusCode == http.StatusUnauthorized, res.StatusCode == http.StatusProxyAuthRequired:
		return nil, fmt.Errorf("%s answered %s: check remote.auth in your own configuration", s.base.Host, res.Status)
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return nil, fmt.Errorf("%s answered %s to another address: set remote.url to the address of the cache itself", s.base.Host, res.Status)
	default:
		return nil, fmt.Errorf("%w: %s", ErrMiss, res.Status)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read from %s: %w", s.base.Host, err)
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%w: answer is too long", ErrMiss)
	}
	return b, nil
}

func (s *Server) put(ctx context.Context, kind, key string, body []byte) error {
	res, err := s.do(ctx, http.MethodPut, kind, key, body)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only its beginning is read
	if res.StatusCode < 200 || res.StatusCode > 299 {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 200)) //nolint:errcheck // shown as far as it came
		err := fmt.Errorf("%s answered %s to PUT /%s%s", s.base.Host, res.Status, kind, reason(text))
		if kind == "cas" { // the log is optional: some servers take only results
			return fmt.Errorf("%w: %w", ErrRejected, err)
		}
		switch res.StatusCode {
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
			return fmt.Errorf("%w: %w", ErrRejected, err)
		}
		return err
	}
	return nil
}

// reason is the first line of a refusal, unless it is a page for a browser.
func reason(body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if line == "" || strings.HasPrefix(line, "<") {
		return ""
	}
	return ": " + strings.TrimSpace(line)
}

func (s *Server) do(ctx context.Context, method, kind, key string, body []byte) (*http.Response, error) {
	if !isHash(key) {
		return nil, fmt.Errorf("%w: %q is not a SHA-256", ErrMiss, key)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base.JoinPath(kind, key).String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	if s.auth != nil {
		if err := s.auth(req); err != nil {
			return nil, err
		}
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("remote cache: %w", err)
	}
	return res, nil
}

func isHash(s string) bool {
	if len(s) != 2*sha256.Size {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
