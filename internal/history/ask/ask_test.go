package ask_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/test/asktest"
)

func open(t *testing.T, recs ...history.Record) *store.Store {
	t.Helper()
	dir := t.TempDir()
	if err := history.Append(dir, recs...); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestAnswers(t *testing.T) { asktest.Answers(t, open(t, asktest.Sample()...)) }

func TestPagesFollowEachOther(t *testing.T) {
	var recs []history.Record
	for i := range 250 {
		recs = append(recs, history.Record{Type: history.Verdict, ID: fmt.Sprintf("v%03d", i), Time: asktest.Monday.Add(time.Duration(i) * time.Second), Status: "passed", Source: history.FromStop})
	}
	db := open(t, recs...)
	seen, before := map[string]bool{}, int64(0)
	for range 10 {
		page, err := ask.Stops(t.Context(), db, ask.Filter{}, before)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Stops {
			if seen[s.ID] {
				t.Errorf("%s twice", s.ID)
			}
			seen[s.ID] = true
		}
		if page.Next == "" {
			break
		}
		if _, err := fmt.Sscan(page.Next, &before); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 250 {
		t.Errorf("%d of 250 seen", len(seen))
	}
}

func TestSharedStoreSeesWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	if err := history.Append(dir, asktest.Sample()...); err != nil {
		t.Fatal(err)
	}
	page, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close() //nolint:errcheck // read only
	if err := page.Share(); err != nil {
		t.Fatal(err)
	}
	before := mark(t, page)
	// Another process reads and writes meanwhile.
	other, err := store.Open(context.WithoutCancel(t.Context()), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := history.Append(dir, history.Record{Type: history.Verdict, ID: "new", Time: asktest.Monday, Status: "passed"}); err != nil {
		t.Fatal(err)
	}
	if err := page.Refresh(dir); err != nil { // the other holds the lock
		t.Fatal(err)
	}
	if mark(t, page) != before {
		t.Error("changed while another process has the store")
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := page.Refresh(dir); err != nil {
		t.Fatal(err)
	}
	if mark(t, page) == before {
		t.Error("the new record is not seen")
	}
}

func mark(t *testing.T, db ask.DB) string {
	t.Helper()
	m, err := db.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return m
}
