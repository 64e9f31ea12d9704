package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/run"
)

const secret = "ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2"

func sample() run.Result {
	return run.Result{
		Status: event.Failed, Message: "2 of 5 gates failed", ConsoleLogPath: "/logs/console.1.log", ErrorMessage: "",
		Gates: []gate.Result{
			{ID: "check:.:lint", Kind: gate.KindCheck, Name: "lint", Entry: ".", Status: gate.Pass, DurationMS: 1500, Cached: true},
			{ID: "check:app:unit", Kind: gate.KindCheck, Name: "unit", Entry: "app", Status: gate.Fail, DurationMS: 250, Message: "exit code 1", Command: `sh -c "a < b && c"`, Tail: "]]> <b>&\x00\x1b[31mred\x1b[0m \xff " + secret},
			{ID: "check:.:slow", Kind: gate.KindCheck, Name: "slow", Entry: ".", Status: gate.Skipped, Message: "not started"},
			{ID: "review:.:quality", Kind: gate.KindReview, Name: "quality", Entry: ".", Status: gate.Fail, DurationMS: 60000, Message: "2 findings", Findings: []gate.Finding{
				{File: "src/ä b:c.go", Line: 12, Issue: "it leaks", Fix: "close it", Priority: "high"},
				{File: "x.go", Issue: "naming", Priority: "low"},
			}},
			{ID: "review:.:other", Kind: gate.KindReview, Name: "other", Entry: ".", Status: gate.Error, Message: "no healthy adapters"},
		},
	}
}

var about = About{Version: "1.2.3", Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Took: 61750 * time.Millisecond}

