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

// refusedError means that the collector will never accept what was sent.
type refusedError struct {
	reason string
	// here means that the address or the credentials were refused, not the records: they may
	// be accepted when those are corrected.
	here bool
}

func (e *refusedError) Error() string { return e.reason }

// Answer is what a collector did not accept of a payload, and will not accept later.
type Answer struct {
	Partial []string // what it left out of a part that it accepted
	Refused []string // parts that it refused as a whole
}

// Send posts the parts of a payload and empties those that are settled, so that only the
// others are sent again after an error. A part that the collector refuses for good is
// settled: OTLP forbids to send it again. If address or credentials are refused for every
// part, the records are not the reason, and that is an error.
func (c *Client) Send(ctx context.Context, p *Payload) (a Answer, err error) {
	var wrong []error
	for _, part := range []struct {
		path string
		body *[]byte
	}{{"v1/traces", &p.Traces}, {"v1/metrics", &p.Metrics}, {"v1/logs", &p.Logs}} {
		if len(*part.body) == 0 {
			continue
		}
		note, err := c.post(ctx, part.path, *part.body)
		refused, ok := errors.AsType[*refusedError](err)
		switch {
		case ok && refused.here:
			wrong = append(wrong, fmt.Errorf("%s: %w", part.path, err))
			continue
		case ok:
			a.Refused = append(a.Refused, part.path+": "+refused.reason)
		case err != nil:
			return a, fmt.Errorf("%s: %w", part.path, err)
		case note != "":
			a.Partial = append(a.Partial, part.path+": "+note)
		}
		*part.body, p.judged = nil, true
	}
	if len(wrong) > 0 && !p.judged {
		return a, wrong[0]
	}
	for _, w := range wrong { // a collector without this signal
		a.Refused = append(a.Refused, w.Error())
	}
	return a, nil
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
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return partial(answer), nil
	}
	said := "the collector answered " + res.Status
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "", &RetryError{Reason: said, After: retryAfter(res.Header.Get("Retry-After"), time.Now())}
	}
	if text := bytes.TrimSpace(answer[:min(len(answer), 200)]); len(text) > 0 {
		said += ": " + string(text)
	}
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return "", &refusedError{said + " (check OTEL_EXPORTER_OTLP_HEADERS)", true}
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "", &refusedError{said + " (check the address of the collector)", true}
	}
	if res.StatusCode < 400 {
		return "", &refusedError{said + " (set the address of the collector itself)", true}
	}
	return "", &refusedError{said, false}
}

// retryAfter is the delay that the header asks for, in seconds or as a date.
func retryAfter(s string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
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
