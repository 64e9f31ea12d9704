package ui

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/replay"
	"gauntlet/internal/text"
)

// pages are the parsed templates, one set per page.
type pages struct {
	sets map[string]*template.Template
}

func parsePages() *pages {
	p := &pages{sets: map[string]*template.Template{}}
	layout := template.Must(template.New("layout").Funcs(functions()).ParseFS(files, "templates/layout.html", "templates/parts.html"))
	for _, name := range []string{"home", "session", "stop", "gates", "gate", "trends", "replay", "error"} {
		p.sets[name] = template.Must(template.Must(layout.Clone()).ParseFS(files, "templates/"+name+".html"))
	}
	return p
}

// top sends what every page begins with, before the rest is known.
func (p *pages) top(w http.ResponseWriter, b base) {
	var out bytes.Buffer
	if p.sets["error"].ExecuteTemplate(&out, "top", b) != nil {
		return // the same error comes with the rest
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out.Bytes())
	_ = http.NewResponseController(w).Flush()
}

// render sends the page of a template, or the rest of it when its top has gone out.
func (p *pages) render(w http.ResponseWriter, code int, name string, model any, early bool) {
	part := "layout.html"
	if early {
		part = "rest"
	}
	var b bytes.Buffer
	if err := p.sets[name].ExecuteTemplate(&b, part, model); err != nil {
		http.Error(w, "internal error: "+err.Error(), http.StatusInternalServerError)
		return
	}
	if !early {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
	}
	_, _ = w.Write(b.Bytes())
}

func functions() template.FuncMap {
	return template.FuncMap{
		"ms": duration, "known": known, "stamp": stamp, "clock": func(now, t time.Time) string { return text.Clock(t, now) }, "iso": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"name": filepath.Base, "share": share, "word": word, "meant": meant, "result": result, "kind": kind, "ended": ended, "shown": shown, "outcomes": event.Outcomes, "badges": event.Badges,
		"weeks": weeksPlot, "busiest": busiest, "spent": spentPlot, "perday": perDay, "waterfall": waterfallPlot, "trend": trendPlot, "interval": interval,
		"gate": gate.Label, "gatename": gate.Name, "gatepath": func(id string) string { return "/gates/" + url.PathEscape(gate.Name(id)) },
		"logpath": func(id, gate string) string { return "/logs/" + url.PathEscape(id) + "/" + url.PathEscape(gate) },
		"rule":    replay.RuleName, "origin": origin, "used": used, "tokens": tokens, "count": text.Count, "short": func(s string) string { return short(s, 12) }, "id8": func(s string) string { return s[:min(len(s), 8)] },
		"columns": columns, "cell": cell, "failing": failing, "sessionpath": sessionPath, "stoppath": stopPath, "later": later, "some": some,
		"title": title, "method": method, "list": func(items ...any) []any { return items }, "dict": dict, "add": func(a, b int) int { return a + b }, "mul": func(a, b int) int { return a * b },
		"per": func(sum float64, n int) float64 { return sum / float64(n) }, "perTokens": func(t ask.Total) int64 { return t.Tokens / int64(t.TokensMeasured) },
		"cut": func(s string) string { return text.Cut(s, 60) }, "tree": treeOf,
	}
}

// known shows a measured time, "" where there is none.
func known(p *float64) string {
	if p == nil {
		return ""
	}
	return duration(*p)
}

// cell is the value of a gate in a column.
func cell(c column, g ask.Gate) string {
	v := c.of(g)
	switch c.Key {
	case "median", "p95", "spent", "saved":
		if g.Kind == ask.Checkpoint {
			return ""
		}
		return duration(v)
	}
	if g.Kind == ask.Checkpoint && !slices.Contains([]string{"blocked", "right", "wrong"}, c.Key) {
		return "" // it runs nothing
	}
	return fmt.Sprint(v)
}

// later is how long after one stop the next one was.
func later(a, b time.Time) string { return duration(float64(b.Sub(a).Milliseconds())) }

// some are the first files of a list.
func some(files []string) []string { return files[:min(len(files), 6)] }

// treeOf is the work tree of a stop, "" where it is the repository itself.
func treeOf(d ask.Detail) string {
	if d.Project == d.Home() {
		return ""
	}
	return d.Project
}

