package cli

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// helpWidth is what a help text is fitted to: the narrowest terminal in use.
const helpWidth = 80

// showHelp prints what a command is for and how it is called, fitted to 80 columns.
func showHelp(cmd *cobra.Command, _ []string) {
	about := cmp.Or(cmd.Long, cmd.Short)
	var b strings.Builder
	for _, paragraph := range strings.Split(strings.TrimSpace(about), "\n\n") {
		b.WriteString(filled(paragraph) + "\n\n")
	}
	for line := range strings.Lines(cmd.UsageString()) {
		b.WriteString(folded(line))
	}
	fmt.Fprint(cmd.OutOrStdout(), b.String())
}

// filled wraps the lines of a paragraph again; one that is indented or a heading
// stays unchanged.
func filled(paragraph string) string {
	if strings.Contains("\n"+paragraph, "\n ") || strings.Contains(paragraph, "\t") || strings.HasPrefix(paragraph, "#") {
		return paragraph
	}
	return wrapped(strings.Join(strings.Fields(paragraph), " "), "")
}

// folded breaks the description of a flag, under where it begins.
func folded(line string) string {
	if utf8.RuneCountInString(line) <= helpWidth || !strings.HasPrefix(strings.TrimSpace(line), "-") {
		return line
	}
	text := strings.TrimRight(line, "\n")
	at := strings.LastIndex(text, "   ") + 3
	if at < 3 || at > 50 {
		return line
	}
	return text[:at] + wrapped(text[at:], strings.Repeat(" ", at)) + "\n"
}

// wrapped breaks a text at spaces; indent stands before every line but the first.
func wrapped(text, indent string) string {
	var b strings.Builder
	room := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			room = helpWidth - len(indent)
		case n+1 > room:
			b.WriteString("\n" + indent)
			room = helpWidth - len(indent)
		default:
			b.WriteByte(' ')
			room--
		}
		b.WriteString(word)
		room -= n
	}
	return b.String()
}
