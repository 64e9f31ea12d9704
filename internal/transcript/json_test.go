package transcript

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The result is what encoding/json reads from the document.
func TestFieldsAgreeWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,5}`), value(3), 0, 6).Draw(t, "doc")
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indent") {
			raw, _ = json.MarshalIndent(doc, "", "  ")
		}
		n := 0
		if !walk(raw, func(k, v []byte) bool {
			n++
			want, err := json.Marshal(doc[string(k)])
			if err != nil {
				t.Fatal(err)
			}
			var got, exp any
			if json.Unmarshal(v, &got) != nil || json.Unmarshal(want, &exp) != nil {
				t.Fatalf("value of %q is not JSON: %s", k, v)
			}
			if s, ok := exp.(string); ok && text(v) != s {
				t.Fatalf("text of %q = %q, want %q", k, text(v), s)
			}
			if isString(v) && len(asText(exp)) < 1000 && excerpt(v) != asText(exp) {
				t.Fatalf("excerpt of %q = %q", k, excerpt(v))
			}
			return true
		}) || n != len(doc) {
			t.Fatalf("%d members of %d in %s", n, len(doc), raw)
		}
		// A torn document is not a document, wherever it is torn.
		if cut := rapid.IntRange(0, len(raw)-1).Draw(t, "cut"); walk(raw[:cut], func(_, _ []byte) bool { return true }) {
			t.Fatalf("torn document taken for whole: %s", raw[:cut])
		}
	})
}

func asText(v any) string {
	if t, ok := v.(string); ok {
		return t
	}
	return ""
}

func value(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.String().AsAny(), rapid.Float64Range(-1e6, 1e6).AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
		rapid.StringMatching(`[\\"{}\[\],:u0-9a-f]{0,12}`).AsAny(),
	}
	if depth > 0 {
		kinds = append(kinds, rapid.SliceOfN(value(depth-1), 0, 3).AsAny(), rapid.MapOfN(rapid.String(), value(depth-1), 0, 3).AsAny())
	}
	return rapid.OneOf(kinds...)
}

func TestExcerptKeepsHeadAndTail(t *testing.T) {
	for _, unit := range []string{"a", `é`, "\n", `\`, `"`, "😀", "\u2028"} {
		long := "HEAD" + strings.Repeat(unit, 100_000) + "TAIL"
		raw, err := json.Marshal(long)
		if err != nil {
			t.Fatal(err)
		}
		got := excerpt(raw)
		if !strings.HasPrefix(got, "HEAD"+unit) || !strings.HasSuffix(got, unit+"TAIL") || !utf8.ValidString(got) {
			t.Errorf("excerpt of %q… = %.20q … %q", unit, got, got[len(got)-20:])
		}
		if len(got) > headBytes+tailBytes+len(cutMark)+8 {
			t.Errorf("excerpt of %q is %d bytes", unit, len(got))
		}
	}
}
