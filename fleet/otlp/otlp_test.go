package otlp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"gauntlet/internal/history"
)

var at = time.Date(2026, 11, 15, 10, 0, 1, 0, time.UTC)

func records() []history.Record {
	exit := 1
	return []history.Record{
		{Type: history.Verdict, ID: "v1", Time: at, Status: "failed", Decision: "block", DurationMS: 1000, Agent: "claude", Session: "s1", Source: history.FromStop, Message: "1 of 1 gates failed: test"},
		{Type: history.Gate, ID: "v1", Time: at, Gate: "test", Kind: "check", Status: "fail", DurationMS: 700, ExitCode: &exit, Message: "exit code 1"},
		{Type: history.Gate, ID: "v1", Time: at, Gate: "lint", Kind: "check", Status: "pass", DurationMS: 0, Cached: true},
		{Type: history.Verdict, ID: "v2", Time: at.Add(time.Second), Status: "passed", Decision: "approve", DurationMS: 5, Source: history.FromRun},
		{Type: history.Label, ID: "v1", Label: "right"},
	}
}

// The collector's own decoder checks what is sent.
func TestTheCollectorReadsWhatIsSent(t *testing.T) {
	p, err := Encode(Resource{Machine: "m", Version: "1.0"}, records())
	if err != nil {
		t.Fatal(err)
	}
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(p.Traces)
	if err != nil {
		t.Fatal(err)
	}
	spans := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	if traces.SpanCount() != 4 {
		t.Fatalf("%d spans", traces.SpanCount())
	}
	stop, gate := spans.At(0), spans.At(1)
	if stop.Name() != "gauntlet.stop" || stop.EndTimestamp().AsTime() != at || stop.StartTimestamp().AsTime() != at.Add(-time.Second) || stop.Status().Code() != ptrace.StatusCodeError {
		t.Errorf("stop span %s %s..%s", stop.Name(), stop.StartTimestamp().AsTime(), stop.EndTimestamp().AsTime())
	}
	if gate.ParentSpanID() != stop.SpanID() || gate.TraceID() != stop.TraceID() || gate.Name() != "gauntlet.gate test" {
		t.Errorf("gate span %s is not a child of the stop", gate.Name())
	}
	if v, ok := gate.Attributes().Get("process.exit.code"); !ok || v.Int() != 1 {
		t.Errorf("exit code %v", v)
	}
	if spans.At(3).Name() != "gauntlet.run" || spans.At(3).TraceID() == stop.TraceID() {
		t.Errorf("run span %s", spans.At(3).Name())
	}

	metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(p.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]pmetric.Metric{}
	list := metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	for i := range list.Len() {
		got[list.At(i).Name()] = list.At(i)
	}
	if s := got["gauntlet.stops"].Sum(); s.DataPoints().Len() != 2 || s.AggregationTemporality() != pmetric.AggregationTemporalityDelta || s.DataPoints().At(0).IntValue() != 1 {
		t.Errorf("stops: %d points", s.DataPoints().Len())
	}
	if h := got["gauntlet.gate.duration"].Histogram().DataPoints(); h.Len() != 1 || h.At(0).Count() != 1 || h.At(0).Sum() != 0.7 || h.At(0).BucketCounts().At(3) != 1 {
		t.Errorf("durations: %d points", h.Len())
	}

	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(p.Logs)
	if err != nil {
		t.Fatal(err)
	}
	if logs.LogRecordCount() != 2 {
		t.Fatalf("%d log records", logs.LogRecordCount())
	}
	l := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	if l.EventName() != "gauntlet.verdict" || l.TraceID() != stop.TraceID() {
		t.Errorf("log event %q", l.EventName())
	}
	for name, want := range map[string]string{"session.id": "s1", "gen_ai.conversation.id": "s1", "gauntlet.status": "failed"} {
		if v, _ := l.Attributes().Get(name); v.Str() != want {
			t.Errorf("%s is %q", name, v.Str())
		}
	}
}

