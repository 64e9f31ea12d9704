package house

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMapMatchesTheTree compares docs/architecture.md and the package comments with the
// tree: every package is listed on its ring, with its sub-packages, and every file that is
// named exists.
func TestMapMatchesTheTree(t *testing.T) {
	data, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	h := program(t)
	for _, p := range mapProblems(string(data), h) {
		t.Error(p)
	}
	without := func(old, with string) string { return strings.Replace(string(data), old, with, 1) }
	for name, broken := range map[string]string{
		"a room is not on the map":        without("  tmux/ ", "  tmux: "),
		"a room does not exist":           without("  tmux/ ", "  screen/ "),
		"a room is on another ring":       without("  # ring 1:", "  # ring 2:"),
		"a sub-package is not on the map": without("proof/attest", "attest"),
		"a test does not exist":           without("`words_test.go`", "`names_test.go`"),
		"a place does not exist":          without("`internal/stop/steps.go`", "`internal/stop/table.go`"),
	} {
		if len(mapProblems(broken, h)) == 0 {
			t.Errorf("not caught: %s", name)
		}
	}
}

func mapProblems(text string, h *house) (out []string) {
	report := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	doc := braces(text)
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
			report("docs/architecture.md: %s belongs on ring %d", room, r)
		}
		delete(onMap, room)
	}
	for room := range onMap {
		report("docs/architecture.md: internal/%s does not exist", room)
	}
	for _, m := range regexp.MustCompile("`([a-z_/]+\\.go)`").FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc([]string{"", "internal", "internal/stop", "test/house"}, func(dir string) bool {
			_, err := os.Stat(filepath.Join(h.root, dir, filepath.FromSlash(m[1])))
			return err == nil
		}) {
			report("docs/architecture.md: %s does not exist", m[1])
		}
	}
	says := regexp.MustCompile(`\bRing (\d)\b`)
	for _, p := range h.pkgs {
		inside, ok := strings.CutPrefix(p.path, "internal/")
		if !ok {
			continue
		}
		if inside != p.room && path.Dir(inside) != "agent" && !strings.Contains(doc, inside) {
			report("docs/architecture.md does not name %s", inside)
		}
		documented := slices.ContainsFunc(p.files, func(f *file) bool { return f.Doc != nil })
		for _, f := range p.files {
			if m := says.FindStringSubmatch(f.Doc.Text()); m != nil && m[1] != fmt.Sprint(ring[p.room]) {
				report("%s: the package comment says ring %s, it is on ring %d", f.name, m[1], ring[p.room])
			}
		}
		if !documented && p.whole {
			report("%s has no package comment", p.path)
		}
	}
	return out
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
