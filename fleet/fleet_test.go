//go:build unix

package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"gauntlet/internal/history"
	"gauntlet/test/fleettest"
)

// machine is one user's machine: a state home, a name, and the command.
type machine struct {
	t        *testing.T
	home     string
	name     string
	in       string
	env      map[string]string
	out, err bytes.Buffer
}

func newMachine(t *testing.T, name string) *machine {
	t.Helper()
	return &machine{t: t, home: t.TempDir(), name: name, env: map[string]string{}}
}

func (m *machine) history() string { return filepath.Join(m.home, ".local/state/gauntlet/history") }

func (m *machine) record(from, to int) {
	m.t.Helper()
	for i := from; i < to; i++ {
		rec := history.Record{
			Type: history.Verdict, ID: fmt.Sprintf("%s-%d", m.name, i), Time: time.Now(), Status: "passed", Decision: "approve",
			DurationMS: 12, Project: filepath.Join(m.home, "src/app"), Agent: "claude",
		}
		if err := history.Append(m.history(), rec); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *machine) run(args ...string) int {
	m.out.Reset()
	m.err.Reset()
	return Main(args, &App{
		In: strings.NewReader(m.in), Out: &m.out, Err: &m.err, Now: time.Now,
		Getenv: func(name string) string {
			if name == "HOME" {
				return m.home
			}
			return m.env[name]
		},
		Hostname: func() (string, error) { return m.name, nil },
		Username: func() string { return "user-of-" + m.name },
	})
}

func query(t *testing.T, url, sql string) (out string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the server ends with the test
	if err := conn.QueryRow(t.Context(), sql).Scan(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSyncSendsEachRecordOnceAndHidesNames(t *testing.T) {
	db := fleettest.StartPostgres(t)
	m := newMachine(t, "laptop")
	m.env["DATABASE_URL"] = db.URL
	m.record(0, 1500)
	if code := m.run("sync"); code != 0 || !strings.Contains(m.out.String(), "1500 records sent, 1500 of them new") {
		t.Fatalf("exit %d: %s%s", code, m.out.String(), m.err.String())
	}
	m.record(1500, 1503)
	if code := m.run("sync"); code != 0 || !strings.Contains(m.out.String(), "3 records sent, 3 of them new") {
		t.Fatalf("exit %d: %s%s", code, m.out.String(), m.err.String())
	}
	// A lost cursor causes a resend, and nothing is stored twice.
	if err := os.RemoveAll(filepath.Join(m.history(), "cursors")); err != nil {
		t.Fatal(err)
	}
	if code := m.run("sync"); code != 0 || !strings.Contains(m.out.String(), "1503 records sent, 0 of them new") {
		t.Fatalf("exit %d: %s%s", code, m.out.String(), m.err.String())
	}
	if n := query(t, db.URL, "SELECT count(*)::text FROM gauntlet_records"); n != "1503" {
		t.Errorf("%s records", n)
	}
	all := query(t, db.URL, "SELECT string_agg(DISTINCT machine || ' ' || person || ' ' || project || ' ' || body::text, '\n') FROM gauntlet_records")
	for _, secret := range []string{"laptop ", "user-of-laptop", m.home} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is in the database", secret)
		}
	}
	if !strings.Contains(all, "~/src/app") {
		t.Error("the project is not there")
	}
	if code := m.run("sync", "--plain-names"); code != 0 {
		t.Fatal(m.err.String())
	}
	m.record(1503, 1504)
	if code := m.run("sync", "--plain-names"); code != 0 {
		t.Fatal(m.err.String())
	}
	if got := query(t, db.URL, "SELECT machine || ' ' || person FROM gauntlet_records WHERE id = 'laptop-1503'"); got != "laptop user-of-laptop" {
		t.Errorf("plain names: %q", got)
	}
}

func TestATeamSaltMakesNamesTheSameEverywhere(t *testing.T) {
	a, b := newMachine(t, "one"), newMachine(t, "two")
	hash := func(m *machine, salt string) string {
		app := &App{Getenv: func(n string) string { return map[string]string{"HOME": m.home, "GAUNTLET_FLEET_SALT": salt}[n] }, Hostname: func() (string, error) { return "h", nil }, Username: func() string { return "same" }}
		_, n, err := app.sender(sendFlags{})
		if err != nil {
			t.Fatal(err)
		}
		return n.origin().Person
	}
	if hash(a, "s") != hash(b, "s") || hash(a, "") == hash(b, "") || hash(a, "s") == "same" {
		t.Errorf("salted %s %s, own %s %s", hash(a, "s"), hash(b, "s"), hash(a, ""), hash(b, ""))
	}
}

func TestAHundredMachinesSyncAtOnce(t *testing.T) {
	db := fleettest.StartPostgres(t)
	const machines, each = 100, 20
	var wg sync.WaitGroup
	for i := range machines {
		m := newMachine(t, fmt.Sprint("m", i))
		m.env["DATABASE_URL"] = db.URL + "&pool_max_conns=1"
		m.record(0, each)
		wg.Go(func() {
			if code := m.run("sync"); code != 0 {
				t.Errorf("%s: exit %d: %s", m.name, code, m.err.String())
			}
		})
	}
	wg.Wait()
	if n := query(t, db.URL, "SELECT count(*) || ' ' || count(DISTINCT machine) FROM gauntlet_records"); n != fmt.Sprint(machines*each, " ", machines) {
		t.Errorf("%s", n)
	}
}

func TestTheDatabaseRestartsInTheMiddle(t *testing.T) {
	db := fleettest.StartPostgres(t)
	m := newMachine(t, "m")
	m.env["DATABASE_URL"] = db.URL
	m.record(0, 10)
	db.Stop()
	done := make(chan int)
	go func() { done <- m.run("sync", "--retry-for", "60s") }()
	time.Sleep(300 * time.Millisecond)
	db.Start()
	if code := <-done; code != 0 {
		t.Fatalf("exit %d: %s", code, m.err.String())
	}
	db.Stop()
	m.record(10, 12)
	if code := m.run("sync", "--retry-for", "0s"); code != 1 || !strings.Contains(m.err.String(), "nothing is lost") {
		t.Errorf("exit %d: %s", code, m.err.String())
	}
	db.Start()
	if code := m.run("sync"); code != 0 || !strings.Contains(m.out.String(), "2 records sent, 2 of them new") {
		t.Errorf("exit %d: %s%s", code, m.out.String(), m.err.String())
	}
}

func TestTwoSendersOfOneMachine(t *testing.T) {
	m := newMachine(t, "m")
	m.record(0, 1)
	started, release := make(chan struct{}), make(chan struct{})
	d := drain{dir: m.history(), reader: "r", size: 10, now: time.Now, wait: sleep, warn: t.Logf, batch: func([][]byte) func(context.Context) error {
		return func(context.Context) error {
			close(started)
			<-release
			return nil
		}
	}}
	done := make(chan error)
	go func() { _, err := d.run(t.Context()); done <- err }()
	<-started
	if _, err := d.run(t.Context()); !errors.Is(err, errBusy) {
		t.Errorf("the second: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the first: %v", err)
	}
}

func TestExportIsReadByTheCollectorsDecoder(t *testing.T) {
	m := newMachine(t, "laptop")
	m.record(0, 3)
	var spans, busy atomic.Int64
	busy.Store(1)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Add(-1) == 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path == "/v1/traces" {
			traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
			if err != nil {
				t.Error(err)
				return
			}
			spans.Add(int64(traces.SpanCount()))
		}
		if bytes.Contains(body, []byte(m.home)) {
			t.Error("the home directory is sent")
		}
		_, _ = io.WriteString(w, "{}")
	}))
	defer ts.Close()
	m.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = ts.URL
	if code := m.run("export"); code != 0 || spans.Load() != 3 {
		t.Errorf("exit %d, %d spans: %s", code, spans.Load(), m.err.String())
	}
	if code := m.run("export"); code != 0 || spans.Load() != 3 || !strings.Contains(m.out.String(), "0 records sent") {
		t.Errorf("again: exit %d, %d spans", code, spans.Load())
	}
}

