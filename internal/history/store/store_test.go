package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"gauntlet/internal/history"
)

var base = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func verdict(n int, project string) history.Record {
	return history.Record{
		Type: history.Verdict, ID: fmt.Sprintf("260501-%06d-abcdef", n), Time: base.Add(time.Duration(n) * time.Minute),
		Project: project, Status: "passed", Decision: "approve", DurationMS: 12.5,
		Steps: []history.Step{{Name: "gates", MS: 10}},
	}
}

func gate(n int, project, name, status string, ms float64) history.Record {
	r := verdict(n, project)
	return history.Record{Type: history.Gate, ID: r.ID, Time: r.Time, Project: project, Gate: name, Kind: "check", Status: status, DurationMS: ms}
}

func spool(t *testing.T, dir string, recs ...history.Record) {
	t.Helper()
	if err := history.Append(dir, recs...); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func ids(t *testing.T, s *Store, projects []string, limit int) []string {
	t.Helper()
	list, err := s.Verdicts(projects, limit)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, v := range list {
		ids = append(ids, v.ID[7:13])
	}
	return ids
}

func TestVerdictsNewestFirst(t *testing.T) {
	dir := t.TempDir()
	spool(t, dir, verdict(2, "/p"), gate(2, "/p", "lint", "pass", 3), gate(2, "/p", "test", "fail", 30))
	spool(t, dir, verdict(1, "/p"), verdict(3, "/q"))
	s := open(t, dir)
	if got := fmt.Sprint(ids(t, s, nil, 0)); got != "[000003 000002 000001]" {
		t.Errorf("all: %s", got)
	}
	if got := fmt.Sprint(ids(t, s, []string{"/p", "/private/p"}, 1)); got != "[000002]" {
		t.Errorf("one of /p: %s", got)
	}
	list, err := s.Verdicts(nil, 2)
	if err != nil || len(list[1].Gates) != 2 || list[1].Gates[1].Gate != "test" || list[1].Steps[0].MS != 10 || len(list[0].Gates) != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	spool(t, dir, verdict(11, "/p"), verdict(12, "/p"))
	s := open(t, dir)
	for id, want := range map[string]int{"260501-000011-abcdef": 1, "260501-000011": 1, "260501": 2, "abcdef": 2, "zzz": 0, "%": 0, "'": 0} {
		if got, err := s.Find(id); err != nil || len(got) != want {
			t.Errorf("%s: %d found, %v", id, len(got), err)
		}
	}
}

func TestIngestContinuesWhereItStopped(t *testing.T) {
	dir := t.TempDir()
	for n := range 5 {
		spool(t, dir, verdict(n, "/p"))
		s := open(t, dir)
		if got := len(ids(t, s, nil, 0)); got != n+1 {
			t.Fatalf("%d verdicts after %d", got, n+1)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("store: %v, %v", info.Mode(), err)
	}
}

func TestTornAndForeignLines(t *testing.T) {
	dir := t.TempDir()
	spool(t, dir, verdict(1, "/p"))
	path := filepath.Join(dir, "spool-00000001.jsonl")
	add := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	add("not json\n\n{}\n" + strings.Repeat("x", 3<<20) + "\n\x00\x00\n")
	half := `{"type":"verdict","id":"260501-000002-abcdef","time":"2026-05-01T13:00:00Z","status":"pa`
	add(half)
	s := open(t, dir)
	if got := len(ids(t, s, nil, 0)); got != 1 || s.Unreadable != 3 {
		t.Errorf("%d verdicts, %d unreadable lines", got, s.Unreadable)
	}
	_ = s.Close()
	add("ssed\"}\n") // the rest of the line is written
	if got := len(ids(t, open(t, dir), nil, 0)); got != 2 {
		t.Errorf("%d verdicts after the line was completed", got)
	}
}

func TestRebuiltWhenBroken(t *testing.T) {
	for name, breakIt := range map[string]func(path string) error{
		"missing":     os.Remove,
		"garbage":     func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("garbage ", 5000)), 0o600) },
		"cut":         func(p string) error { return os.Truncate(p, 5000) },
		"empty":       func(p string) error { return os.Truncate(p, 0) },
		"a directory": func(p string) error { _ = os.Remove(p); return os.Mkdir(p, 0o700) },
		"damaged in the middle": func(p string) error {
			f, err := os.OpenFile(p, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt([]byte(strings.Repeat("\xff", 9000)), 2048)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for n := range 50 {
				spool(t, dir, verdict(n, "/p"))
			}
			_ = open(t, dir).Close()
			if err := breakIt(filepath.Join(dir, fileName)); err != nil {
				t.Fatal(err)
			}
			if got := len(ids(t, open(t, dir), nil, 0)); got != 50 {
				t.Errorf("%d of 50 verdicts", got)
			}
		})
	}
}

