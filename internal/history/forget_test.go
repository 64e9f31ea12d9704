package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestForget(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	if err := Forget(dir, []string{"/p"}); err != nil {
		t.Fatalf("no spool: %v", err)
	}
	now := time.Now()
	recs := []Record{
		{Type: Verdict, ID: "mine", Time: now, Project: "/p"},
		{Type: Gate, ID: "mine", Time: now, Project: "/p", Tail: "secret plans"},
		{Type: Verdict, ID: "other", Time: now, Project: "/p2"},
		{Type: Label, ID: "mine", Time: now, Label: "right"},
		{Type: Label, ID: "other", Time: now, Label: "wrong"},
	}
	if err := Append(dir, recs...); err != nil {
		t.Fatal(err)
	}
	put(t, dir, segmentName(2), "not JSON\n{\"type\":\"verdict\",\"id\":\"late\",\"project\":\"/p\"}\n")
	if err := WriteCursor(dir, "fleet", Cursor{segmentName(1): 10, segmentName(2): 5}); err != nil {
		t.Fatal(err)
	}
	if err := Forget(dir, []string{"/p", "/also/p"}); err != nil {
		t.Fatal(err)
	}
	lines, _, err := ReadFrom(dir, nil, 100)
	if err != nil || len(lines) != 3 {
		t.Fatalf("%q, %v", lines, err)
	}
	for _, name := range []string{segmentName(1), segmentName(2)} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(data), `"mine"`) || strings.Contains(string(data), `"late"`) || strings.Contains(string(data), "secret") {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
	if c := ReadCursor(dir, "fleet"); c[segmentName(1)] != 0 || c[segmentName(2)] != 0 {
		t.Errorf("readers would lose their place: %v", c)
	}
}
