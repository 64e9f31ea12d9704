package proc

import (
	"os/exec"
	"runtime"
	"strings"
)

// Notice is a message on the person's desktop.
type Notice struct{ Title, Text string }

// Show passes the notice to the desktop's own program and does not wait for it. Without
// such a program nothing is shown; callers ignore the error, because a server has no
// desktop. The text reaches no shell and no script: it is an argument, or a variable that a
// fixed script reads.
func (n Notice) Show() error {
	args, extra := n.command(runtime.GOOS)
	program, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	return Detach(Cmd{Args: append([]string{program}, args[1:]...), Extra: extra})
}

// balloon is what PowerShell runs.
const balloon = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$n = New-Object System.Windows.Forms.NotifyIcon
$n.Icon = [System.Drawing.SystemIcons]::Warning
$n.Visible = $true
$n.ShowBalloonTip(10000, $env:GAUNTLET_NOTICE_TITLE, $env:GAUNTLET_NOTICE_TEXT, 'Warning')
Start-Sleep -Seconds 10
$n.Dispose()`

func (n Notice) command(system string) (args, extra []string) {
	title, text := plain(n.Title), plain(n.Text)
	switch system {
	case "darwin":
		return []string{
			"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", title, text,
		}, nil
	case "windows":
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-WindowStyle", "Hidden", "-Command", balloon},
			[]string{"GAUNTLET_NOTICE_TITLE=" + title, "GAUNTLET_NOTICE_TEXT=" + text}
	}
	// Most servers read the text as markup.
	markup := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	return []string{"notify-send", "--app-name=Gauntlet", "--", title, markup.Replace(text)}, nil
}

// plain keeps the characters that are allowed in a line of text.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
