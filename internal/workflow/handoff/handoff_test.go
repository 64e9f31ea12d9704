package handoff

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/shape"
)

const (
	request = `{"task_id":"t1","phase":"research","mode":"plan","context":{"feature":"auth","spec_path":"specs/auth","relevant_files":["a.go"],"constraints":["no new deps"],"previous_summary":"s"},"instructions":"Look.","expected_output":"findings"}`
	reply   = `{"task_id":"t1","phase":"research","status":"complete","decision":"PROCEED","findings":{"a":1},"context_summary":"Done.","tokens_used":1200,"issues":[]}`
)

func words(n int) string { return strings.TrimSpace(strings.Repeat("w ", n)) }

func TestValidate(t *testing.T) {
	with := func(base, old, new string) string {
		if !strings.Contains(base, old) {
			t.Fatalf("no %s in the base", old)
		}
		return strings.Replace(base, old, new, 1)
	}
	over := `Context summary exceeds 500 token limit (actual: 501 tokens)`
	for _, c := range []struct {
		name             string
		kind             Kind
		in               string
		warn             bool
		errors, warnings string
	}{
		{"request", RequestKind, request, true, "", ""},
		{"response", ResponseKind, reply, true, "", ""},
		{"guessed request", "", request, false, "", ""},
		{"guessed response", "", reply, false, "", ""},
		{"request taken for a response", ResponseKind, request, false, "status: is required|decision: is required|findings: is required|context_summary: is required", ""},
		{"unknown keys", RequestKind, with(request, `{"task_id"`, `{"extra":{},"task_id"`), false, "", ""},
		{"not JSON", RequestKind, "{\n\"a\":}", false, "$: not valid JSON: line 2, column 5: unexpected '}', expected a value", ""},
		{"empty", RequestKind, "", false, "$: not valid JSON: line 1, column 1: unexpected end of file, expected a value", ""},
		{"an array", ResponseKind, "[]", false, "$: must be an object, is an array", ""},
		{"nothing in it", RequestKind, "{}", false, "task_id: is required|phase: is required|mode: is required|context: is required|instructions: is required|expected_output: is required", ""},
		{"phase", RequestKind, with(request, `"research"`, `"Research"`), false, `phase: must be one of research, write, validate, parallel, is "Research"`, ""},
		{"mode", RequestKind, with(request, `"plan"`, `7`), false, `mode: must be a string, is a number`, ""},
		{"no mode", RequestKind, with(request, `"mode":"plan",`, ``), false, `mode: is required`, ""},
		{"blank", RequestKind, with(request, `"Look."`, `" \n"`), false, `instructions: must not be blank`, ""},
		{"context", RequestKind, with(request, `"relevant_files":["a.go"]`, `"relevant_files":["a.go",3]`), false, `context.relevant_files[1]: must be a string, is a number`, ""},
		{"files", RequestKind, with(request, `["a.go"]`, `"a.go"`), false, `context.relevant_files: must be an array, is a string`, ""},
		{"nulls", RequestKind, with(request, `"previous_summary":"s"`, `"previous_summary":null`), false, "", ""},
		{"null context", RequestKind, `{"task_id":"t","phase":"write","mode":"code","context":null,"instructions":"i","expected_output":{}}`, false, "context: must be an object, is null", ""},
		{"null output", RequestKind, with(request, `"findings"`, `null`), false, "expected_output: must be a value, is null", ""},
		{"summary over", RequestKind, with(request, `"s"`, `"`+words(501)+`"`), false, "context.previous_summary: " + over, ""},
		{"summary at the limit", RequestKind, with(request, `"s"`, `"`+words(500)+`"`), false, "", ""},
		{"old name", RequestKind, with(request, `"previous_summary"`, `"previous_findings"`), true, "", "context.previous_findings: is the old name of previous_summary: use the new one"},
		{"old name over", RequestKind, with(request, `"previous_summary":"s"`, `"previous_findings":"`+words(501)+`"`), false, "context.previous_findings: " + over, "context.previous_findings: is the old name of previous_summary: use the new one"},
		{"response over, warn", ResponseKind, with(reply, `"Done."`, `"`+words(501)+`"`), true, "", "context_summary: " + over},
		{"response over", ResponseKind, with(reply, `"Done."`, `"`+words(501)+`"`), false, "context_summary: " + over, ""},
		{"request over, warn", RequestKind, with(request, `"s"`, `"`+words(501)+`"`), true, "", "context.previous_summary: " + over},
		{"response in bytes", ResponseKind, with(reply, `"Done."`, `"`+strings.Repeat("x", 9000)+`"`), false, "context_summary: Context summary exceeds 8192 byte limit (actual: 9000 bytes)", ""},
		{"status", ResponseKind, with(reply, `"complete"`, `"done"`), false, `status: must be one of complete, partial, blocked, is "done"`, ""},
		{"decision", ResponseKind, with(reply, `"PROCEED"`, `"proceed"`), false, `decision: must be one of PROCEED, STOP, CLARIFY, is "proceed"`, ""},
		{"tokens", ResponseKind, with(reply, `1200`, `-1.5`), false, `tokens_used: must be a whole number of at least 0, is -1.5`, ""},
		{"issues", ResponseKind, with(reply, `"issues":[]`, `"issues":"none"`), false, `issues: must be an array, is a string`, ""},
		{"optional ones", ResponseKind, with(reply, `,"tokens_used":1200,"issues":[]`, ``), false, "", ""},
		{"optional nulls", ResponseKind, with(reply, `1200,"issues":[]`, `null,"issues":null`), false, "", ""},
	} {
		r := ValidateText(c.kind, []byte(c.in), c.warn)
		if got := list(r.Errors); got != c.errors || r.Valid != (c.errors == "") {
			t.Errorf("%s: valid %v, errors %s", c.name, r.Valid, got)
		}
		if got := list(r.Warnings); got != c.warnings {
			t.Errorf("%s: warnings %s", c.name, got)
		}
	}
	b, _ := json.Marshal(ValidateText("", []byte(reply), false))
	if string(b) != `{"valid":true,"errors":[],"warnings":[]}` {
		t.Errorf("JSON: %s", b)
	}
}

