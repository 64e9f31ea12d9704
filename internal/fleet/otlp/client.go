package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Client sends to one collector.
type Client struct {
	base    *url.URL
	headers map[string]string
	http    *http.Client
}

// NewClient prepares a client of the collector at endpoint, the value of
// OTEL_EXPORTER_OTLP_ENDPOINT.
func NewClient(endpoint string, headers map[string]string) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("endpoint %q is not an http or https address", endpoint)
	}
	// A redirect would carry the headers, which contain credentials, to another host.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: u, headers: headers, http: &http.Client{Timeout: 30 * time.Second, CheckRedirect: stay}}, nil
}

// RetryError means that the collector may accept the same later.
type RetryError struct {
	Reason string
	After  time.Duration // the delay it asked for; 0 for none
}

func (e *RetryError) Error() string { return e.Reason }

// Send posts the three payloads. rejected describes what the collector accepted only in
// part; that is not an error, and nothing is sent again for it.
func (c *Client) Send(ctx context.Context, p Payload) (rejected []string, err error) {
	for _, part := range []struct {
		path string
		body []byte
	}{{"v1/traces", p.Traces}, {"v1/metrics", p.Metrics}, {"v1/logs", p.Logs}} {
		if len(part.body) == 0 {
			continue
		}
		note, err := c.post(ctx, part.path, part.body)
		if err != nil {
			return rejected, fmt.Errorf("%s: %w", part.path, err)
		}
		if note != "" {
			rejected = append(rejected, part.path+": "+note)
		}
	}
	return rejected, nil
}

func (c *Client) post(ctx context.Context, path string, body []byte) (note string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range c.headers {
		req.Header.Set(k, v)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return "", &RetryError{Reason: "the collector cannot be reached: " + err.Error()}
	}
	defer res.Body.Close() //nolint:errcheck // read only
	answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return "", &RetryError{Reason: "the collector's answer broke off: " + err.Error()}
	}
	switch res.StatusCode {
	case http.StatusOK:
		return partial(answer), nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "", &RetryError{Reason: "the collector answered " + res.Status, After: retryAfter(res.Header.Get("Retry-After"))}
	}
	said := "the collector answered " + res.Status
	if text := bytes.TrimSpace(answer[:min(len(answer), 200)]); len(text) > 0 {
		said += ": " + string(text)
	}
	return "", errors.New(said)
}

func retryAfter(s string) time.Duration {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 3600 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// partial reads partialSuccess: how many the collector refused, and why.
func partial(answer []byte) string {
	var a struct {
		PartialSuccess struct {
			Spans   json.Number `json:"rejectedSpans"`
			Points  json.Number `json:"rejectedDataPoints"`
			Logs    json.Number `json:"rejectedLogRecords"`
			Message string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return ""
	}
	for _, n := range []json.Number{a.PartialSuccess.Spans, a.PartialSuccess.Points, a.PartialSuccess.Logs} {
		if n != "" && n != "0" {
			return n.String() + " rejected: " + a.PartialSuccess.Message
		}
	}
	return a.PartialSuccess.Message
}