func TestEmptyPayloadIsNotSent(t *testing.T) {
	p, err := Encode(Resource{}, nil)
	if err != nil || p.Traces != nil || p.Metrics != nil || p.Logs != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestAnswersOfACollector(t *testing.T) {
	p, err := Encode(Resource{Machine: "m"}, records())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		code     int
		header   string
		body     string
		retry    bool
		after    time.Duration
		rejected string
		refused  string
		wantErr  string
	}{
		{name: "taken", code: 200, body: "{}"},
		{name: "taken in part", code: 200, body: `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`, rejected: "2 rejected: too old"},
		{name: "taken without a word", code: 204},
		{name: "busy", code: 429, header: "7", retry: true, after: 7 * time.Second, wantErr: "429"},
		{name: "down", code: 503, header: "soon", retry: true, wantErr: "503"},
		{name: "busy for hours", code: 429, header: "7200", retry: true, after: 2 * time.Hour, wantErr: "429"},
		{name: "busy until then", code: 503, header: "Sun, 06 Nov 1994 08:49:37 GMT", retry: true, wantErr: "503"},
		{name: "proxy", code: 502, retry: true, wantErr: "502"},
		{name: "slow", code: 504, retry: true, wantErr: "504"},
		{name: "refused", code: 400, body: "bad field", refused: "bad field"},
		{name: "too large", code: 413, refused: "413"},
		{name: "broken by it", code: 500, refused: "500"},
		{name: "not allowed", code: 403, wantErr: "403"},
		{name: "no such path", code: 404, wantErr: "404"},
		{name: "elsewhere", code: 307, wantErr: "307"}, // following it would give the header to another host
	} {
		t.Run(tt.name, func(t *testing.T) {
			var paths []string
			ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				paths = append(paths, r.URL.Path)
				if r.Header.Get("X-Key") != "k" {
					t.Error("the header is missing")
				}
				if tt.header != "" {
					w.Header().Set("Retry-After", tt.header)
				}
				if tt.code == http.StatusTemporaryRedirect {
					w.Header().Set("Location", "/elsewhere")
				}
				w.WriteHeader(tt.code)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer ts.Close()
			c, err := NewClient(ts.URL, map[string]string{"X-Key": "k"})
			if err != nil {
				t.Fatal(err)
			}
			p := p
			answer, err := c.Send(t.Context(), &p)
			var retry *RetryError
			if errors.As(err, &retry) != tt.retry || retry != nil && retry.After != tt.after {
				t.Errorf("error %v", err)
			}
			if tt.wantErr == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("error %v, want %q", err, tt.wantErr)
			}
			if got := strings.Join(answer.Partial, "\n"); tt.rejected == "" != (got == "") || !strings.Contains(got, tt.rejected) {
				t.Errorf("rejected %q", got)
			}
			if got := strings.Join(answer.Refused, "\n"); tt.refused == "" != (got == "") || !strings.Contains(got, tt.refused) {
				t.Errorf("refused %q", got)
			}
			if settled := p.Traces == nil && p.Metrics == nil && p.Logs == nil; settled != (err == nil) {
				t.Errorf("settled: %v", settled)
			}
			if err == nil && strings.Join(paths, " ") != "/v1/traces /v1/metrics /v1/logs" {
				t.Errorf("paths %v", paths)
			}
		})
	}
}

// A collector without one of the signals gets the others, once: what it has taken is not
// sent again with what it takes later.
func TestPartsAreSettledOneByOne(t *testing.T) {
	p, err := Encode(Resource{Machine: "m"}, records())
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]int{"/v1/traces": {200}, "/v1/metrics": {404, 404}, "/v1/logs": {503, 200}}
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left := answers[r.URL.Path]
		if len(left) == 0 {
			t.Errorf("%s is sent again", r.URL.Path)
			return
		}
		answers[r.URL.Path] = left[1:]
		w.WriteHeader(left[0])
	}))
	defer ts.Close()
	c, err := NewClient(ts.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := c.Send(t.Context(), &p); err == nil || len(answer.Refused) != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
	answer, err := c.Send(t.Context(), &p)
	if err != nil || len(answer.Refused) != 1 || !strings.Contains(answer.Refused[0], "v1/metrics: the collector answered 404") {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-1": 0, "0": 0, "120": 2 * time.Minute, "99999999999": 0,
		at.Add(time.Minute).Format(http.TimeFormat): time.Minute, at.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(header, at); got != want {
			t.Errorf("%q: %s", header, got)
		}
	}
}
