package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sort"
	"strconv"
	"time"

	"gauntlet/internal/history"
)

// Resource identifies the sender of the records.
type Resource struct {
	Machine string
	Version string // of Gauntlet
}

// Payload is what goes to the three paths of a collector.
type Payload struct {
	Traces, Metrics, Logs []byte

	judged bool // the collector has accepted or refused a part of it
}

// The JSON form of OTLP: lowerCamelCase, ids in hex, 64-bit integers as strings,
// enums as numbers.
type (
	keyValue struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string  `json:"stringValue,omitempty"`
		Bool   *bool    `json:"boolValue,omitempty"`
		Int    *string  `json:"intValue,omitempty"`
		Double *float64 `json:"doubleValue,omitempty"`
	}
	resource struct {
		Attributes []keyValue `json:"attributes"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	span struct {
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
		ParentID   string     `json:"parentSpanId,omitempty"`
		Name       string     `json:"name"`
		Kind       int        `json:"kind"`
		Start      string     `json:"startTimeUnixNano"`
		End        string     `json:"endTimeUnixNano"`
		Attributes []keyValue `json:"attributes"`
		Status     *status    `json:"status,omitempty"`
	}
	status struct {
		Code    int    `json:"code"`
		Message string `json:"message,omitempty"`
	}
	logRecord struct {
		Time       string     `json:"timeUnixNano"`
		Severity   int        `json:"severityNumber"`
		EventName  string     `json:"eventName"`
		Body       value      `json:"body"`
		Attributes []keyValue `json:"attributes"`
		TraceID    string     `json:"traceId"`
		SpanID     string     `json:"spanId"`
	}
	metric struct {
		Name      string     `json:"name"`
		Unit      string     `json:"unit"`
		Sum       *sum       `json:"sum,omitempty"`
		Histogram *histogram `json:"histogram,omitempty"`
	}
	sum struct {
		Points      []point `json:"dataPoints"`
		Temporality int     `json:"aggregationTemporality"`
		Monotonic   bool    `json:"isMonotonic"`
	}
	histogram struct {
		Points      []bucketPoint `json:"dataPoints"`
		Temporality int           `json:"aggregationTemporality"`
	}
	point struct {
		Attributes []keyValue `json:"attributes"`
		Start      string     `json:"startTimeUnixNano"`
		Time       string     `json:"timeUnixNano"`
		Int        string     `json:"asInt"`
	}
	bucketPoint struct {
		Attributes []keyValue `json:"attributes"`
		Start      string     `json:"startTimeUnixNano"`
		Time       string     `json:"timeUnixNano"`
		Count      string     `json:"count"`
		Sum        float64    `json:"sum"`
		Bounds     []float64  `json:"explicitBounds"`
		Buckets    []string   `json:"bucketCounts"`
	}
)

const (
	kindInternal = 1
	statusError  = 2
	delta        = 1
	severityInfo = 9
	severityWarn = 13
)

// Encode makes the payloads of a batch of records.
func Encode(res Resource, recs []history.Record) (Payload, error) {
	var spans []span
	var logs []logRecord
	m := newMetrics()
	for _, r := range recs {
		switch r.Type {
		case history.Verdict:
			spans = append(spans, verdictSpan(res, r))
			logs = append(logs, verdictLog(res, r))
			m.verdict(r)
		case history.Gate:
			spans = append(spans, gateSpan(res, r))
			m.gate(r)
		case history.Label, history.Meaning:
		}
	}
	attrs := resource{Attributes: attributes("service.name", "gauntlet", "service.version", res.Version, "host.id", res.Machine)}
	sc := scope{Name: "gauntlet", Version: res.Version}
	var err error
	pack := func(n int, signal, items string, list any) (payload []byte) {
		if err == nil && n > 0 {
			payload, err = json.Marshal(map[string]any{"resource" + signal: []any{map[string]any{
				"resource": attrs, "scope" + signal: []any{map[string]any{"scope": sc, items: list}},
			}}})
		}
		return payload
	}
	metrics := m.list()
	p := Payload{
		Traces:  pack(len(spans), "Spans", "spans", spans),
		Logs:    pack(len(logs), "Logs", "logRecords", logs),
		Metrics: pack(len(metrics), "Metrics", "metrics", metrics),
	}
	return p, err
}

func verdictSpan(res Resource, r history.Record) span {
	s := span{
		TraceID: traceID(res, r), SpanID: spanID(res, r, ""), Name: "gauntlet.stop", Kind: kindInternal,
		Start: nano(start(r)), End: nano(r.Time), Attributes: verdictAttributes(r),
	}
	if r.Source == history.FromRun {
		s.Name = "gauntlet.run"
	}
	if r.Decision == "block" {
		s.Status = &status{Code: statusError, Message: r.Message}
	}
	return s
}

func gateSpan(res Resource, r history.Record) span {
	attrs := attributes("gauntlet.gate.name", r.Gate, "gauntlet.gate.kind", r.Kind, "gauntlet.gate.status", r.Status,
		"gauntlet.proof.source", string(r.Source), "gauntlet.proof.key", r.Key, "gauntlet.mode", r.Mode)
	attrs = append(attrs, flag("gauntlet.gate.cached", r.Cached), flag("gauntlet.gate.flaky", r.Flaky), flag("gauntlet.would_block", r.WouldBlock))
	if r.ExitCode != nil {
		attrs = append(attrs, integer("process.exit.code", int64(*r.ExitCode)))
	}
	s := span{
		TraceID: traceID(res, r), SpanID: spanID(res, r, r.Gate+strconv.Itoa(r.Attempt)), ParentID: spanID(res, r, ""), Name: "gauntlet.gate " + r.Gate,
		Kind: kindInternal, Start: nano(start(r)), End: nano(r.Time), Attributes: attrs,
	}
	if r.Status == "fail" || r.Status == "error" {
		s.Status = &status{Code: statusError, Message: r.Message}
	}
	return s
}

func verdictLog(res Resource, r history.Record) logRecord {
	severity := severityInfo
	if r.Decision == "block" || r.SystemMessage != "" {
		severity = severityWarn
	}
	message := r.Message
	return logRecord{
		Time: nano(r.Time), Severity: severity, EventName: "gauntlet.verdict", Body: value{String: &message},
		Attributes: verdictAttributes(r), TraceID: traceID(res, r), SpanID: spanID(res, r, ""),
	}
}

func verdictAttributes(r history.Record) []keyValue {
	attrs := attributes("gauntlet.verdict.id", r.ID, "gauntlet.status", r.Status, "gauntlet.decision", r.Decision,
		"gauntlet.project", r.Project, "gauntlet.mode", r.Mode, "session.id", r.Session, "gen_ai.conversation.id", r.Session,
		"gen_ai.agent.name", r.Agent, "vcs.ref.head.revision", r.Tree)
	return append(attrs, flag("gauntlet.would_block", r.WouldBlock))
}

// metrics counts a batch. Points are deltas: they are for this batch only.
type metrics struct {
	stops, gates map[string]int64
	durations    map[string]*bucketPoint
	attrs        map[string][]keyValue
	from, to     time.Time
}

// bounds of the duration histogram, in seconds.
func bounds() []float64 { return []float64{0.01, 0.1, 0.5, 1, 5, 15, 60, 300} }

func newMetrics() *metrics {
	return &metrics{stops: map[string]int64{}, gates: map[string]int64{}, durations: map[string]*bucketPoint{}, attrs: map[string][]keyValue{}}
}

func (m *metrics) seen(r history.Record) {
	if m.from.IsZero() || start(r).Before(m.from) {
		m.from = start(r)
	}
	if r.Time.After(m.to) {
		m.to = r.Time
	}
}

func (m *metrics) verdict(r history.Record) {
	m.seen(r)
	key := r.Status + "\x00" + r.Decision + "\x00" + r.Agent
	m.stops[key]++
	m.attrs[key] = attributes("gauntlet.status", r.Status, "gauntlet.decision", r.Decision, "gen_ai.agent.name", r.Agent)
}

func (m *metrics) gate(r history.Record) {
	m.seen(r)
	key := r.Gate + "\x00" + r.Status + "\x00" + strconv.FormatBool(r.Cached)
	m.gates[key]++
	m.attrs[key] = append(attributes("gauntlet.gate.name", r.Gate, "gauntlet.gate.status", r.Status), flag("gauntlet.gate.cached", r.Cached))
	if r.Cached {
		return
	}
	p := m.durations[key]
	if p == nil {
		p = &bucketPoint{Count: "0", Bounds: bounds(), Buckets: make([]string, len(bounds())+1)}
		for i := range p.Buckets {
			p.Buckets[i] = "0"
		}
		m.durations[key] = p
	}
	seconds := r.DurationMS / 1000
	p.Sum += seconds
	p.Count = plusOne(p.Count)
	i := sort.SearchFloat64s(p.Bounds, seconds)
	p.Buckets[i] = plusOne(p.Buckets[i])
}

func plusOne(s string) string {
	n, _ := strconv.ParseInt(s, 10, 64)
	return strconv.FormatInt(n+1, 10)
}

func (m *metrics) list() []metric {
	counts := func(name string, of map[string]int64) []metric {
		if len(of) == 0 {
			return nil
		}
		s := &sum{Temporality: delta, Monotonic: true}
		for _, key := range sorted(of) {
			s.Points = append(s.Points, point{Attributes: m.attrs[key], Start: nano(m.from), Time: nano(m.to), Int: strconv.FormatInt(of[key], 10)})
		}
		return []metric{{Name: name, Unit: "1", Sum: s}}
	}
	out := append(counts("gauntlet.stops", m.stops), counts("gauntlet.gates", m.gates)...)
	if len(m.durations) > 0 {
		h := &histogram{Temporality: delta}
		for _, key := range sorted(m.durations) {
			p := *m.durations[key]
			p.Attributes, p.Start, p.Time = m.attrs[key], nano(m.from), nano(m.to)
			h.Points = append(h.Points, p)
		}
		out = append(out, metric{Name: "gauntlet.gate.duration", Unit: "s", Histogram: h})
	}
	return out
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// attributes makes string attributes of name, value, name, value, …; empty values are left
// out: unknown is not the same as empty.
func attributes(pairs ...string) []keyValue {
	out := []keyValue{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := pairs[i+1]; v != "" {
			out = append(out, keyValue{Key: pairs[i], Value: value{String: &v}})
		}
	}
	return out
}

func flag(name string, v bool) keyValue { return keyValue{Key: name, Value: value{Bool: &v}} }

func integer(name string, v int64) keyValue {
	s := strconv.FormatInt(v, 10)
	return keyValue{Key: name, Value: value{Int: &s}}
}

// start is when the subject of a record began: a record is written at its end.
func start(r history.Record) time.Time {
	return r.Time.Add(-time.Duration(r.DurationMS * float64(time.Millisecond)))
}

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func traceID(res Resource, r history.Record) string { return id(16, res.Machine, r.ID) }

func spanID(res Resource, r history.Record, part string) string {
	return id(8, res.Machine, r.ID, "span", part)
}

// id is the same for the same record, so that a record that is sent twice can be recognised.
func id(size int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:size])
}
