package review

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRecord: the agent answers findings in a file, which may hold anything afterwards.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"adapter":"claude","status":"fail","violations":[{"file":"a","line":1,"issue":"x","status":"fixed"}]}`))
	f.Add([]byte(`{"status":"skipped","violations":null}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		p := &prior{path: filepath.Join(dir, "review_r_claude@1.1.json")}
		if err := os.WriteFile(p.path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		p.unreadable = p.read()
		switch p.Status {
		case Pass, Fail, Error:
		default:
			if p.unreadable == nil {
				t.Fatalf("status %q", p.Status)
			}
		}
		_ = p.unanswered()
	})
}