func list(problems []Problem) string {
	var s []string
	for _, p := range problems {
		s = append(s, p.Path+": "+p.Message)
	}
	return strings.Join(s, "|")
}

func TestFindReply(t *testing.T) {
	for name, c := range map[string]struct{ message, want string }{
		"whole":            {" " + reply + "\n", reply},
		"fenced":           {"Here it is:\n\n```json\n" + reply + "\n```\nBye.", reply},
		"fenced, no name":  {"```\n" + reply + "\n```", reply},
		"longer fence":     {"````json\n" + reply + "\n````", reply},
		"behind prose":     {"All done.\n" + reply, reply},
		"before prose":     {reply + "\nAll done.", reply},
		"the last one":     {"```json\n{\"task_id\":\"old\",\"status\":\"partial\"}\n```\nthen\n```json\n" + reply + "\n```", reply},
		"other JSON first": {"```json\n{\"a\":1}\n```\n" + reply, reply},
		"cut off":          {`{"task_id":"t1","decision":"PRO`, `{"task_id":"t1","decision":"PRO`},
		"cut off in fence": {"```json\n{\"task_id\":\"t1\",\"status\":", `{"task_id":"t1","status":`},
		"half a reply":     {`{"task_id":"t1","status":"done"}`, `{"task_id":"t1","status":"done"}`},
		"prose":            {"Child: there are four files.", ""},
		"empty":            {"", ""},
		"other object":     {`{"files":["a"],"status":"ok"}`, ""},
		"other block":      {"```json\n{\"name\":\"x\",\"phase\":\"y\"}\n```", ""},
		"words about it":   {"I set \"task_id\" and \"decision\" in the JSON.", ""},
		"code with braces": {"```go\nfunc main() {\n}\n```", ""},
		"array":            {`[{"task_id":"t1","status":"x"}]`, ""},
		"deep":             {strings.Repeat("{", 5000), ""},
		"full of braces":   {strings.Repeat("{\"a\":[\n", 200_000), ""},
	} {
		got, found := FindReply(c.message)
		if string(got) != c.want || found != (c.want != "") {
			t.Errorf("%s: found %v %.80s", name, found, got)
		}
	}
}

// The schema names every field that validation looks at, with its limits.
func TestSchema(t *testing.T) {
	for _, kind := range []Kind{RequestKind, ResponseKind} {
		s := Schema(kind)
		for _, f := range Fields(kind) {
			p := s.Get("properties", f.Key)
			if p.Kind() != jsontree.Object {
				t.Errorf("%s.%s is not in the schema", kind, f.Key)
			}
			if len(f.Enum) > 0 && strings.Join(p.Get("enum").Strings(), "|") != strings.Join(f.Enum, "|") {
				t.Errorf("%s.%s: enum %s", kind, f.Key, p.Get("enum").Compact())
			}
			if f.Summary && p.Get("maxLength").Literal() != "8192" {
				t.Errorf("%s.%s has no limit", kind, f.Key)
			}
		}
		if both := Schema(""); string(both.Get("$defs", string(kind), "properties").Compact()) != string(s.Get("properties").Compact()) {
			t.Errorf("%s differs in the schema of both", kind)
		}
	}
	if got := Schema(RequestKind).Get("properties", "context", "properties", "previous_summary", "type").Compact(); string(got) != `["string","null"]` {
		t.Errorf("previous_summary: %s", got)
	}
	if got := shape.TypeScript("Response", Fields(ResponseKind)); !strings.Contains(got, `  decision: "PROCEED" | "STOP" | "CLARIFY";`) {
		t.Errorf("TypeScript:\n%s", got)
	}
}

func FuzzFindReply(f *testing.F) {
	f.Add(reply)
	f.Add("```json\n{\"task_id\":1,\"status\"")
	f.Fuzz(func(t *testing.T, message string) {
		text, found := FindReply(message)
		if found && !strings.HasPrefix(string(text), "{") {
			t.Fatalf("found %q", text)
		}
		r := ValidateText("", text, true)
		if r.Valid != (len(r.Errors) == 0) {
			t.Fatal(fmt.Sprint(r))
		}
	})
}
