package markdown

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const body = "- Time: now\n\nBye."

func TestReplaceSection(t *testing.T) {
	for name, tc := range map[string]struct {
		doc, want string
		found     int
	}{
		"middle": {
			"# P\n\n## Last Session\n\nold\nold\n\n## Next\nx\n",
			"# P\n\n## Last Session\n\n- Time: now\n\nBye.\n\n## Next\nx\n", 1,
		},
		"last, final newline stays": {
			"## Last Session\nold\n", "## Last Session\n\n- Time: now\n\nBye.\n", 1,
		},
		"last, no final newline stays": {
			"## Last Session\nold", "## Last Session\n\n- Time: now\n\nBye.", 1,
		},
		"trailing blank lines stay": {
			"## Last Session\nold\n\n\n", "## Last Session\n\n- Time: now\n\nBye.\n\n\n", 1,
		},
		"something behind the title": {
			"## Last Session (2026-01-16)\nold\n# End\n", "## Last Session (2026-01-16)\n\n- Time: now\n\nBye.\n\n# End\n", 1,
		},
		"another word is another section": {
			"## Last Sessions\nold\n", "## Last Sessions\nold\n\n## Last Session\n\n- Time: now\n\nBye.\n", 0,
		},
		"level 3 is not it, and does not end it": {
			"### Last Session\na\n## Last Session\nb\n### Sub\nc\n## Z\n",
			"### Last Session\na\n## Last Session\n\n- Time: now\n\nBye.\n\n## Z\n", 1,
		},
		"bare carriage returns are line ends": {
			"# P\r\r## Last Session\rold\r\r## Z\r", "# P\r\r## Last Session\r\r- Time: now\r\rBye.\r\r## Z\r", 1,
		},
		"level 1 ends it": {
			"## Last Session\nb\n# Z\n", "## Last Session\n\n- Time: now\n\nBye.\n\n# Z\n", 1,
		},
		"underlined headings end it": {
			"## Last Session\nb\n\nZ\n---\nc\n", "## Last Session\n\n- Time: now\n\nBye.\n\nZ\n---\nc\n", 1,
		},
		"an underlined heading right after a block is not swallowed": {
			"## Last Session\n```\nb\n```\nZ\n===\nc\n", "## Last Session\n\n- Time: now\n\nBye.\n\nZ\n===\nc\n", 1,
		},
		"first of two": {
			"## Last Session\na\n## Last Session\nb\n", "## Last Session\n\n- Time: now\n\nBye.\n\n## Last Session\nb\n", 2,
		},
		"fence holds a heading": {
			"```\n## Last Session\n```\n## Last Session\nb\n~~~\n## Z\n~~~\nend\n",
			"```\n## Last Session\n```\n## Last Session\n\n- Time: now\n\nBye.\n", 1,
		},
		"comment holds a heading": {
			"<!--\n## Last Session\n-->\n## Last Session\nb\n<!-- \n## Z\n-->\n# E\n",
			"<!--\n## Last Session\n-->\n## Last Session\n\n- Time: now\n\nBye.\n\n# E\n", 1,
		},
		"indented code, quote and list item are no place": {
			"    ## Last Session\n\n> ## Last Session\n\n- ## Last Session\n\n  ## Last Session\n",
			"    ## Last Session\n\n> ## Last Session\n\n- ## Last Session\n\n  ## Last Session\n\n## Last Session\n\n- Time: now\n\nBye.\n", 0,
		},
		"CRLF": {
			"# P\r\n\r\n## Last Session\r\nold\r\n\r\n## N\r\n",
			"# P\r\n\r\n## Last Session\r\n\r\n- Time: now\r\n\r\nBye.\r\n\r\n## N\r\n", 1,
		},
		"BOM": {
			"\ufeff## Last Session\nold\n", "\ufeff## Last Session\n\n- Time: now\n\nBye.\n", 1,
		},
		"no UTF-8": {
			"\xff\xfe\n## Last Session\nold\n## \xf0\n", "\xff\xfe\n## Last Session\n\n- Time: now\n\nBye.\n\n## \xf0\n", 1,
		},
		"empty section":               {"## Last Session\n## N\n", "## Last Session\n\n- Time: now\n\nBye.\n\n## N\n", 1},
		"empty section, blank line":   {"## Last Session\n\n## N\n", "## Last Session\n\n- Time: now\n\nBye.\n\n## N\n", 1},
		"empty section at the end":    {"## Last Session\n", "## Last Session\n\n- Time: now\n\nBye.\n", 1},
		"only the heading":            {"## Last Session", "## Last Session\n\n- Time: now\n\nBye.", 1},
		"closed heading":              {"## Last Session ##\nx\n", "## Last Session ##\n\n- Time: now\n\nBye.\n", 1},
		"empty document":              {"", "## Last Session\n\n- Time: now\n\nBye.\n", 0},
		"append":                      {"# P\ntext\n", "# P\ntext\n\n## Last Session\n\n- Time: now\n\nBye.\n", 0},
		"append, no final newline":    {"# P", "# P\n\n## Last Session\n\n- Time: now\n\nBye.", 0},
		"append after a blank line":   {"# P\n\n", "# P\n\n## Last Session\n\n- Time: now\n\nBye.\n", 0},
		"append behind an open fence": {"````go\ncode\n", "````go\ncode\n````\n\n## Last Session\n\n- Time: now\n\nBye.\n", 0},
		"append behind an open comment": {
			"<!-- x\n", "<!-- x\n-->\n\n## Last Session\n\n- Time: now\n\nBye.\n", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ReplaceSection([]byte(tc.doc), "Last Session", body)
			if diff := cmp.Diff(tc.want, string(got.Doc)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got.Found != tc.found {
				t.Errorf("found %d sections, want %d", got.Found, tc.found)
			}
			again := ReplaceSection(got.Doc, "Last Session", body)
			if !bytes.Equal(again.Doc, got.Doc) {
				t.Errorf("the second time changed something:\n%s", cmp.Diff(string(got.Doc), string(again.Doc)))
			}
		})
	}
}

func TestSectionLines(t *testing.T) {
	got := ReplaceSection([]byte("a\r\n\r\n## Last Session\r\n\r\n## Last Session, old\r\n"), "Last Session", body)
	if diff := cmp.Diff([]int{3, 5}, got.Lines); diff != "" {
		t.Error(diff)
	}
}

func TestOpenTask(t *testing.T) {
	for doc, want := range map[string]string{
		"- [x] a\n- [ ] b c \n- [ ] d\n":         "b c",
		"```\n- [ ] a\n```\n* [ ] b\n- [ ] c":    "c",
		"<!--\n- [ ] a\n-->\n1. x\n   - [ ] b\n": "b",
		"- [ ]a\n- [ ]\n":                        "",
	} {
		if got, _ := OpenTask([]byte(doc)); got != want {
			t.Errorf("%q: got %q, want %q", doc, got, want)
		}
	}
	if _, ok := OpenTask([]byte("- [x] done\n")); ok {
		t.Error("a done item is not open")
	}
}

func TestHugeDocumentIsLinear(t *testing.T) {
	doc := []byte(strings.Repeat("> - text <!-- `` *x*\n", 200_000) + "\n## Last Session\nold\n")
	got := ReplaceSection(doc, "Last Session", body)
	if got.Found != 1 || !bytes.HasPrefix(got.Doc, doc[:len(doc)-4]) {
		t.Error("section not found or the rest changed")
	}
}
