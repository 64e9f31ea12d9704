package jsonedit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gauntlet/internal/jsontree"
)

func TestAppendAndRemove(t *testing.T) {
	const value = `{"x":[1]}`
	cases := []struct{ name, in, want string }{
		{"two spaces", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n"},
		{"tabs", "{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"k\": {\n\t\t\"x\": [\n\t\t\t1\n\t\t]\n\t}\n}"},
		{"four spaces, deep", "{\n    \"a\": {\n        \"b\": 2\n    }\n}", "{\n    \"a\": {\n        \"b\": 2\n    },\n    \"k\": {\n        \"x\": [\n            1\n        ]\n    }\n}"},
		{"windows line ends", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"k\": {\r\n    \"x\": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n"},
		{"trailing comma", "{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  },\n}"},
		{"line comment behind", "{\n  \"a\": 1 // why\n}", "{\n  \"a\": 1, // why\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  }\n}"},
		{"comments all over", "// top\n{\n  \"a\": 1, // one\n  /* two */\n  // three\n}\n// end", "// top\n{\n  \"a\": 1, // one\n  /* two */\n  // three\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  },\n}\n// end"},
		{"one line", `{"a":1}`, `{"a":1,"k":{"x":[1]}}`},
		{"one line, spaced", `{"a": 1, "b": 2}`, `{"a": 1, "b": 2, "k": {"x":[1]}}`},
		{"one line, trailing comma", `{"a":1,}`, `{"a":1,"k":{"x":[1]},}`},
		{"one line, comment", `{"a":1 /* , */}`, `{"a":1,"k":{"x":[1]} /* , */}`},
		{"byte order mark", "\ufeff{\n  \"a\": 1\n}", "\ufeff{\n  \"a\": 1,\n  \"k\": {\n    \"x\": [\n      1\n    ]\n  }\n}"},
		{"brackets hugging", "{\n  \"a\": [{\n    \"b\": 1\n  }]}\n", "{\n  \"a\": [{\n    \"b\": 1\n  }], \"k\": {\n    \"x\": [\n      1\n    ]\n  }}\n"},
		{"minified long", "{\"a\":{\"b\":[1,2]}}\n", "{\"a\":{\"b\":[1,2]},\"k\":{\"x\":[1]}}\n"},
	}
	for _, c := range cases {
		root, err := jsontree.ParseRelaxed([]byte(c.in))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		edits := Append([]byte(c.in), root, root, "k", value)
		got := Apply([]byte(c.in), edits)
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
			continue
		}
		root, err = jsontree.ParseRelaxed(got)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		back := Apply(got, Remove(got, root, len(root.Items())-1))
		if string(back) != c.in {
			t.Errorf("%s: removed again: %q, want %q", c.name, back, c.in)
		}
	}
}