func TestSpoolReplaced(t *testing.T) {
	dir := t.TempDir()
	spool(t, dir, verdict(1, "/p"))
	_ = open(t, dir).Close()
	if err := os.Remove(filepath.Join(dir, "spool-00000001.jsonl")); err != nil {
		t.Fatal(err)
	}
	spool(t, dir, verdict(2, "/p"), verdict(3, "/p"), verdict(4, "/p"))
	if got := len(ids(t, open(t, dir), nil, 0)); got != 4 {
		t.Errorf("%d verdicts, want the old one and three new ones", got)
	}
}

func TestNoSpoolYet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	if got := ids(t, open(t, dir), nil, 0); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("asking made a directory")
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	spool(t, dir, verdict(1, "/p"))
	if err := os.Mkdir(filepath.Join(dir, lockName), 0o700); err != nil { // this makes locking impossible
		t.Fatal(err)
	}
	if got := len(ids(t, open(t, dir), nil, 0)); got != 1 {
		t.Errorf("%d verdicts", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			if err := history.Append(dir, verdict(n, "/p")); err != nil {
				t.Error(err)
			}
			s, err := Open(t.Context(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			if list, err := s.Verdicts(nil, 0); err != nil || len(list) == 0 {
				t.Errorf("%d verdicts, %v", len(list), err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := len(ids(t, open(t, dir), nil, 0)); got != 20 {
		t.Errorf("%d of 20 verdicts", got)
	}
}

// A store of the first version keeps what the spool no longer has.
func TestMigratesTheFirstVersion(t *testing.T) {
	dir := t.TempDir()
	db, err := sqlite3.Open(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Exec(`CREATE TABLE records (seq INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, type TEXT NOT NULL, id TEXT NOT NULL,
			time INTEGER NOT NULL, project TEXT NOT NULL, body TEXT NOT NULL);
		CREATE INDEX records_by_time ON records (type, time);
		CREATE INDEX records_by_id ON records (id);
		CREATE TABLE segments (name TEXT PRIMARY KEY, offset INTEGER NOT NULL, head_len INTEGER NOT NULL, head_hash BLOB NOT NULL);
		INSERT INTO records (hash, type, id, time, project, body) VALUES
			(x'01', 'verdict', '260101-000000-abcdef', 1, '/p', '{"type":"verdict","id":"260101-000000-abcdef","project":"/p","session":"s1","status":"passed"}'),
			(x'02', 'verdict', 'bad', 2, '/p', '{torn');
		PRAGMA user_version = 1;`)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	spool(t, dir, verdict(1, "/p"))
	s := open(t, dir)
	if got := ids(t, s, nil, 0); len(got) != 2 {
		t.Errorf("verdicts after the migration: %v", got)
	}
	if n, err := s.integer("SELECT count(*) FROM records WHERE session = 's1'"); err != nil || n != 1 {
		t.Errorf("the session of the old verdict is found %d times, %v", n, err)
	}
}

func TestLabelsNewestWins(t *testing.T) {
	dir := t.TempDir()
	at := time.Now()
	spool(
		t, dir,
		history.Record{Type: history.Label, ID: "a", Time: at, Label: "right"},
		history.Record{Type: history.Label, ID: "a", Time: at.Add(time.Second), Label: "wrong"},
		history.Record{Type: history.Label, ID: "b", Time: at, Label: "right"},
	)
	labels, err := open(t, dir).Labels()
	if err != nil || len(labels) != 2 || labels["a"] != "wrong" || labels["b"] != "right" {
		t.Errorf("labels %v, %v", labels, err)
	}
}

// What is forgotten is gone from the file, and does not come back with the spool.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	mine := gate(1, "/p", "check:.:x", "fail", 1)
	mine.Tail = "secret plans"
	spool(t, dir, verdict(1, "/p"), mine, history.Record{Type: history.Label, ID: mine.ID, Time: base, Label: "right"}, verdict(2, "/p2"), gate(2, "/p2", "check:.:x", "pass", 1))
	s := open(t, dir)
	if err := errors.Join(s.Forget([]string{"/p"}), history.Forget(dir, []string{"/p"}), s.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "store.db"))
	if err != nil || strings.Contains(string(data), "secret plans") {
		t.Errorf("it is still in the file: %v", err)
	}
	s = open(t, dir)
	list, err := s.Verdicts(nil, 0)
	if err != nil || len(list) != 1 || list[0].Project != "/p2" || len(list[0].Gates) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if labels, err := s.Labels(); err != nil || len(labels) != 0 {
		t.Errorf("%v, %v", labels, err)
	}
}
