package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// oracle lists the headings directly in the document as goldmark sees them:
// level and line number.
func oracle(doc []byte) []string {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	var out []string
	root := goldmark.DefaultParser().Parse(text.NewReader(doc))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			var words []string
			for i := range h.Lines().Len() {
				seg := h.Lines().At(i)
				words = append(words, strings.TrimSpace(string(seg.Value(doc))))
			}
			out = append(out, fmt.Sprintf("%d %q", h.Level, strings.Join(words, " ")))
		}
	}
	return out
}

func ours(doc []byte) []string {
	var out []string
	for _, h := range scan(doc).headings {
		out = append(out, fmt.Sprintf("%d %q", h.Level, h.Text))
	}
	return out
}

// lines are the pieces that documents are drawn from. Items without content are
// not among them: goldmark lets a nested list end them, CommonMark does not.
var lines = []string{
	"", "", "text", "## Last Session", "# One", "## Two", "### Three", "#no", "   ## Indented", "    ## code", "\t## tab",
	"```", "````", "~~~", "```go", "``` `x", "  ```", "    ```", "<!--", "-->", "<!-- x -->", "a <!-- b", "<div>", "</div>", "<pre>", "</pre>",
	"<b>", "<a href=\"x\">", "<?php", "?>", "<!DOCTYPE x", "<![CDATA[", "]]>", "> quote", "> ## In quote", "> ```", "> ", ">", "- item", "- ## In item",
	"  ## in item?", "  text", "1. one", "   ## in one?", "2. two", "10) ten", "* * *", "---", "- - -", "===", "====  ", "--", "+ plus", "  - nested", "    - deeper", "- [ ] task",
	">     code", "-     code", "-\tx", " -  ```", "    text", "## Last Session ##", "## # x #", "##", "#", "## a \\#",
}

func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 12).Draw(rt, "lines"), "\n")
		if rapid.Bool().Draw(rt, "final newline") {
			doc += "\n"
		}
		want, got := oracle([]byte(doc)), ours([]byte(doc))
		if fmt.Sprint(want) != fmt.Sprint(got) {
			rt.Fatalf("%q\nwant %v\ngot  %v", doc, want, got)
		}
	})
}

// TestReplaceAgainstOracle: whatever the document, replacing keeps every other
// heading, keeps every byte outside the section and can be repeated.
func TestReplaceAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "line end")
		doc := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 14).Draw(rt, "lines"), eol)
		if rapid.Bool().Draw(rt, "final newline") && doc != "" {
			doc += eol
		}
		checkReplace(rt, []byte(doc))
	})
}

func checkReplace(t interface{ Fatalf(string, ...any) }, doc []byte) {
	before := scan(doc).headings
	res := ReplaceSection(doc, "Last Session", body)
	again := ReplaceSection(res.Doc, "Last Session", body)
	if !bytes.Equal(res.Doc, again.Doc) {
		t.Fatalf("%q\nonce  %q\ntwice %q", doc, res.Doc, again.Doc)
	}
	if again.Found == 0 {
		t.Fatalf("%q\nthe new section is not found in %q", doc, res.Doc)
	}
	if res.Found == 0 {
		if !bytes.HasPrefix(res.Doc, doc) {
			t.Fatalf("%q\nappending changed what was there: %q", doc, res.Doc)
		}
		return
	}
	for i, h := range before {
		if h.Level != 2 || !titled(h.Text, "Last Session") {
			continue
		}
		if !bytes.HasPrefix(res.Doc, doc[:h.End]) {
			t.Fatalf("%q\nchanged before the section: %q", doc, res.Doc)
		}
		for _, next := range before[i+1:] {
			if next.Level <= 2 {
				if !bytes.HasSuffix(res.Doc, doc[next.Start:]) {
					t.Fatalf("%q\nchanged behind the section: %q", doc, res.Doc)
				}
				return
			}
		}
		return
	}
}

func FuzzReplaceSection(f *testing.F) {
	f.Add([]byte("# P\n\n## Last Session\nold\n\n## N\n"))
	f.Add([]byte("\ufeff```\r\n## Last Session\r\n"))
	f.Add([]byte("- a\n\n  ## Last Session\n> <!--\n## Last Session"))
	f.Fuzz(func(t *testing.T, doc []byte) { checkReplace(t, doc) })
}
