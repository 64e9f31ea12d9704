package jsontree

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

// Everything a careless re-encoding would change.
const foreign = `{
  "zeta": 1.0,
  "alpha": 12345678901234567890123,
  "exp": 1E+2,
  "minus": -0,
  "html": "<a href=\"x\">&</a>",
  "python": "caf\u00e9 \ud83d\ude00",
  "slash": "a\/b",
  "lone": "\ud800",
  "sep": "` + "\u2028" + `",
  "del": "` + "\u007f" + `",
  "empty": {},
  "none": [],
  "deep": [
    [
      {
        "k": null
      },
      []
    ],
    true
  ],
  "": "empty key",
  "dup": 1,
  "dup": 2,
  "1": "number-like",
  "0": "key"
}`

func TestForeignFileIsUnchangedByteForByte(t *testing.T) {
	v := parse(t, foreign)
	if got := string(v.Indented()); got != foreign {
		t.Errorf("got\n%s", got)
	}
	if got := string(v.Clone().Indented()); got != foreign {
		t.Errorf("clone: got\n%s", got)
	}
	again := parse(t, string(v.Compact()))
	if got := string(again.Indented()); got != foreign {
		t.Errorf("by way of the compact form: got\n%s", got)
	}
}

func TestLookupsAndChanges(t *testing.T) {
	v := parse(t, foreign)
	if s, _ := v.Get("python").Text(); s != "café 😀" {
		t.Errorf("python: %q", s)
	}
	if s, _ := v.Get("lone").Text(); s != "\ufffd" {
		t.Errorf("lone: %q", s)
	}
	if v.Get("dup").Literal() != "2" {
		t.Error("of two equal keys the last one counts")
	}
	if v.Get("html", "x", "y").Kind() != Missing || v.Get("nope").Get("x") != nil || !v.Get("nope").Empty() {
		t.Error("a lookup in what is not there finds something")
	}
	v.Set("zeta", NewString("\x01\b\t\n\f\r\"\\<\u2028é"))
	v.Set("last", NewInt(-3))
	want := strings.Replace(foreign, `"zeta": 1.0`, `"zeta": "\u0001\b\t\n\f\r\"\\<`+"\u2028"+`é"`, 1)
	want = strings.Replace(want, "\"0\": \"key\"\n", "\"0\": \"key\",\n  \"last\": -3\n", 1)
	if got := string(v.Indented()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSetInOrder(t *testing.T) {
	order := []string{"a", "b", "c", "d"}
	for in, want := range map[string]string{
		`{}`:                  `{"c":0}`,
		`{"x":1}`:             `{"c":0,"x":1}`,
		`{"x":1,"b":1,"y":1}`: `{"x":1,"b":1,"c":0,"y":1}`,
		`{"b":1,"a":1,"d":1}`: `{"b":1,"a":1,"c":0,"d":1}`,
		`{"d":1,"c":1}`:       `{"d":1,"c":0}`,
	} {
		v := parse(t, in)
		v.SetInOrder("c", NewInt(0), order)
		if got := string(v.Compact()); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestSyntaxErrorsNameThePlace(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "line 1, column 1",
		"  \n ":                   "line 2, column 2",
		"{\n  \"é\": tru\n}":      "line 2, column 8",
		`{"a":1,}`:                "line 1, column 8",
		`[1 2]`:                   "line 1, column 4",
		`{"a" 1}`:                 "line 1, column 6",
		`{"a":1} x`:               "line 1, column 9",
		`"abc`:                    "line 1, column 1",
		"\"a\nb\"":                "line 1, column 1",
		`"\x"`:                    "line 1, column 1",
		`"\u12g4"`:                "line 1, column 1",
		`01`:                      "line 1, column 1",
		`-`:                       "line 1, column 1",
		`1.`:                      "line 1, column 1",
		`1e`:                      "line 1, column 1",
		`NaN`:                     "line 1, column 1",
		strings.Repeat("[", 9999): "line 1, column 1001",
	} {
		_, err := Parse([]byte(in))
		var se *SyntaxError
		if !errors.As(err, &se) || !strings.HasPrefix(err.Error(), want+":") {
			t.Errorf("%.20q: got %v, want %s", in, err, want)
		}
	}
}

func TestRelaxedErrorsNameLineAndColumn(t *testing.T) {
	cases := []struct{ in, want string }{
		{"", "1:1: unexpected end of file, expected a value"},
		{"{\n  \"a\": 1\n  \"b\": 2\n}", "3:3: unexpected '\"', expected ',' or '}'"},
		{"{\n  \"a\": ,\n}", "2:8: unexpected ',', expected a value"},
		{"{\n  'a': 1\n}", "2:3: unexpected '\\'', expected a key in double quotes"},
		{"{\"é\": tru}", "1:7: \"tru\" is not a value"},
		{"{\"a\": 01}", "1:7: \"01\" is not a value"},
		{"{\"a\" 1}", "1:6: unexpected '1', expected ':' after the key"},
		{"{\"a\": [1, 2}", "1:12: unexpected '}', expected ',' or ']'"},
		{"{\n\n\"a\": {", "3:7: an object opened on line 3 is never closed"},
		{"{} x", "1:4: unexpected 'x' after the end of the document"},
		{"{\"a\": \"x\ny\"}", "1:7: string is not closed on its line"},
		{"{\"a\": \"x", "1:7: string is never closed"},
		{"{\"a\": \"\\q\"}", "1:7: invalid string: bad escape or control character"},
		{"{} /* x", "1:4: comment is never closed"},
		{"{,}", "1:2: unexpected ',', expected a key in double quotes"},
		{"[1,,2]", "1:4: unexpected ',', expected a value"},
		{"{\"a\": NaN}", "1:7: unexpected 'N', expected a value"},
		{"{\"\xff\":1}", "1:3: not UTF-8 text"},
		{strings.Repeat("[", 5000), "1:1001: nested too deeply"},
	}
	for _, c := range cases {
		_, err := ParseRelaxed([]byte(c.in))
		var se *SyntaxError
		if !errors.As(err, &se) || fmt.Sprintf("%d:%d: %s", se.Line, se.Column, se.Msg) != c.want {
			t.Errorf("%.40q: %v, want %s", c.in, err, c.want)
		}
	}
}

func TestFromGoEscapesOnlyWhatIsNecessary(t *testing.T) {
	v, err := FromGo(map[string]string{"k<": "a&b\u2028"})
	if err != nil || string(v.Compact()) != `{"k<":"a&b`+"\u2028"+`"}` {
		t.Errorf("got %s, %v", v.Compact(), err)
	}
}

func TestWalk(t *testing.T) {
	var paths []string
	parse(t, `{"a":{"b":[{"c":1},2]},"d":3}`).Walk(func(path, _ string, v *Value) {
		if v.Kind() == Number {
			paths = append(paths, path)
		}
	})
	if want := []string{"a.b[0].c", "a.b[1]", "d"}; !reflect.DeepEqual(paths, want) {
		t.Errorf("got %v", paths)
	}
}

// The reference is the tool whose files are shared.
func TestSameAsNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT CHECKED: node is not installed, so nothing compared our output with JSON.stringify")
	}
	text := "\x00\x01\x1f \"\\/<>&'\u007f\u0085\u00a0é\u2028\u2029\ufeff😀\b\t\n\f\r"
	v := NewObject()
	v.Set(text, NewArray(NewString(text), NewObject(), NewArray(), NewNull(), NewInt(7)))
	cmd := exec.Command(node, "-e", `process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")), null, 2))`)
	cmd.Stdin = strings.NewReader(string(v.Compact()))
	out, err := cmd.Output()
	if err != nil || string(out) != string(v.Indented()) {
		t.Errorf("node wrote\n%s\nwe wrote\n%s\n%v", out, v.Indented(), err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{foreign, `[1,-2.5e-3,"\u00e9\ud83d\ude00"]`, `{"a":`, `"\ud800\u0041"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if strings.HasPrefix(string(data), "\ufeff") {
			return // encoding/json refuses what is skipped here
		}
		if valid := json.Valid(data); valid != (err == nil) {
			if err != nil && strings.Contains(err.Error(), "deeply") {
				return
			}
			t.Fatalf("encoding/json says valid=%v, we say %v", valid, err)
		}
		if err != nil {
			return
		}
		var want, got any
		if json.Unmarshal(data, &want) != nil {
			return // a number beyond float64
		}
		if err := json.Unmarshal(v.Indented(), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("meaning changed: %v\n%s", err, v.Indented())
		}
		if again, err := Parse(v.Indented()); err != nil || string(again.Indented()) != string(v.Indented()) {
			t.Fatalf("not stable: %v", err)
		}
		var text string
		if json.Unmarshal(data, &text) == nil {
			if s, ok := v.Text(); ok && s != text {
				t.Fatalf("text %q, want %q", s, text)
			}
		}
	})
}

func parse(t *testing.T, s string) *Value {
	t.Helper()
	v, err := Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
