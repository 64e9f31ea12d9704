package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/redact"
	"gauntlet/internal/report"
	"gauntlet/internal/text"
)

// warn prints warnings of the configuration for a person.
func (app *App) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(app.Err, "warning: "+redact.Strip(w))
	}
}

// say prints a line for a person, if there is one.
func (app *App) say(line string) {
	if line != "" {
		fmt.Fprintln(app.Out, line)
	}
}

// orEmpty makes JSON write [] and not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// writeJSON prints one indented JSON document.
func writeJSON(w io.Writer, v any) error { return encode(w, v, "  ") }

// writeJSONLine prints one JSON document on one line.
func writeJSONLine(w io.Writer, v any) error { return encode(w, v, "") }

func encode(w io.Writer, v any, indent string) error {
	w = under(w)
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(text.VisibleJSON(doc.Bytes()))
	return err
}

// show prints a result as JSON or for a person, and ends the command with the code that it
// stands for.
func (app *App) show(asJSON bool, result any, shown func() error, code int) error {
	if asJSON {
		shown = func() error { return writeJSON(app.Out, result) }
	}
	if err := shown(); err != nil || code == 0 {
		return err
	}
	return exit(code, "")
}

// terminal is what stdout can do.
func (app *App) terminal() report.Terminal { return report.Detect(app.Out, app.Getenv) }

// printer prints for a person on stdout.
func (app *App) printer() report.Printer {
	return report.Printer{W: app.Out, T: app.terminal(), Now: app.Now()}
}

// onScreen makes both streams wrap their lines for a person; the returned function ends that.
func (app *App) onScreen() (end func()) {
	out, errs := app.Out, app.Err
	screens := []*report.Screen{report.NewScreen(out, app.Getenv), report.NewScreen(errs, app.Getenv)}
	app.Out, app.Err = screens[0], screens[1]
	return func() {
		for _, s := range screens {
			s.Flush()
		}
		app.Out, app.Err = out, errs
	}
}

// flush shows the beginning of a line, such as a question, at once.
func flush(w io.Writer) {
	switch s := w.(type) {
	case *report.Screen:
		s.Flush()
	case visible:
		flush(s.w)
	}
}

// working shows on a terminal, from the first second on, what takes so long; the returned
// function ends that. With --json nothing is shown.
func (app *App) working(what string, quiet bool) (end func()) {
	t := report.Detect(app.Err, app.Getenv)
	if quiet || !t.Live {
		return func() {}
	}
	done := make(chan struct{})
	ticking := beside.Start(func() {
		for start := app.Now(); ; {
			select {
			case <-done:
				fmt.Fprint(under(app.Err), "\r\x1b[K")
				return
			case <-time.After(time.Second):
				fmt.Fprint(under(app.Err), "\r\x1b[K"+t.Fit(what+" … "+seconds(app.Now().Sub(start)), 0))
			}
		}
	})
	return func() { close(done); ticking.Wait() }
}

// under is the stream below what makes a text fit for a person: for programs, and for what
// draws on the terminal itself.
func under(w io.Writer) io.Writer {
	for {
		on, ok := w.(interface{ Under() io.Writer })
		if !ok {
			return w
		}
		w = on.Under()
	}
}

// printTable prints what fill writes, its cells separated by tabs, in columns.
func (app *App) printTable(fill func(w io.Writer)) error {
	return app.terminal().Columns(app.Out, fill)
}

// visible is a stream for a person on which names and text of a project cannot act as
// commands to the terminal.
type visible struct{ w io.Writer }

// Under is the stream below.
func (v visible) Under() io.Writer { return v.w }

// Terminal is what the stream below can do: commands that show a project use no colours.
func (v visible) Terminal() report.Terminal {
	t := report.Detect(v.w, func(string) string { return "" })
	t.Colour = false
	return t
}

func (v visible) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.w, text.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// showsProject are the commands that print names and text of a project and need
// no colours.
func showsProject(command string) bool {
	return slices.Contains([]string{"allow", "ci", "clean", "config", "deny", "detect", "list", "validate"}, command)
}
