package proc

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The whole command line on each system, with text that quotes, begins like an option and
// carries what a terminal would obey.
func TestNoticeCommands(t *testing.T) {
	n := Notice{Title: "Gauntlet blocked a stop twice", Text: "-e 'x' \"y\" $(z) `w` %PATH% $env:X ;|& <i>\r\n\x00\x1b[31m\u00e9"}
	const plainText = "-e 'x' \"y\" $(z) `w` %PATH% $env:X ;|& <i>    [31m\u00e9"
	for _, tt := range []struct {
		system      string
		args, extra []string
	}{
		{"linux", []string{"notify-send", "--app-name=Gauntlet", "--", n.Title, "-e 'x' \"y\" $(z) `w` %PATH% $env:X ;|&amp; &lt;i&gt;    [31m\u00e9"}, nil},
		// osascript stops reading options at the first argument that is none, the title,
		// and hands it and the text to the run handler as argv.
		{"darwin", []string{"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", n.Title, plainText}, nil},
		// PowerShell joins everything behind -Command to one script: nothing but the fixed
		// script may stand there.
		{
			"windows",
			[]string{"powershell", "-NoProfile", "-NonInteractive", "-WindowStyle", "Hidden", "-Command", balloon},
			[]string{"GAUNTLET_NOTICE_TITLE=" + n.Title, "GAUNTLET_NOTICE_TEXT=" + plainText},
		},
	} {
		args, extra := n.command(tt.system)
		if diff := cmp.Diff(tt.args, args); diff != "" {
			t.Errorf("%s: %s", tt.system, diff)
		}
		if diff := cmp.Diff(tt.extra, extra); diff != "" {
			t.Errorf("%s, environment: %s", tt.system, diff)
		}
	}
	if strings.ContainsAny(balloon, "`\"") || strings.Contains(balloon, "Invoke") {
		t.Errorf("the script quotes or evaluates: %s", balloon)
	}
}

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
