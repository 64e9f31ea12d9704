package markdown

import (
	"regexp"
	"sync"
)

// html is one of CommonMark's seven kinds of raw HTML block, in the order in
// which they are tried.
type html struct {
	start, end *regexp.Regexp
	// closer ends the block when it is still open where the document ends; ""
	// when a blank line does.
	closer string
	// shy: it does not interrupt a paragraph.
	shy bool
	// none: it looks like the next kind and is not.
	none bool
}

// htmlKinds are made when a document has a line that begins with "<".
var htmlKinds = sync.OnceValue(func() []html {
	const (
		blockTags = `address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|` +
			`fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|` +
			`noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul`
		attribute = `[ \t]+[a-zA-Z_:][a-zA-Z0-9_.:-]*([ \t]*=[ \t]*([^ \t"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?`
		blank     = `^[ \t]*$`
	)
	var kinds []html
	for _, k := range []struct {
		start, end, closer string
		shy, none          bool
	}{
		{start: `(?i)^<(script|pre|style|textarea)([ \t>]|$)`, end: `(?i)</(script|pre|style|textarea)>`, closer: "</script>"}, // any of the four ends it
		{start: `^<!--`, end: `-->`, closer: "-->"},
		{start: `^<\?`, end: `\?>`, closer: "?>"},
		{start: `^<![a-zA-Z]`, end: `>`, closer: ">"},
		{start: `^<!\[CDATA\[`, end: `\]\]>`, closer: "]]>"},
		{start: `(?i)^</?(` + blockTags + `)([ \t]|/?>|$)`, end: blank},
		{start: `(?i)^</?(script|pre|style|textarea)[ \t/>]`, none: true},
		{start: `^<([a-zA-Z][a-zA-Z0-9-]*(` + attribute + `)*[ \t]*/?|/[a-zA-Z][a-zA-Z0-9-]*[ \t]*)>[ \t]*$`, end: blank, shy: true}, // any tag alone on its line
	} {
		kinds = append(kinds, html{regexp.MustCompile(k.start), regexp.MustCompile(k.end), k.closer, k.shy, k.none})
	}
	return kinds
})

// htmlStart is the kind of block that a line begins; nil for none.
func htmlStart(t []byte, paragraph bool) *html {
	if t[0] != '<' {
		return nil
	}
	for _, k := range htmlKinds() {
		if k.start.Match(t) {
			if k.none || paragraph && k.shy {
				return nil
			}
			return &k
		}
	}
	return nil
}
