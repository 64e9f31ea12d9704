package markdown

import (
	"bytes"
	"strings"
)

// htmlKind is one of CommonMark's seven kinds of raw HTML block.
type htmlKind uint8

const (
	htmlNone        htmlKind = iota
	htmlVerbatim             // <script>, <pre>, <style>, <textarea>
	htmlComment              // <!-- … -->
	htmlProcessing           // <? … ?>
	htmlDeclaration          // <!X … >
	htmlCDATA                // <![CDATA[ … ]]>
	htmlBlock                // a block-level tag, until a blank line
	htmlAnyTag               // any tag alone on its line, until a blank line
)

// ends reports whether this line is the block's last (for the kinds that end
// at a blank line: the first one after it).
func (k htmlKind) ends(line []byte) bool {
	switch k {
	case htmlVerbatim:
		lower := bytes.ToLower(line)
		for _, tag := range [...]string{"</script>", "</pre>", "</style>", "</textarea>"} {
			if bytes.Contains(lower, []byte(tag)) {
				return true
			}
		}
		return false
	case htmlComment, htmlProcessing, htmlDeclaration, htmlCDATA:
		return bytes.Contains(line, []byte(k.closer()))
	case htmlBlock, htmlAnyTag:
		return len(bytes.TrimSpace(line)) == 0
	case htmlNone:
	}
	return true
}

// closer ends the block when it is still open where the document ends; "" when
// a blank line does.
func (k htmlKind) closer() string {
	switch k {
	case htmlVerbatim:
		return "</script>" // any of the four ends it
	case htmlComment:
		return "-->"
	case htmlProcessing:
		return "?>"
	case htmlDeclaration:
		return ">"
	case htmlCDATA:
		return "]]>"
	case htmlBlock, htmlAnyTag, htmlNone:
	}
	return ""
}

// htmlStart tells which kind of block the line begins. One of any tag does not
// interrupt a paragraph.
func htmlStart(t []byte, paragraph bool) htmlKind {
	if len(t) < 2 || t[0] != '<' {
		return htmlNone
	}
	switch {
	case bytes.HasPrefix(t, []byte("<!--")):
		return htmlComment
	case t[1] == '?':
		return htmlProcessing
	case bytes.HasPrefix(t, []byte("<![CDATA[")):
		return htmlCDATA
	case t[1] == '!':
		if len(t) > 2 && isLetter(t[2]) {
			return htmlDeclaration
		}
		return htmlNone
	}
	closing := t[1] == '/'
	name := t[1:]
	if closing {
		name = t[2:]
	}
	n := 0
	for n < len(name) && (isLetter(name[n]) || (n > 0 && (name[n] == '-' || (name[n] >= '0' && name[n] <= '9')))) {
		n++
	}
	if n == 0 {
		return htmlNone
	}
	after := name[n:]
	ends := len(after) == 0 || isBlank(after[0]) || after[0] == '>'
	tag := strings.ToLower(string(name[:n]))
	switch tag {
	case "script", "pre", "style", "textarea":
		if !closing && ends {
			return htmlVerbatim
		}
		return htmlNone
	default:
		if (ends || bytes.HasPrefix(after, []byte("/>"))) && isBlockTag(tag) {
			return htmlBlock
		}
	}
	if !paragraph && wholeTag(after, closing) {
		return htmlAnyTag
	}
	return htmlNone
}

func isLetter(b byte) bool { return (b|0x20) >= 'a' && (b|0x20) <= 'z' }

func isBlockTag(tag string) bool {
	switch tag {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col",
		"colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure",
		"footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html",
		"iframe", "legend", "li", "link", "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option",
		"p", "param", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr",
		"track", "ul":
		return true
	}
	return false
}

// wholeTag reports whether a tag is complete and alone: t is what follows its name.
func wholeTag(t []byte, closing bool) bool {
	for {
		trimmed := bytes.TrimLeft(t, " \t")
		spaced := len(trimmed) < len(t)
		t = trimmed
		if len(t) == 0 {
			return false
		}
		if t[0] == '>' {
			return len(bytes.TrimLeft(t[1:], " \t")) == 0
		}
		if closing {
			return false
		}
		if t[0] == '/' {
			return len(t) > 1 && t[1] == '>' && len(bytes.TrimLeft(t[2:], " \t")) == 0
		}
		if !spaced || !(isLetter(t[0]) || t[0] == '_' || t[0] == ':') {
			return false
		}
		n := 1
		for n < len(t) && (isLetter(t[n]) || (t[n] >= '0' && t[n] <= '9') || bytes.IndexByte([]byte("_.:-"), t[n]) >= 0) {
			n++
		}
		t = t[n:]
		value := bytes.TrimLeft(t, " \t")
		if len(value) == 0 || value[0] != '=' {
			continue
		}
		t = bytes.TrimLeft(value[1:], " \t")
		if len(t) == 0 {
			return false
		}
		if q := t[0]; q == '"' || q == '\'' {
			end := bytes.IndexByte(t[1:], q)
			if end < 0 {
				return false
			}
			t = t[end+2:]
			continue
		}
		n = 0
		for n < len(t) && bytes.IndexByte([]byte(" \t\"'=<>`"), t[n]) < 0 {
			n++
		}
		if n == 0 {
			return false
		}
		t = t[n:]
	}
}
