package workflow

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/shape"
)

func TestPhaseMachine(t *testing.T) {
	type step struct{ phase, status string }
	for _, c := range []struct {
		name                        string
		steps                       []step
		current, completed, pending string
	}{
		{"pending waits", []step{{"a", Pending}, {"b", Pending}, {"a", Pending}}, "", "", "a b"},
		{"in progress is current", []step{{"a", Pending}, {"a", InProgress}}, "a", "", "a"},
		{"complete moves once", []step{{"a", Pending}, {"a", InProgress}, {"a", Complete}, {"a", Complete}}, "", "a", ""},
		{"another current stays", []step{{"a", InProgress}, {"b", Complete}}, "a", "b", ""},
		{"the later one is current", []step{{"a", InProgress}, {"b", InProgress}}, "b", "", ""},
		{"failed leaves pending and current", []step{{"a", Pending}, {"b", Pending}, {"a", InProgress}, {"a", Failed}}, "", "", "b"},
		{"skipped too", []step{{"a", Pending}, {"a", InProgress}, {"a", Skipped}}, "", "", ""},
		{"failed while another is current", []step{{"a", InProgress}, {"b", Failed}}, "a", "", ""},
		{"done again", []step{{"a", Complete}, {"b", Complete}, {"a", InProgress}}, "a", "b", ""},
		{"done again and complete", []step{{"a", Complete}, {"b", Complete}, {"a", InProgress}, {"a", Complete}}, "", "b a", ""},
		{"back to pending", []step{{"a", InProgress}, {"a", Pending}}, "", "", "a"},
		{"nobody knows this status", []step{{"a", InProgress}, {"a", "resting"}}, "a", "", ""},
		{"no status", []step{{"a", ""}}, "", "", "a"},
		{"no status later on", []step{{"a", InProgress}, {"b", InProgress}, {"a", ""}}, "b", "", ""},
	} {
		f := outside(t)
		for _, s := range c.steps {
			f.update("implement", s.phase, Update{Status: s.status})
		}
		d := f.LoadProgress(t.Context(), "implement", "")
		current, _ := d.Get("state", "current_phase").Text()
		completed := strings.Join(d.Get("state", "completed_phases").Strings(), " ")
		pending := strings.Join(d.Get("state", "pending_phases").Strings(), " ")
		if current != c.current || completed != c.completed || pending != c.pending {
			t.Errorf("%s: current %q, completed %q, pending %q", c.name, current, completed, pending)
		}
	}
}

func TestNewRecord(t *testing.T) {
	f := outside(t)
	u := Update{Status: InProgress, Summary: ptr("<b> & so on"), FilesCreated: []string{"a.go"}, FilesModified: []string{"b.go"}, Error: ptr("e"), Task: ptr("1.2")}
	if !f.UpdatePhase(t.Context(), "implement", "phase-1", u, "auth") {
		t.Fatal(f.said())
	}
	want := `{
  "version": 1,
  "command": "implement",
  "feature": "auth",
  "head_commit": null,
  "started_at": "2026-01-02T03:04:06.678Z",
  "updated_at": "2026-01-02T03:04:06.678Z",
  "completed_at": null,
  "state": {
    "current_phase": "phase-1",
    "completed_phases": [],
    "pending_phases": [],
    "current_task": "1.2"
  },
  "phases": {
    "phase-1": {
      "status": "in_progress",
      "started_at": "2026-01-02T03:04:06.678Z",
      "updated_at": "2026-01-02T03:04:06.678Z",
      "context_summary": "<b> & so on",
      "files_created": [
        "a.go"
      ],
      "files_modified": [
        "b.go"
      ],
      "error": "e"
    }
  }
}`
	if got := f.content("implement-auth.json"); got != want {
		t.Errorf("got\n%s", got)
	}
	// The record has every key of the types the documents are made from.
	d := doc(t, want)
	for _, k := range []struct {
		v    *jsontree.Value
		keys []string
	}{{d, shape.Keys(Progress{})[:9]}, {d.Get("state"), shape.Keys(State{})}, {d.Get("phases", "phase-1"), shape.Keys(Phase{})}} {
		var got []string
		for _, m := range k.v.Members() {
			got = append(got, m.Key)
		}
		if !slices.Equal(got, k.keys) {
			t.Errorf("keys %v, types say %v", got, k.keys)
		}
	}
}

