package review

import (
	"bytes"
	"encoding/json"
	"testing"
)

const (
	passObject = `{"status":"pass","message":"fine","violations":[]}`
	failObject = `{"status":"fail","message":"bad","violations":[{"file":"a.go","line":3,"issue":"boom","fix":"no boom","priority":"high"}]}`
)

func TestLastAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, out string
		want      Status // "" = none
		findings  int
	}{
		{"bare", passObject, Pass, 0},
		{"last wins", failObject + "\n" + passObject, Pass, 0},
		{"last wins the other way", passObject + " then " + failObject, Fail, 1},
		{"fenced block", "Here you are:\n```json\n" + failObject + "\n```\nThat is all.", Fail, 1},
		{"prose with braces and quotes", `The map {a: b} and "x" {don't} {"k": [1, 2]} ` + passObject + ` done {`, Pass, 0},
		{"inside another object", `{"type":"result","answer":` + failObject + `}`, Fail, 1},
		{"an object after it that is not an answer", passObject + ` {"status":"ok"} {"violations":[]}`, Pass, 0},
		{"status in a finding is not the answer's", `{"status":"fail","violations":[{"file":"a","status":"pass","violations":[]}]}`, Fail, 1},
		{"the form itself, echoed", `{"status":"pass|fail","message":"…","violations":[]}`, "", 0},
		{"pretty printed", "{\n  \"status\": \"FAIL\",\n  \"violations\": [\n  ]\n}", Fail, 0},
		{"raw newline in a string", "{\"status\":\"pass\",\"message\":\"two\nlines\"}", Pass, 0},
		{"braces in strings", `{"status":"fail","message":"} { \" \\","violations":[]}`, Fail, 0},
		{"only status", `{"status":"pass"}`, Pass, 0},
		{"cut off", failObject[:len(failObject)-2], "", 0},
		{"cut off after a complete one", passObject + "\n" + failObject[:40], Pass, 0},
		{"violations of the wrong type", `{"status":"fail","violations":"none"}`, "", 0},
		{"findings of the wrong type are left out", `{"status":"fail","violations":["x", 3, {"file":"a","line":"12-14"}]}`, Fail, 1},
		{"unicode", `{"status":"pass","message":"größer ☂"}`, Pass, 0},
		{"garbage", "I cannot do that.", "", 0},
		{"empty", "", "", 0},
		{"array", `["status"]`, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, ok := lastAnswer([]byte(tt.out))
			if ok != (tt.want != "") || a.Status != tt.want || len(a.Findings) != tt.findings {
				t.Errorf("got %v, %+v", ok, a)
			}
		})
	}
}

func TestFindingIsReadLeniently(t *testing.T) {
	for in, want := range map[string]Finding{
		`{"file":"a","line":"12-14","priority":" HIGH "}`:                        {File: "a", Line: 12, Priority: "high"},
		`{"file":"a","line":3.0,"issue":7}`:                                      {File: "a", Line: 3, Issue: "7"},
		`{"file":null,"line":null,"issue":{"x":1}}`:                              {Issue: `{"x":1}`},
		`{"file":"a","line":-4}`:                                                 {File: "a"},
		`{"file":"a","line":99999999999999999999}`:                               {File: "a", Line: 9223372036854775807},
		`{"file":"a","line":true,"status":"fixed","extra":[1],"priority":"low"}`: {File: "a", Status: "fixed", Priority: "low"},
	} {
		var got Finding
		if err := json.Unmarshal([]byte(in), &got); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got != want {
			t.Errorf("%s: got %+v", in, got)
		}
	}
}

// The search ends quickly for any braces.
func TestLastAnswerIsBounded(t *testing.T) {
	const size = 256 << 10
	fill := func(s string) []byte { return bytes.Repeat([]byte(s), size/len(s)) }
	flat := append(fill(`{"a":[`)[:600], fill("1,")...)
	for name, out := range map[string][]byte{
		"open braces":      fill("{"),
		"nested objects":   fill(`{"a":`),
		"nested arrays":    fill(`{"a":[`),
		"open strings":     fill(`{"`),
		"escapes":          fill(`{"\`),
		"many objects":     fill(`{"status":1}`),
		"flat and open":    flat,
		"spaces":           append([]byte("{"), fill(" ")...),
		"many near misses": fill(`{"status":"maybe"} `),
	} {
		t.Run(name, func(t *testing.T) {
			if _, ok := lastAnswer(out); ok {
				t.Error("found an answer in noise")
			}
			if a, ok := lastAnswer(append(out[:len(out):len(out)], "\"\n"+passObject...)); !ok || a.Status != Pass {
				t.Error("an answer after the noise was not found")
			}
		})
	}
}

func FuzzLastAnswer(f *testing.F) {
	f.Add([]byte(passObject))
	f.Add([]byte("x ```json\n" + failObject + "```"))
	f.Add([]byte(`{"a":"\`))
	f.Add([]byte("{\"status\":\"pass\",\"message\":\"\x01\"}"))
	f.Fuzz(func(t *testing.T, out []byte) {
		a, ok := lastAnswer(out)
		if ok && a.Status != Pass && a.Status != Fail {
			t.Fatalf("status %q", a.Status)
		}
		if again, okAgain := lastAnswer(append(out[:len(out):len(out)], "\n"+failObject...)); ok && !okAgain {
			t.Fatalf("an answer was lost by adding one: %+v", again)
		}
	})
}
