package review

import (
	"testing"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	said := "explained"
	f := func(issue, priority, status string) Finding {
		return Finding{File: "a.go", Line: 7, Issue: issue, Priority: priority, Status: status, Result: &said}
	}
	const (
		leak = "the file handle is never closed when reading fails"
		race = "two goroutines write the counter without a lock"
		name = "the variable should have a longer name"
	)
	for _, tt := range []struct {
		name              string
		earlier, reported []Finding
		threshold         string
		want              []string // issue/answer
		reopened, dropped int
	}{
		{"fixed and not seen again", []Finding{f(leak, "high", "fixed")}, nil, "high", nil, 0, 0},
		{"fixed but seen again", []Finding{f(leak, "low", "fixed")}, []Finding{{File: "a.go", Line: 9, Issue: "file handle is never closed when reading fails", Priority: "low"}}, "high", []string{leak + "/new"}, 1, 0},
		{"unanswered stays", []Finding{f(leak, "low", "new")}, nil, "critical", []string{leak + "/new"}, 0, 0},
		{"unknown answer stays", []Finding{f(leak, "low", "done!")}, nil, "high", []string{leak + "/new"}, 0, 0},
		{"skipped stays skipped", []Finding{f(leak, "critical", "skipped")}, []Finding{f(leak, "critical", "new")}, "low", []string{leak + "/skipped"}, 0, 0},
		{"new from the threshold up", nil, []Finding{f(race, "high", "new"), f(name, "medium", "new")}, "high", []string{race + "/new"}, 0, 1},
		{"unknown priority is not dropped", nil, []Finding{f(race, "urgent", "new")}, "high", []string{race + "/new"}, 0, 0},
		{"another finding at the same line", []Finding{f(leak, "high", "skipped")}, []Finding{f(race, "high", "new")}, "high", []string{leak + "/skipped", race + "/new"}, 0, 0},
		{"same words, another file", []Finding{f(leak, "high", "skipped")}, []Finding{{File: "b.go", Line: 7, Issue: leak, Priority: "high"}}, "high", []string{leak + "/skipped", leak + "/new"}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept, reopened, dropped := merge(tt.earlier, tt.reported, tt.threshold)
			var got []string
			for _, k := range kept {
				got = append(got, k.Issue+"/"+string(k.Answer()))
			}
			if len(got) != len(tt.want) || reopened != tt.reopened || dropped != tt.dropped {
				t.Fatalf("got %q, reopened %d, dropped %d", got, reopened, dropped)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("got %q", got)
				}
			}
		})
	}
}

// No unanswered finding gets lost and no skipped one becomes a failure again, whatever is
// reported.
func TestMergeKeepsWhatIsOpen(t *testing.T) {
	finding := rapid.Custom(func(t *rapid.T) Finding {
		return Finding{
			File:     rapid.SampledFrom([]string{"a", "b"}).Draw(t, "file"),
			Line:     rapid.IntRange(0, 3).Draw(t, "line"),
			Issue:    rapid.SampledFrom([]string{"x y z", "x y w", "p q", ""}).Draw(t, "issue"),
			Priority: rapid.SampledFrom([]string{"critical", "high", "medium", "low", "?"}).Draw(t, "priority"),
			Status:   rapid.SampledFrom([]string{"new", "fixed", "skipped", "", "odd"}).Draw(t, "status"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		earlier := rapid.SliceOfN(finding, 0, 6).Draw(t, "earlier")
		reported := rapid.SliceOfN(finding, 0, 6).Draw(t, "reported")
		for i := range reported {
			reported[i].Status = "new"
		}
		kept, _, _ := merge(earlier, reported, rapid.SampledFrom([]string{"critical", "high", "low"}).Draw(t, "threshold"))
		count := func(list []Finding, a Answer) (n int) {
			for _, f := range list {
				if f.Answer() == a {
					n++
				}
			}
			return n
		}
		if count(kept, New) < count(earlier, New) {
			t.Fatalf("open findings were lost: %+v", kept)
		}
		if count(kept, Waived) != count(earlier, Waived) || count(kept, Fixed) != 0 {
			t.Fatalf("skipped or fixed ones changed: %+v", kept)
		}
	})
}
