package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A client writes its transcript a moment after it acts: tests that ran before
// the last edit must not prove it only because the edit is not on disk yet.
func TestEditNotYetInTranscript(t *testing.T) {
	line := func(s string) string { return strings.ReplaceAll(s, "'", `"`) + "\n" }
	before := line(`{'type':'user','uuid':'u1','timestamp':'2026-01-02T09:00:00Z','message':{'role':'user','content':'go'}}`) +
		line(`{'type':'assistant','uuid':'a1','timestamp':'2026-01-02T09:00:01Z','message':{'id':'m1','role':'assistant','content':[{'type':'tool_use','id':'t1','name':'Bash','input':{'command':'go test ./...'}}]}}`) +
		line(`{'type':'user','uuid':'r1','timestamp':'2026-01-02T09:00:02Z','message':{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':'ok  x 0.1s'}]}}`)
	p := newPlace(t)
	p.clock = time.Now
	name := filepath.Join(p.dir, ".git", "t.jsonl")
	p.Event.TranscriptPath = name
	edit := line(`{'type':'assistant','uuid':'a2','timestamp':'2026-01-02T09:00:03Z','message':{'id':'m2','role':'assistant','content':[{'type':'tool_use','id':'t2','name':'Edit','input':{'file_path':'`+p.dir+`/src/a.go','old_string':'a','new_string':'b'}}]}}`) +
		line(`{'type':'user','uuid':'r2','timestamp':'2026-01-02T09:00:04Z','message':{'role':'user','content':[{'type':'tool_result','tool_use_id':'t2','content':'done'}]}}`)

	p.write(".git/t.jsonl", before)
	p.write("src/a.go", "package b\n")
	old := time.Now().Add(-time.Second)
	if err := os.Chtimes(filepath.Join(p.dir, "src/a.go"), old, old); err != nil {
		t.Fatal(err)
	}
	if o := p.see().Look(t.Context()); len(o.Result.Actions) != 0 && o.Result.Actions[0].ID == "tests" {
		t.Fatalf("tests that ran after the edit prove nothing: %+v", o.Result)
	}

	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	p.write("src/a.go", "package c\n")
	now := time.Now()
	p.clock = func() time.Time { return now } // however long the look takes
	time.AfterFunc(80*time.Millisecond, func() { _ = os.WriteFile(name, []byte(before+edit), 0o600) })
	o := p.see().Look(t.Context())
	if len(o.Result.Actions) == 0 || o.Result.Actions[0].ID != "tests" {
		t.Errorf("the edit that came late was missed: %+v", o.Result)
	}
}