func TestDeepMerge(t *testing.T) {
	f := outside(t)
	for _, data := range []string{
		`{"status":"in_progress","tasks":{"1":{"status":"complete","note":"n"},"2":{"status":"pending"}},"files_created":["a"],"list":[1,2],"x":{"y":{"z":1}},"keep":null}`,
		`{"tasks":{"2":{"status":"complete"},"3":{"by":"me"}},"files_created":["b","a"],"list":[3],"x":{"y":{"w":2},"v":[]}}`,
	} {
		f.update("implement", "phase-1", Update{Data: doc(t, data)})
	}
	f.update("implement", "phase-1", Update{FilesCreated: []string{"c", "a"}, Data: doc(t, `{"files_created":["d"]}`)})
	f.update("implement", "phase-2", Update{Data: doc(t, `{"tasks":[{"id":"1","s":1},{"id":2}]}`)})
	f.update("implement", "phase-2", Update{Data: doc(t, `{"tasks":[{"id":2,"s":2},{"id":"3"}]}`)})
	d := f.LoadProgress(t.Context(), "implement", "")
	p := d.Get("phases", "phase-1")
	for key, want := range map[string]string{
		"tasks":         `{"1":{"status":"complete","note":"n"},"2":{"status":"complete"},"3":{"by":"me"}}`,
		"files_created": `["a","b","c","d"]`,
		"list":          `[3]`,
		"x":             `{"y":{"z":1,"w":2},"v":[]}`,
		"keep":          `null`,
		"status":        `"in_progress"`,
	} {
		if got := string(p.Get(key).Compact()); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
	if got := string(d.Get("phases", "phase-2", "tasks").Compact()); got != `[{"id":"1","s":1},{"id":2,"s":2},{"id":"3"}]` {
		t.Errorf("tasks in a list: %s", got)
	}
	if f.UpdatePhase(t.Context(), "implement", "phase-1", Update{Data: doc(t, `[1]`)}, "") || f.said() != "the data of a phase is not a JSON object" {
		t.Error("data that is no object")
	}
	if f.UpdatePhase(t.Context(), "implement", "", Update{}, "") || f.said() != "no phase given" {
		t.Error("a phase without a name")
	}
}

func TestErrorOfAFailedPhaseIsClearedWhenItContinues(t *testing.T) {
	f := outside(t)
	f.update("ship", "push", Update{Status: Failed, Error: ptr("no network")})
	if got := show(f.GetResumePoint(t.Context(), "ship", "")); got != `"push" null` {
		t.Errorf("resume: %s", got)
	}
	f.update("ship", "push", Update{Status: Complete})
	if got := f.LoadProgress(t.Context(), "ship", "").Get("phases", "push", "error"); !got.Empty() {
		t.Errorf("error %s", got.Compact())
	}
}

func TestUnknownKeysSurviveAnUpdate(t *testing.T) {
	f := outside(t)
	f.put("design-x.json", `{
  "custom": {
    "n": 1.0
  },
  "version": 1,
  "phases": {
    "old": {
      "mine": "\u00e9",
      "status": "complete"
    }
  },
  "state": {
    "extra": [],
    "completed_phases": [
      "old"
    ],
    "pending_phases": null
  }
}`)
	if !f.UpdatePhase(t.Context(), "design", "write", Update{Status: InProgress}, "x") {
		t.Fatal(f.said())
	}
	want := `{
  "custom": {
    "n": 1.0
  },
  "version": 1,
  "command": "design",
  "feature": "x",
  "head_commit": null,
  "started_at": "2026-01-02T03:04:06.678Z",
  "updated_at": "2026-01-02T03:04:06.678Z",
  "phases": {
    "old": {
      "mine": "\u00e9",
      "status": "complete"
    },
    "write": {
      "status": "in_progress",
      "started_at": "2026-01-02T03:04:06.678Z",
      "updated_at": "2026-01-02T03:04:06.678Z"
    }
  },
  "state": {
    "current_phase": "write",
    "extra": [],
    "completed_phases": [
      "old"
    ],
    "pending_phases": []
  }
}`
	if got := f.content("design-x.json"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// For any order of updates: no phase is in two lists or twice in one, the lists agree with
// the statuses, and the document stays canonical.
func TestListsAgreeWithStatuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, err := newRecord("implement", "", "t0")
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			phase := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "phase")
			status := rapid.SampledFrom(PhaseStatuses()).Draw(t, "status")
			if err := applyUpdate(d, phase, Update{Status: status}, "now"); err != nil {
				t.Fatal(err)
			}
		}
		completed := d.Get("state", "completed_phases").Strings()
		pending := d.Get("state", "pending_phases").Strings()
		current, _ := d.Get("state", "current_phase").Text()
		for _, m := range d.Get("phases").Members() {
			status, _ := m.Value.Get("status").Text()
			count := func(list []string) (n int) {
				for _, p := range list {
					if p == m.Key {
						n++
					}
				}
				return n
			}
			if want := map[bool]int{true: 1}[status == Complete]; count(completed) != want {
				t.Fatalf("%s is %s, completed %v", m.Key, status, completed)
			}
			if n := count(pending); n > 1 || n == 1 && status != Pending && status != InProgress || n == 0 && status == Pending {
				t.Fatalf("%s is %s, pending %v", m.Key, status, pending)
			}
			if current == m.Key && status != InProgress {
				t.Fatalf("current %s is %s", current, status)
			}
		}
		if r := Resume(d); (current != "") != (r.Phase != nil && *r.Phase == current) {
			t.Fatalf("current %q, resume %s", current, show(r))
		}
	})
}

