package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func appendN(t *testing.T, dir string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		rec := Record{Type: Verdict, ID: fmt.Sprint("id-", i), Time: time.Now(), Status: "passed"}
		if err := Append(dir, rec); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadFromContinuesWhereItStopped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	if lines, _, err := ReadFrom(dir, nil, 10); err != nil || len(lines) != 0 {
		t.Fatalf("no spool: %d lines, %v", len(lines), err)
	}
	appendN(t, dir, 0, 7)
	var got []string
	cursor := Cursor{}
	for {
		lines, next, err := ReadFrom(dir, cursor, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) == 0 {
			break
		}
		if len(lines) > 3 {
			t.Fatalf("%d lines, asked for 3", len(lines))
		}
		for _, l := range lines {
			got = append(got, string(l))
		}
		if err := WriteCursor(dir, "test", next); err != nil {
			t.Fatal(err)
		}
		cursor = ReadCursor(dir, "test")
	}
	if len(got) != 7 {
		t.Fatalf("read %d of 7 lines", len(got))
	}
	for i, l := range got {
		if !strings.Contains(l, fmt.Sprintf(`"id-%d"`, i)) {
			t.Errorf("line %d is %s", i, l)
		}
	}
	appendN(t, dir, 7, 8)
	if lines, _, err := ReadFrom(dir, cursor, 10); err != nil || len(lines) != 1 {
		t.Errorf("after one more: %d lines, %v", len(lines), err)
	}
}

// A process that opened the old segment before a rotation adds its line there.
func TestReadFromSeesLateLinesOfAnOldSegment(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, segmentName(1), "{\"id\":\"a\"}\n")
	put(t, dir, segmentName(2), "{\"id\":\"b\"}\n")
	_, next, err := ReadFrom(dir, nil, 10)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, segmentName(1), "{\"id\":\"a\"}\n{\"id\":\"late\"}\n")
	lines, _, err := ReadFrom(dir, next, 10)
	if err != nil || len(lines) != 1 || !strings.Contains(string(lines[0]), "late") {
		t.Errorf("got %q, %v", lines, err)
	}
}

func TestReadFromLeavesPartialLineForLater(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, segmentName(1), "{\"id\":\"a\"}\n{\"id\":\"ha")
	lines, next, err := ReadFrom(dir, nil, 10)
	if err != nil || len(lines) != 1 {
		t.Fatalf("got %q, %v", lines, err)
	}
	put(t, dir, segmentName(1), "{\"id\":\"a\"}\n{\"id\":\"half\"}\n"+strings.Repeat("x", maxSpoolLine+1)+"\n{\"id\":\"c\"}\n")
	lines, _, err = ReadFrom(dir, next, 10)
	if err != nil || len(lines) != 2 || string(lines[0]) != `{"id":"half"}` || string(lines[1]) != `{"id":"c"}` {
		t.Errorf("got %d lines, %v", len(lines), err)
	}
}

func TestSegmentsAreKeptUntilRead(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i := 1; i <= keepSegments+2; i++ {
		put(t, dir, segmentName(i), "{\"id\":\"x\"}\n")
		names = append(names, segmentName(i))
	}
	cursor := Cursor{segmentName(1): 11}
	if err := WriteCursor(dir, "fleet", cursor); err != nil {
		t.Fatal(err)
	}
	prune(dir, names)
	left, err := Segments(dir)
	if err != nil || len(left) != len(names)-1 || left[0] != segmentName(2) {
		t.Errorf("left %v, %v", left, err)
	}
	if err := os.Remove(cursorFile(dir, "fleet")); err != nil {
		t.Fatal(err)
	}
	prune(dir, left)
	if left, err = Segments(dir); err != nil || len(left) != keepSegments-1 {
		t.Errorf("without a reader %d are left, %v", len(left), err)
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
