package proc

import (
	"slices"
	"strings"
	"testing"
)

// The text of a notice comes from outside: it is one argument, never part of a
// script.
func TestNoticeIsOneArgument(t *testing.T) {
	evil := "\"; do shell script \"touch x\"\n$(touch y) `touch z` <b>&\x1b[31m --x"
	for _, system := range []string{"linux", "darwin", "windows", "freebsd"} {
		args, extra := Notice{Title: "Gauntlet", Text: evil}.command(system)
		for i, a := range args {
			if !strings.Contains(a, "touch") {
				continue
			}
			if i != len(args)-1 || args[0] != "notify-send" && args[0] != "osascript" {
				t.Errorf("%s: argument %d is %q", system, i, a)
			}
			if strings.ContainsAny(a, "\n\x1b") {
				t.Errorf("%s: control characters in %q", system, a)
			}
		}
		switch system {
		case "windows":
			if !slices.Contains(extra, "GAUNTLET_NOTICE_TITLE=Gauntlet") || len(extra) != 2 || strings.Contains(extra[1], "\n") {
				t.Errorf("%s: %q", system, extra)
			}
		case "darwin":
			if got := args[len(args)-2]; got != "Gauntlet" {
				t.Errorf("%s: title %q", system, got)
			}
		default:
			if args[2] != "--" || !strings.Contains(args[4], "&lt;b&gt;&amp;") {
				t.Errorf("%s: %q", system, args)
			}
		}
	}
}