// method explains how the numbers of a page are made.
func method(page string) string {
	if page == "gates" {
		return "A gate sent back the stops at which it failed and the agent had to go on. Right: the agent changed the code and the gate passed. Wrong: it passed later on the same content, or the hook was switched off next. Your own label counts most. Median and 95th percentile are of the newest 200 runs. Reused results take no time; saved is how long they took when they were made. Flaky counts contents on which a gate both passed and failed."
	}
	return "Right: the agent changed the code and the gate passed, what a checkpoint asked for failed when it was run, or a person said so. Wrong: the same content passed later, what a checkpoint asked for passed without an edit, the hook was switched off next, or a person said so. Cost is what came between a block and the session's next stop: one more turn, its time, and the tokens that the agent's log names."
}

// share is how much of n is of total, in percent; "" where nothing was measured.
func share(n, total int) string {
	if total == 0 {
		return ""
	}
	return fmt.Sprint((n*100+total/2)/total) + " %"
}

// dict passes several values to a part of a template.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: key %v is not a string", pairs[i])
		}
		out[key] = pairs[i+1]
	}
	return out, nil
}

// duration shows milliseconds with a unit that fits.
func duration(ms float64) string {
	switch {
	case ms < 0:
		return ""
	case ms == 0:
		return "0 s"
	case ms < 1:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 60_000:
		return strings.Replace(fmt.Sprintf("%.1f s", ms/1000), ".0 ", " ", 1)
	case ms < 3_600_000:
		return fmt.Sprintf("%.0f min", ms/60_000)
	case ms < 48*3_600_000:
		return fmt.Sprintf("%.1f h", ms/3_600_000)
	}
	return fmt.Sprintf("%.0f d", ms/86_400_000)
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05 MST")
}

// title is the title of a part of the page.
func title(section string) string {
	if section == "" {
		return "Sessions"
	}
	return strings.ToUpper(section[:1]) + section[1:]
}

// word makes a status readable: retry_limit_exceeded → retry limit exceeded.
func word(s string) string { return strings.ReplaceAll(s, "_", " ") }

// kind is how a status is coloured.
func kind(status string) string {
	switch status {
	case "failed", "checkpoint", "commit_required", "context_checkpoint", "fail":
		return "bad"
	case "passed", "pass":
		return "good"
	case "passed_with_warnings", "retry_limit_exceeded", "infrastructure_error", "error", "untrusted", "lock_exists", "stop_hook_disabled", "interval_not_elapsed":
		return "warn"
	}
	return "quiet"
}

// ended is how an outcome is coloured; a run by hand has only a status.
func ended(o event.Outcome, status string) string {
	switch o {
	case event.OutcomePassed:
		return "good"
	case event.OutcomeSentBack:
		if status == string(event.ContextCheckpoint) {
			return "run"
		}
		return "bad"
	case event.OutcomeLetGo:
		return "warn"
	case event.OutcomeNotChecked:
		return "quiet"
	}
	return kind(status)
}

// shown is an outcome as people read it.
func shown(o event.Outcome, status string) string {
	if o == "" {
		return word(status)
	}
	return o.Shown(event.Status(status))
}

// meant is how an answer about the worth of a green result is coloured.
func meant(result string) string {
	switch result {
	case event.Noticed, event.OldTestsPass, event.CanFail:
		return "good"
	case event.Unnoticed, event.OwnChangeOnly, event.CannotFail:
		return "warn"
	}
	return "quiet"
}

// result is the result of a gate as people read it.
func result(status string) string {
	switch status {
	case "pass":
		return "passed"
	case "fail":
		return "failed"
	case "error":
		return "could not run"
	}
	return word(status)
}

// tokens shows a number of tokens.
func tokens(n any) string {
	v := reflect.Indirect(reflect.ValueOf(n)).Int()
	switch {
	case v < 10_000:
		return fmt.Sprint(v)
	case v < 1_000_000:
		return fmt.Sprintf("%.0f k", float64(v)/1000)
	}
	return fmt.Sprintf("%.1f M", float64(v)/1_000_000)
}

// used is how much of its limit a run takes.
func used(ms, limit *float64) string {
	if ms == nil || limit == nil || *limit <= 0 {
		return ""
	}
	if *ms < *limit/100 {
		return "< 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100**ms / *limit)
}

// origin returns who proved a result that was reused.
func origin(s history.Source) string {
	switch s {
	case history.FromAgent:
		return "proved by the agent's own run"
	case history.FromWorktree:
		return "proved in another work tree"
	case history.FromRemote:
		return "proved on another machine"
	case history.FromAhead:
		return "proved ahead of the stop"
	case history.FromRun, history.FromStop:
	}
	return "proved before"
}

// interval shows a confidence interval in percent.
func interval(i *replay.Interval) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("%.0f–%.0f %%", 100*i.Low, 100*i.High)
}
