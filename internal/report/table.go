package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gauntlet/internal/redact"
)

// Columns prints what fill writes, its cells separated by tabs, in columns; lines that are
// wider than the terminal are broken at spaces.
func (t Terminal) Columns(w io.Writer, fill func(w io.Writer)) error {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fill(tw)
	if err := tw.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, fold(redact.Strip(strings.TrimRight(line, " \n")), t.Width()-1, true)); err != nil {
			return err
		}
	}
	return nil
}

// Table is rows below a head. In a terminal that is too narrow whole columns are left
// out, because half a figure looks like another figure; without a terminal nothing is.
type Table struct {
	Head []string
	Rows [][]string
	// Spare are the heads of columns that may be left out, the first one first.
	Spare []string
	// Least is how wide the last column must be, in which text is broken at spaces; 0: all of it.
	Least int
	// Figures aligns all columns but the first to the right.
	Figures bool
}

// Print writes the table; paint colours a line and gets the row's index, -1 for the head.
func (tb Table) Print(w io.Writer, t Terminal, paint func(row int, line string) string) error {
	lines := append([][]string{tb.Head}, tb.Rows...)
	widths := make([]int, len(tb.Head))
	for i := range widths {
		for _, cells := range lines {
			widths[i] = max(widths[i], wide(cells[i]))
		}
	}
	shown := tb.shown(slices.Clone(widths), t.Width()-1)
	if tooWide := tb.sum(shown, widths) - (t.Width() - 1); tb.Figures && tooWide > 0 {
		widths[0] = max(widths[0]-tooWide, min(widths[0], nameLeast))
	}
	for n, cells := range lines {
		line := ""
		for _, i := range shown {
			line += tb.cell(cells[i], i, widths[i])
		}
		line = strings.TrimRight(line, " ")
		if tb.Figures {
			line = t.Fit(line, 0)
		}
		if _, err := fmt.Fprintln(w, paint(n-1, fold(line, t.Width()-1, true))); err != nil {
			return err
		}
	}
	return nil
}

// cell is a text in a column, with the gap to the next one.
func (tb Table) cell(s string, column, width int) string {
	s = fit(s, width)
	pad := strings.Repeat(" ", width-wide(s))
	switch {
	case !tb.Figures:
		return s + pad + "  "
	case column == 0:
		return "  " + s + pad
	}
	return "  " + pad + s
}

// nameLeast is how far the names before figures may be cut.
const nameLeast = 16

// shown are the columns for which there is room; widths becomes what each needs at least.
func (tb Table) shown(widths []int, room int) []int {
	if last := len(widths) - 1; tb.Least > 0 {
		widths[last] = min(widths[last], tb.Least)
	}
	if tb.Figures {
		widths[0] = min(widths[0], nameLeast)
	}
	var shown []int
	for i := range widths {
		shown = append(shown, i)
	}
	for _, name := range tb.Spare {
		if tb.sum(shown, widths) <= room {
			break
		}
		shown = slices.DeleteFunc(shown, func(i int) bool { return tb.Head[i] == name })
	}
	return shown
}

// sum is how wide a line with these columns is.
func (tb Table) sum(shown, widths []int) int {
	n := 0
	for _, i := range shown {
		n += widths[i] + 2
	}
	if !tb.Figures {
		n -= 2 // no gap after the last one
	}
	return n
}
