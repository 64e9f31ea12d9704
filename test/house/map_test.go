package house

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMapMatchesTheTree compares docs/architecture.md and the package comments with the
// tree: every package is listed on its ring, with its sub-packages.
func TestMapMatchesTheTree(t *testing.T) {
	data, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := braces(string(data))
	onMap, at := map[string]int{}, -1
	row := regexp.MustCompile(`^  (?:[a-z]+/ *)+`)
	for line := range strings.Lines(doc) {
		if _, after, ok := strings.Cut(line, "# ring "); ok {
			_, _ = fmt.Sscan(strings.TrimRight(after[:1], ":"), &at)
			continue
		}
		for room := range strings.FieldsSeq(row.FindString(line)) {
			onMap[strings.TrimSuffix(room, "/")] = at
		}
	}
	for room, r := range ring {
		if got, ok := onMap[room]; !ok || got != r {
			t.Errorf("docs/architecture.md: %s belongs on ring %d", room, r)
		}
		delete(onMap, room)
	}
	for room := range onMap {
		t.Errorf("docs/architecture.md: internal/%s does not exist", room)
	}
	h := load(t, "../..")
	says := regexp.MustCompile(`\bRing (\d)\b`)
	for _, p := range h.pkgs {
		inside, ok := strings.CutPrefix(p.path, "internal/")
		if !ok {
			continue
		}
		if inside != p.room && path.Dir(inside) != "agent" && !strings.Contains(doc, inside) {
			t.Errorf("docs/architecture.md does not name %s", inside)
		}
		documented := slices.ContainsFunc(p.files, func(f *file) bool { return f.Doc != nil })
		for _, f := range p.files {
			if m := says.FindStringSubmatch(f.Doc.Text()); m != nil && m[1] != fmt.Sprint(ring[p.room]) {
				t.Errorf("%s: the package comment says ring %s, it is on ring %d", f.name, m[1], ring[p.room])
			}
		}
		if !documented && p.whole {
			t.Errorf("%s has no package comment", p.path)
		}
	}
}

// braces expands a/{b,c} to a/b a/c.
func braces(s string) string {
	return regexp.MustCompile(`([a-z/]+/)\{([a-z,]+)\}`).ReplaceAllStringFunc(s, func(group string) string {
		prefix, list, _ := strings.Cut(strings.TrimSuffix(group, "}"), "{")
		var out []string
		for name := range strings.SplitSeq(list, ",") {
			out = append(out, prefix+name)
		}
		return strings.Join(out, " ")
	})
}