// The delay that a collector asks for counts as waiting for it.
func TestExportDoesNotWaitForHours(t *testing.T) {
	m := newMachine(t, "m")
	m.record(0, 1)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer ts.Close()
	m.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = ts.URL
	if code := m.run("export"); code != 1 || !strings.Contains(m.err.String(), "429") || !strings.Contains(m.err.String(), "nothing is lost") {
		t.Errorf("exit %d: %s", code, m.err.String())
	}
}

// A batch that the collector refuses for good is named and dropped; the next one is sent.
func TestRefusedBatchIsNotSentAgain(t *testing.T) {
	m := newMachine(t, "m")
	m.record(0, 300) // two batches
	var traces atomic.Int64
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" && traces.Add(1) == 1 {
			http.Error(w, "bad field", http.StatusBadRequest)
		}
	}))
	defer ts.Close()
	m.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = ts.URL
	if code := m.run("export"); code != 1 || traces.Load() != 2 || !strings.Contains(m.out.String(), "300 records sent, 250 of them refused") ||
		strings.Count(m.err.String(), "refused 250 records for good, and they are not sent again: v1/traces: the collector answered 400 Bad Request: bad field") != 1 {
		t.Errorf("exit %d, %d sent: %s%s", code, traces.Load(), m.out.String(), m.err.String())
	}
	if code := m.run("export"); code != 0 || traces.Load() != 2 || !strings.Contains(m.out.String(), "0 records sent") {
		t.Errorf("again: exit %d, %d sent: %s%s", code, traces.Load(), m.out.String(), m.err.String())
	}
}

// Nothing is dropped because of a wrong address or wrong credentials.
func TestWrongCredentialsLoseNothing(t *testing.T) {
	m := newMachine(t, "m")
	m.record(0, 3)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("api-key") != "right" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer ts.Close()
	m.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = ts.URL
	if code := m.run("export"); code != 1 || !strings.Contains(m.err.String(), "check OTEL_EXPORTER_OTLP_HEADERS") {
		t.Errorf("exit %d: %s", code, m.err.String())
	}
	m.env["OTEL_EXPORTER_OTLP_HEADERS"] = "api-key=right"
	if code := m.run("export"); code != 0 || !strings.Contains(m.out.String(), "3 records sent") {
		t.Errorf("corrected: exit %d: %s%s", code, m.out.String(), m.err.String())
	}
}

