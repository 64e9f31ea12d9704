package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/tasks"
	"gauntlet/internal/transcript"
)

// project is the result for the sessions of one project.
type project struct {
	name       string
	sessions   int
	unreadable map[string]int // by reason
	turns      int            // human turns
	stops      []stop         // those that changed code
	slowest    []time.Duration
}

// stop is one stop of an agent that had changed code.
type stop struct {
	file    string
	root    string
	span    transcript.Span
	format  string
	changed []string
	calls   []event.ToolCall
	result  rules.Result
	took    time.Duration
	oracle  verdict
	outcome outcome
	cause   string
}

func replayAll(dir, only string, bare bool) ([]*project, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []*project
	for _, e := range entries {
		if !e.IsDir() || !strings.Contains(e.Name(), only) {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(dir, e.Name(), "sessions", "*"))
		if len(files) == 0 {
			continue
		}
		p, err := replayProject(e.Name(), filepath.Join(dir, e.Name(), "tree"), files, bare)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no sessions below %s: it needs PROJECT/sessions/* and PROJECT/tree", dir)
	}
	return out, nil
}

func replayProject(name, tree string, files []string, bare bool) (*project, error) {
	cfg, err := config.Load(tree, func(string) string { return "" })
	if err != nil {
		return nil, fmt.Errorf("%w (write it with gauntlet init)", err)
	}
	if bare {
		tree = filepath.Join(tree, "nothing here")
	}
	p := &project{name: name, unreadable: map[string]int{}}
	sort.Strings(files)
	for _, file := range files {
		p.sessions++
		format, spans, err := transcript.Spans(file)
		if err != nil {
			why, _, _ := strings.Cut(err.Error(), ":")
			p.unreadable[why]++
			continue
		}
		p.turns += len(spans)
		root := rootOf(file)
		for _, span := range spans {
			if !span.Stopped {
				continue
			}
			if s, isCode := replayStop(file, root, tree, span, cfg); isCode {
				s.format = format
				p.stops = append(p.stops, s)
			}
			p.slowest = append(p.slowest, lastTook)
		}
	}
	return p, nil
}

// lastTook is how long the newest stop took, whether it changed code or not.
var lastTook time.Duration

// replayStop runs the checkpoint for one stop, as if the project's work tree contained
// exactly the files that the turn edited.
func replayStop(file, root, tree string, span transcript.Span, cfg *config.Loaded) (stop, bool) {
	s := stop{file: file, root: root, span: span}
	begin := time.Now()
	turn, err := transcript.Read(file, transcript.Options{End: span.End})
	s.took = time.Since(begin)
	lastTook = s.took
	if err != nil {
		return s, false
	}
	s.calls = turn.Calls
	edited := map[string]bool{}
	for _, c := range turn.Calls {
		if c.Kind != event.ToolEdit && c.Kind != event.ToolWrite || c.Outcome == event.Failure || c.Rejected {
			continue
		}
		for _, p := range c.Paths {
			if rel, inside := relative(root, p); inside && !edited[rel] {
				edited[rel] = true
				s.changed = append(s.changed, rel)
			}
		}
	}
	if !slices.ContainsFunc(s.changed, isCode) {
		return s, false
	}
	slices.Sort(s.changed)
	begin = time.Now()
	in := rules.Input{
		Config: cfg.Project.Checkpoint, Roots: []string{root}, TurnStart: turn.Start, Now: turn.Start.Add(time.Hour),
		Tasks: tasks.Of(tree).Runs, Members: tasks.Of(tree).Members,
		Turn: rules.TurnOf(turn),
	}
	for _, p := range s.changed {
		in.Changed = append(in.Changed, rules.Change{Path: p})
	}
	s.result = rules.Decide(in)
	s.took += time.Since(begin)
	lastTook = s.took
	s.oracle = judge(turn.Calls, root, s.changed)
	s.outcome, s.cause = compare(s.result, s.oracle)
	return s, true
}

// rootOf is the directory that the session worked in, from its log.
func rootOf(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 1<<20)
	n, _ := f.Read(head)
	for _, mark := range []string{`"cwd":"`, `"cwd": "`, `"directory": "`, `"directory":"`} {
		if i := bytes.Index(head[:n], []byte(mark)); i >= 0 {
			rest := head[i+len(mark) : n]
			if j := bytes.IndexByte(rest, '"'); j > 0 {
				return strings.TrimPrefix(strings.ReplaceAll(string(rest[:j]), `\\`, `\`), "file://")
			}
		}
	}
	return ""
}

func relative(root, name string) (string, bool) {
	name = strings.TrimPrefix(name, "file://")
	if len(name) > 2 && name[1] == ':' { // written on Windows
		root, name = "/"+strings.ReplaceAll(root, `\`, "/"), "/"+strings.ReplaceAll(name, `\`, "/")
	}
	if !filepath.IsAbs(name) {
		name = filepath.Clean(name)
		return name, !strings.HasPrefix(name, "..")
	}
	rel, err := filepath.Rel(root, name)
	return filepath.ToSlash(rel), err == nil && root != "" && !strings.HasPrefix(rel, "..")
}

func isCode(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".rs", ".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".vue", ".svelte", ".rb", ".java", ".kt", ".swift", ".php", ".cs", ".ex", ".exs", ".c", ".cc", ".cpp", ".h":
		return true
	}
	return false
}
