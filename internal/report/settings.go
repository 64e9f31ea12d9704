package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"gauntlet/internal/config"
)

// Settings prints each setting with its value and where that came from; without all, only
// those that differ from their defaults.
func Settings(w io.Writer, l *config.Loaded, all bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range l.Values {
		if all || v.Differs() {
			fmt.Fprintf(tw, "%s\t%s\t%s\n", v.Field, showValue(v.Value), showSource(v))
		}
	}
	for _, ep := range l.Project.EntryPoints {
		gates := append(slices.Clone(ep.Checks), ep.Reviews...)
		fmt.Fprintf(tw, "entry point %s\t%s\t%s\n", ep.Path, showValue(gates), config.OriginProject)
	}
	return tw.Flush()
}

func showSource(v config.Value) string {
	if v.Source == "" {
		return v.Origin
	}
	if _, name, ok := strings.Cut(v.Source, ": "); ok && v.Origin == config.OriginPreset {
		return "preset " + name
	}
	return v.Origin + " (" + v.Source + ")"
}

func showValue(v any) string {
	switch x := v.(type) {
	case []string:
		if len(x) == 0 {
			return "-"
		}
		return strings.Join(x, ", ")
	case nil:
		return "-"
	case string:
		if x == "" {
			return "-"
		}
		if strings.ContainsFunc(x, unicode.IsControl) { // would break the table
			return strconv.Quote(x)
		}
		return x
	}
	return fmt.Sprint(v)
}