func TestAppendToEmpty(t *testing.T) {
	for in, want := range map[string]string{
		"{}":               "{\n  \"k\": 1\n}",
		"{}\n":             "{\n  \"k\": 1\n}\n",
		"{\n}\n":           "{\n  \"k\": 1\n}\n",
		"{\n  // none\n}":  "{\n  // none\n  \"k\": 1\n}",
		"{ /* none */ }":   "{ /* none */\n  \"k\": 1\n }",
		"{\n\n\n}":         "{\n  \"k\": 1\n\n\n}",
		"// c\n{\r\n}\r\n": "// c\n{\n  \"k\": 1\r\n}\r\n",
	} {
		root, err := jsontree.ParseRelaxed([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		edits := Append([]byte(in), root, root, "k", "1")
		got := Apply([]byte(in), edits)
		if string(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if back, ok := Undo(got, edits); !ok || string(back) != in {
			t.Errorf("%q: undone to %q", in, back)
		}
	}
}

func TestRemoveFromAnywhere(t *testing.T) {
	cases := []struct {
		in   string
		i    int
		want string
	}{
		{"[\n  1,\n  2,\n  3\n]", 0, "[\n  2,\n  3\n]"},
		{"[\n  1,\n  2,\n  3\n]", 1, "[\n  1,\n  3\n]"},
		{"[\n  1,\n  2,\n  3\n]", 2, "[\n  1,\n  2\n]"},
		{"[1, 2, 3]", 1, "[1, 3]"},
		{"[\n  1\n]", 0, "[]"},
		{"[\n  // keep\n  1\n]", 0, "[\n  // keep\n]"},
		{"[\n  1, // one\n  2\n]", 1, "[\n  1 // one\n]"},
		{"[1 /* a */ , /* b */ 2]", 1, "[1 /* a */  /* b */]"},
		{"[\n  1 // keep\n]", 0, "[ // keep\n]"},
		{"[1, // one\n  2, 3]", 1, "[1, // one\n 3]"},
		{"[ // none\r\n  1, 2]", 0, "[ // none\r\n 2]"},
		{"[ // none\n  1]", 0, "[ // none\n]"},
	}
	for _, c := range cases {
		root, err := jsontree.ParseRelaxed([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		got := Apply([]byte(c.in), Remove([]byte(c.in), root, c.i))
		if string(got) != c.want {
			t.Errorf("%q without %d: %q, want %q", c.in, c.i, got, c.want)
		}
		if _, err := jsontree.ParseRelaxed(got); err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// standard is a document as plain JSON.
func standard(data []byte) ([]byte, error) {
	v, err := jsontree.ParseRelaxed(data)
	if err != nil {
		return nil, err
	}
	return v.Compact(), nil
}

func TestStandard(t *testing.T) {
	got, err := standard([]byte("\ufeff{ // x\n \"a\": [1, 2,], /* y */ \"b\": {\"c\": \"// no\",},\n}"))
	if err != nil || string(got) != `{"a":[1,2],"b":{"c":"// no"}}` {
		t.Errorf("%s %v", got, err)
	}
}

// document draws a value with random comments and white space.
func document(t *rapid.T, depth int) string {
	gap := rapid.SampledFrom([]string{"", " ", "\n", "\n  ", " /* c, } */ ", " // x ] ,\n", "\t"})
	switch k := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case k < 2 && depth < 3:
		open, end := "[", "]"
		if k == 1 {
			open, end = "{", "}"
		}
		var b strings.Builder
		b.WriteString(open)
		n := rapid.IntRange(0, 3).Draw(t, "n")
		for i := range n {
			b.WriteString(gap.Draw(t, "gap"))
			if k == 1 {
				fmt.Fprintf(&b, "\"k%d\"%s:%s", i, gap.Draw(t, "gap"), gap.Draw(t, "gap"))
			}
			b.WriteString(document(t, depth+1))
			b.WriteString(gap.Draw(t, "gap"))
			if i < n-1 || rapid.Bool().Draw(t, "trailing") {
				b.WriteString(",")
			}
		}
		b.WriteString(gap.Draw(t, "gap"))
		b.WriteString(end)
		return b.String()
	case k < 4:
		s, _ := json.Marshal(rapid.String().Draw(t, "string"))
		return string(s)
	case k == 4:
		return rapid.SampledFrom([]string{"0", "-1.5e3", "12"}).Draw(t, "number")
	}
	return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
}

// For any file: it parses after every edit, means the same plus or minus the one item, and
// undoing restores every byte.
func TestEditsAreExactAndReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := []byte("{\"x\":" + document(t, 0) + "}")
		root, err := jsontree.ParseRelaxed(in)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		var before, after map[string]any
		plain, _ := standard(in)
		if err := json.Unmarshal(plain, &before); err != nil {
			t.Fatalf("%q is not what it means: %v", in, err)
		}
		target := root
		if c := root.Get("x"); c.Kind() == jsontree.Object && rapid.Bool().Draw(t, "inner") {
			target = c
		}
		edits := Append(in, root, target, "ours", `{"a":["b"]}`)
		out := Apply(in, edits)
		plain, err = standard(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		if err := json.Unmarshal(plain, &after); err != nil {
			t.Fatal(err)
		}
		holder := before
		if target != root {
			holder = before["x"].(map[string]any)
		}
		holder["ours"] = map[string]any{"a": []any{"b"}}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%q became %q:\n%s", in, out, diff)
		}
		if back, ok := Undo(out, edits); !ok || string(back) != string(in) {
			t.Fatalf("undo of %q gives %q", out, back)
		}
		root, _ = jsontree.ParseRelaxed(out)
		where := root
		if target.Start != 0 {
			where = root.Get("x")
		}
		gone := Apply(out, Remove(out, where, len(where.Items())-1))
		if len(where.Items()) > 1 && string(gone) != string(in) {
			t.Fatalf("removal from %q gives %q, want %q", out, gone, in)
		}
		if _, err := jsontree.ParseRelaxed(gone); err != nil {
			t.Fatalf("removal gives %q: %v", gone, err)
		}
	})
}

// outline is the meaning of a node, without item i of the container that is left out.
func outline(n, without *jsontree.Value, i int) []any {
	out := []any{n.Kind(), n.Literal()}
	for k, it := range n.Items() {
		if n != without || k != i {
			out = append(out, it.Key, outline(it.Value, without, i))
		}
	}
	return out
}

func containers(n *jsontree.Value) []*jsontree.Value {
	var out []*jsontree.Value
	if len(n.Items()) > 0 {
		out = append(out, n)
	}
	for _, it := range n.Items() {
		out = append(out, containers(it.Value)...)
	}
	return out
}

// The rest means the same, whichever item is removed and wherever comments are.
func TestRemovalTakesOneItemOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := []byte("{\"x\":" + document(t, 0) + "}")
		root, err := jsontree.ParseRelaxed(in)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		all := containers(root)
		from := all[rapid.IntRange(0, len(all)-1).Draw(t, "container")]
		i := rapid.IntRange(0, len(from.Items())-1).Draw(t, "item")
		edits := Remove(in, from, i)
		out := Apply(in, edits)
		after, err := jsontree.ParseRelaxed(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		if diff := cmp.Diff(outline(root, from, i), outline(after, nil, 0)); diff != "" {
			t.Fatalf("%q became %q:\n%s", in, out, diff)
		}
		if back, ok := Undo(out, edits); !ok || string(back) != string(in) {
			t.Fatalf("undo of %q gives %q", out, back)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"{}", "{\"a\":[1,],}//", "[", "{\"a\":1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		root, err := jsontree.ParseRelaxed([]byte(in))
		if err != nil {
			return
		}
		plain, err := standard([]byte(in))
		if err != nil || !json.Valid(plain) {
			t.Fatalf("%q means %q: %v", in, plain, err)
		}
		if root.Kind() == jsontree.Object {
			out := Apply([]byte(in), Append([]byte(in), root, root, "k", "1"))
			if _, err := jsontree.ParseRelaxed(out); err != nil {
				t.Fatalf("%q became %q: %v", in, out, err)
			}
		}
	})
}
