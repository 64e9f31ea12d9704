package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// checkLanguage finds the worst of a private dialect in comments and messages. The list is
// short on purpose: every word on it has a plain replacement ("detect", "report", "fix",
// "Gauntlet's", or the name of who is meant).
func checkLanguage(h *house) (out []finding) {
	words := regexp.MustCompile(`(?i)\b(told|tells|nobody|somebody|whoever|ours|our own|mends|mended|speaks)\b`)
	report := func(n ast.Node, text string) {
		if word := words.FindString(text); word != "" {
			out = append(out, h.at(n, "use a plainer word than \""+word+"\": say who does what"))
		}
	}
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, group := range f.Comments {
				for _, c := range group.List {
					report(c, c.Text)
				}
			}
		}
	}
	h.each(func(_ *pkg, _ *file, n ast.Node) {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, " ") {
			report(lit, lit.Value)
		}
	})
	return out
}
