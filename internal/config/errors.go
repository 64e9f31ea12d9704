package config

import (
	"strconv"
	"strings"
	"unicode"
)

// Error is one error in one file.
type Error struct {
	File   string `json:"file"`           // relative to the project root where it lies under it
	Line   int    `json:"line,omitempty"` // 1-based; 0 = the file as a whole
	Column int    `json:"column,omitempty"`
	Field  string `json:"field,omitempty"` // dotted path, such as entry_points[0].checks[1]
	Msg    string `json:"message"`
	Hint   string `json:"hint,omitempty"` // the nearest known name
}

// Error is file:line:col: field: message (did you mean "x"?).
func (e *Error) Error() string {
	var b strings.Builder
	if strings.ContainsFunc(e.File, unicode.IsControl) {
		b.WriteString(strconv.Quote(e.File)) // file names are untrusted text
	} else {
		b.WriteString(e.File)
	}
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(max(e.Column, 1)))
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString(" (did you mean " + strconv.Quote(e.Hint) + "?)")
	}
	return b.String()
}