// The time that the tries take counts, too.
func TestRetryForBoundsTheWhole(t *testing.T) {
	m := newMachine(t, "m")
	m.record(0, 1)
	clock, tries := time.Now(), 0
	d := drain{dir: m.history(), reader: "r", size: 10, retryFor: time.Minute, warn: t.Logf, now: func() time.Time { return clock }}
	d.wait = func(_ context.Context, pause time.Duration) error { clock = clock.Add(pause); return nil }
	d.batch = func([][]byte) func(context.Context) error {
		return func(context.Context) error {
			tries++
			clock = clock.Add(29 * time.Second)
			return errors.New("down")
		}
	}
	if _, err := d.run(t.Context()); err == nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func TestSilentServerIsLeftWhenTheTimeIsOver(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // it is not needed any more
	for kind, env := range map[string]map[string]string{
		"sync":   {"DATABASE_URL": "postgres://" + listener.Addr().String() + "/x?sslmode=disable&connect_timeout=3600"},
		"export": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + listener.Addr().String()},
	} {
		m := newMachine(t, "m")
		m.record(0, 1)
		m.env = env
		if code := m.run(kind, "--retry-for", "300ms"); code != 1 || !strings.Contains(m.err.String(), "no answer within") || !strings.Contains(m.err.String(), "nothing is lost") {
			t.Errorf("%s: exit %d: %s", kind, code, m.err.String())
		}
	}
}

func TestHeadersOfTheEnvironment(t *testing.T) {
	got, err := parseHeaders("api-key=abc%20d%3D, x = y,bad=100%")
	if want := map[string]string{"api-key": "abc d=", "x": "y", "bad": "100%"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
}

// A service may be started before the first stop.
func TestNoHistoryYet(t *testing.T) {
	m := newMachine(t, "m")
	m.env["DATABASE_URL"] = "postgres://127.0.0.1:1/x"
	if code := m.run("sync"); code != 0 || !strings.Contains(m.out.String(), "0 records sent") {
		t.Errorf("exit %d: %s%s", code, m.out.String(), m.err.String())
	}
}

func TestWrongArguments(t *testing.T) {
	m := newMachine(t, "m")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"sync"}, "set DATABASE_URL"},
		{[]string{"export"}, "set OTEL_EXPORTER_OTLP_ENDPOINT"},
		{[]string{"export", "--endpoint", "collector"}, "not an http or https address"},
		{[]string{"export", "--endpoint", "https://u:hunter22@collector"}, "must not contain a password"},
		{[]string{"sync", "extra"}, "unknown command"},
		{[]string{"sink"}, "unknown command"},
		{[]string{"sync", "--follow", "-5s"}, "--follow -5s: want an interval"},
		{[]string{"sync", "--follow", "1ns"}, "at least 1s"},
		{[]string{"export", "--follow", "soon"}, "invalid argument"},
		{[]string{"export", "--retry-for", "-1s"}, "--retry-for -1s"},
		{[]string{"sync", "--database", "mysql://x"}, "database address"},
		{[]string{"sync", "--database", "\x00"}, "database address"},
		{[]string{"sync", "--database", "postgres://u:hunter22@h/x"}, "must not contain a password"},
		{[]string{"ui", "--database", "host=h password = hunter22"}, "use --database-file"},
		{[]string{"sync", "--database", "postgres://h/x?password=hunter22"}, "must not contain a password"},
		{[]string{"sync", "--database", "postgres://h/x", "--database-file", "y"}, "not both"},
		{[]string{"sync", "--database-file", "no-such-file"}, "--database-file: "},
		{[]string{"ui"}, "set DATABASE_URL"},
		{[]string{"ui", "--database", "postgres://127.0.0.1:1/x", "--login-header", "X-User: admin"}, "not the name of a header"},
		{[]string{"execute"}, "--farm and --result are needed"},
	} {
		if code := m.run(tt.args...); code != 2 || !strings.Contains(m.err.String(), tt.want) {
			t.Errorf("%v: exit %d, %s", tt.args, code, m.err.String())
		}
	}
	file := filepath.Join(t.TempDir(), "address")
	if err := os.WriteFile(file, []byte("postgres://u:hunter22@127.0.0.1:1/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.record(0, 1)
	if code := m.run("sync", "--retry-for", "0s", "--database-file", file); code != 1 || strings.Contains(m.err.String(), "hunter22") {
		t.Errorf("exit %d, %s", code, m.err.String())
	}
	m.env["DATABASE_URL"] = "postgres://u:hunter22@127.0.0.1:1/x"
	if code := m.run("sync", "--retry-for", "0s"); code != 1 || strings.Contains(m.err.String(), "hunter22") {
		t.Errorf("exit %d, %s", code, m.err.String())
	}
}