func TestJUnit(t *testing.T) {
	data := written(t, "out.xml", sample())
	type inner struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var doc struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Time     string   `xml:"time,attr"`
		Suites   []struct {
			Name      string `xml:"name,attr"`
			Timestamp string `xml:"timestamp,attr"`
			Cases     []struct {
				Class   string `xml:"classname,attr"`
				Name    string `xml:"name,attr"`
				Time    string `xml:"time,attr"`
				Failure *inner `xml:"failure"`
				Error   *inner `xml:"error"`
				Skipped *inner `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if doc.Tests != 5 || doc.Failures != 2 || doc.Errors != 1 || doc.Skipped != 1 || doc.Time != "61.750" || len(doc.Suites) != 2 {
		t.Errorf("got %+v", doc)
	}
	checks, reviews := doc.Suites[0], doc.Suites[1]
	if checks.Name != "check" || checks.Timestamp != "2026-02-03T04:05:06" || len(checks.Cases) != 3 || checks.Cases[0].Time != "1.500" {
		t.Errorf("checks: %+v", checks)
	}
	unit := checks.Cases[1]
	if unit.Class != "check.app" || unit.Name != "unit" || unit.Failure == nil || unit.Failure.Message != "exit code 1" {
		t.Fatalf("unit: %+v", unit)
	}
	if !strings.Contains(unit.Failure.Text, `sh -c "a < b && c"`) || !strings.Contains(unit.Failure.Text, "]]> <b>&red") || strings.Contains(unit.Failure.Text, secret) {
		t.Errorf("unit: %q", unit.Failure.Text)
	}
	if checks.Cases[2].Skipped == nil || reviews.Cases[1].Error == nil || !strings.Contains(reviews.Cases[0].Failure.Text, "src/ä b:c.go:12 [high] it leaks") {
		t.Errorf("got %+v", doc.Suites)
	}
}

func TestSARIF(t *testing.T) {
	for _, name := range []string{"out.sarif", "OUT.SARIF.JSON"} {
		data := written(t, name, sample())
		var doc struct {
			Version string `json:"version"`
			Runs    []struct {
				Tool struct {
					Driver struct {
						Name, Version string
						Rules         []struct{ ID string }
					}
				}
				Invocations []struct {
					ExecutionSuccessful        *bool
					ToolExecutionNotifications []struct{ Message struct{ Text string } }
				}
				Results []struct {
					RuleID    string
					RuleIndex int
					Level     string
					Message   struct{ Text string }
					Locations []struct {
						PhysicalLocation struct {
							ArtifactLocation struct{ URI, URIBaseID string }
							Region           *struct{ StartLine int }
						}
					}
				}
			}
		}
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		r := doc.Runs[0]
		if doc.Version != "2.1.0" || r.Tool.Driver.Name != "gauntlet" || r.Tool.Driver.Version != "1.2.3" || len(r.Tool.Driver.Rules) != 5 || len(r.Results) != 3 {
			t.Fatalf("got %+v", doc)
		}
		if inv := r.Invocations[0]; inv.ExecutionSuccessful == nil || !*inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 1 {
			t.Errorf("invocation: %+v", inv)
		}
		unit, leak, naming := r.Results[0], r.Results[1], r.Results[2]
		if unit.RuleID != "check:app:unit" || r.Tool.Driver.Rules[unit.RuleIndex].ID != unit.RuleID || unit.Level != "error" || strings.Contains(unit.Message.Text, secret) || len(unit.Locations) != 1 {
			t.Errorf("unit: %+v", unit)
		}
		at := leak.Locations[0].PhysicalLocation
		if leak.Level != "error" || at.ArtifactLocation.URI != "src/%C3%A4%20b%3Ac.go" || at.Region.StartLine != 12 || !strings.Contains(leak.Message.Text, "close it") {
			t.Errorf("leak: %+v", leak)
		}
		if naming.Level != "note" || naming.Locations[0].PhysicalLocation.Region != nil {
			t.Errorf("naming: %+v", naming)
		}
	}
}

func TestEmptyRun(t *testing.T) {
	res := run.Result{Status: event.NoChanges, Message: "nothing changed"}
	if data := written(t, "a.xml", res); !bytes.Contains(data, []byte(`tests="0"`)) {
		t.Errorf("got %s", data)
	}
	if data := written(t, "a.sarif", res); !bytes.Contains(data, []byte(`"results": []`)) || !bytes.Contains(data, []byte(`"rules": []`)) {
		t.Errorf("got %s", data)
	}
}

func TestReportNames(t *testing.T) {
	for _, name := range []string{"report", "report.json", "report.txt", "", "xml"} {
		if _, err := FormatOf(name); err == nil || !strings.Contains(err.Error(), ".sarif") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := Write(filepath.Join(t.TempDir(), "no", "such", "x.xml"), sample(), about); err == nil {
		t.Error("a directory that does not exist was written to")
	}
}

func TestSummaryEndsInStatus(t *testing.T) {
	for _, colour := range []bool{false, true} {
		var b bytes.Buffer
		if err := Summary(&b, sample(), Terminal{Colour: colour}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if got := lines[len(lines)-1]; got != "2 failed, 1 could not run, 1 skipped, 1 passed in 0.0 s" {
			t.Errorf("last line %q", got)
		}
		last := lines[len(lines)-2]
		if colour && last != "\x1b[1;31mStatus: Failed\x1b[0m" || !colour && last != "Status: Failed" {
			t.Errorf("last line %q", last)
		}
		if !colour && strings.Contains(b.String(), "\x1b") {
			t.Errorf("colours in %q", b.String())
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a<b>&\"'\x00\x1b[1m\xff\ufffe]]>")
	f.Fuzz(func(t *testing.T, s string) {
		var v struct {
			A string `xml:"a,attr"`
			T string `xml:",chardata"`
		}
		e := escape(s)
		if err := xml.Unmarshal([]byte(`<x a="`+e+`">`+e+`</x>`), &v); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if v.A != v.T {
			t.Fatalf("%q: attribute %q, text %q", s, v.A, v.T)
		}
	})
}

func written(t *testing.T, name string, res run.Result) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := Write(path, res, about); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
