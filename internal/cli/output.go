package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"gauntlet/internal/redact"
)

// warn prints warnings of the configuration for a person.
func (app *App) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(app.Err, "warning: "+redact.Strip(w))
	}
}

// orEmpty makes JSON say [] and not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// writeJSON prints one indented JSON document.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// writeJSONLine prints one JSON document on one line.
func writeJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
