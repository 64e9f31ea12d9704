package ui

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"path/filepath"
	"reflect"
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
	for _, name := range []string{"overview", "stops", "stop", "gates", "time", "who", "replay", "error"} {
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
		"ms": duration, "ago": ago, "stamp": stamp, "name": filepath.Base, "share": share, "word": word, "kind": kind,
		"weeks": weeksPlot, "busiest": busiest, "sources": sourcesPlot, "spent": spentPlot, "perday": perDay, "waterfall": waterfallPlot, "spark": sparkPlot, "interval": interval,
		"gate": gate.Label, "rule": replay.RuleName, "origin": origin, "safe": safeToEnforce, "used": used, "tokens": tokens, "count": text.Count, "short": func(s string) string { return short(s, 12) },
		"outcomes": event.Outcomes, "badges": event.Badges, "ended": ended, "shown": shown,
		"title": title, "thing": thing, "exit": func(code *int) string {
			if code == nil {
				return ""
			}
			return fmt.Sprint(*code)
		},
		"join": func(list []string) string { return strings.Join(list, ", ") }, "minus": func(a, b int) int { return b - a },
		"list": func(items ...any) []any { return items }, "dict": dict, "known": func(p *float64) string {
			if p == nil {
				return ""
			}
			return duration(*p)
		},
	}
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

// ago shows a time relative to now; the absolute one is its title.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := now.Sub(t)
	switch {
	case d < -time.Minute:
		return "in the future"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d d ago", int(d.Hours()/24))
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
		return "Overview"
	}
	return strings.ToUpper(section[:1]) + section[1:]
}

// thing is what a page lists.
func thing(path string) string {
	if path == "/gates" || path == "/time" {
		return "gate has run"
	}
	return "stop was judged"
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

// advice is an answer in a few words.
type advice struct{ Text, Class, Why string }

// safeToEnforce estimates how reliably a gate blocks rightly.
func safeToEnforce(g ask.Gate) advice {
	right := g.Right + g.WouldRight
	known := right + g.Wrong + g.WouldWrong
	if known+g.Unknown+g.WouldUnknown == 0 {
		return advice{"no failure yet", "quiet", "it has not failed at a stop in this time"}
	}
	i := replay.Wilson(right, known)
	switch {
	case i == nil:
		return advice{fmt.Sprintf("too early (%d/%d)", known, replay.MinSamples), "quiet", "it takes 20 failures of which it is known whether they were right"}
	case i.Low >= 0.8:
		return advice{"right " + interval(i), "status good", "95 % sure that at least this share of its failures is right"}
	case i.High <= 0.5:
		return advice{"right " + interval(i), "status bad", "more often wrong than right"}
	}
	return advice{"right " + interval(i), "status warn", "not sure enough"}
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