func TestKnownPhases(t *testing.T) {
	for _, c := range []struct {
		command, phase string
		want           bool
	}{
		{"implement", "phase-1", true},
		{"implement", "phase-42", true},
		{"implement", "phase-", false},
		{"implement", "phase-x", false},
		{"implement", "phase-N", false},
		{"ship", "gate", true},
		{"ship", "phase-1", false},
		{"review", "L1-T1", true},
		{"review", "l2", false},
		{"deploy", "gate", false},
	} {
		if got := KnownPhase(c.command, c.phase); got != c.want {
			t.Errorf("%s %s: %v", c.command, c.phase, got)
		}
	}
}

// For any content of a file: an update works or returns why not, and what it writes is a
// record again.
func FuzzUpdate(f *testing.F) {
	f.Add([]byte(`{"version":1,"state":{"completed_phases":["a",1,null]},"phases":{"a":{"tasks":[{"id":1}]}}}`), []byte(`{"tasks":[{"id":1,"x":[]}],"status":"failed"}`), "complete")
	f.Add([]byte(`{"state":null,"phases":{"p":null},"completed_at":5}`), []byte(`{"files_created":[1,"a","a"],"started_at":7}`), "")
	f.Fuzz(func(t *testing.T, file, data []byte, status string) {
		d, err := jsontree.Parse(file)
		if err != nil || d.Kind() != jsontree.Object {
			return
		}
		patch, err := jsontree.Parse(data)
		if err != nil {
			return
		}
		if err := applyUpdate(d, "p", Update{Status: status, Data: patch, FilesCreated: []string{"x"}}, "now"); err != nil {
			return
		}
		stampRecord(d, "implement", "f", "", "now")
		again, err := jsontree.Parse(d.Indented())
		if err != nil {
			t.Fatalf("%v\n%s", err, d.Indented())
		}
		if again.Get("phases", "p", "updated_at").Literal() != `"now"` || !slices.Contains(again.Get("phases", "p", "files_created").Strings(), "x") {
			t.Fatalf("the update is not in\n%s", d.Indented())
		}
		_ = Resume(again)
	})
}
