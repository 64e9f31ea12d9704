package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/agent"
	"gauntlet/internal/config"
	"gauntlet/internal/gate"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/history/store"
	"gauntlet/internal/install"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/replay"
	"gauntlet/internal/run"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
	"gauntlet/internal/text"
	"gauntlet/internal/trust"
)

// Local is the page of this machine: its store, its projects, its switches. The
// caller sets the guard.
func Local(getenv func(string) string, now func() time.Time) (Options, error) {
	dir, err := history.Dir(getenv)
	if err != nil {
		return Options{}, err
	}
	here := &local{getenv: getenv, now: now, dir: dir}
	here.blocks.Policy = here.policy
	return Options{
		Open: here.open, Damaged: store.Damaged, Close: here.close, Refresh: here.refresh, Followed: here.followed,
		Now: now, Places: here.places, Policy: here.gatesNow, Log: readLog, Changed: here.changed, Busy: here.busy,
		Replay: func() (replay.Report, bool) { return replay.Latest(filepath.Join(filepath.Dir(dir), "replay")) },
		Act:    &Actions{Off: here.off, On: here.on, Label: here.label, Mode: here.mode},
	}, nil
}

type local struct {
	getenv func(string) string
	now    func() time.Time
	dir    string // of the history
	db     *store.Store
	blocks replay.Blocks
	// logs are the log directories of the projects that were read last.
	mu   sync.Mutex
	logs []string
}

func (l *local) open(ctx context.Context) (ask.DB, error) {
	db, err := store.Open(ctx, l.dir)
	if err != nil {
		return nil, err
	}
	l.db = db
	return db, db.Share()
}

func (l *local) refresh(context.Context) error { return l.db.Refresh(l.dir) }

func (l *local) close() error {
	if l.db == nil {
		return nil
	}
	return l.db.Close()
}

// busy lists which processes run gates and which wait, in the projects that are shown.
func (l *local) busy() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out strings.Builder
	for _, dir := range l.logs {
		if running, waiting := run.Now(dir); running != nil {
			fmt.Fprint(&out, dir, running.PID, len(waiting))
		}
	}
	return out.String()
}

// changed reads the names and sizes of the spool's files.
func (l *local) changed() string {
	names, err := history.Segments(l.dir)
	if err != nil || len(names) == 0 {
		return ""
	}
	last := names[len(names)-1]
	info, err := os.Stat(filepath.Join(l.dir, last))
	if err != nil {
		return last
	}
	return fmt.Sprint(last, info.Size())
}

func (l *local) places(_ context.Context, projects []string) []Place {
	var out []Place
	var logs []string
	for _, project := range projects {
		p, logDir := l.place(project)
		out = append(out, p)
		if logDir != "" {
			logs = append(logs, logDir)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logs = logs
	return out
}

func (l *local) place(project string) (p Place, logDir string) {
	p = Place{Project: project, Agents: []AgentHooks{}, Waiting: []run.Activity{}}
	s := site.Here(project, l.getenv)
	if _, err := os.Stat(project); err != nil || s.Foreign != "" {
		p.Gone = true
		return p, ""
	}
	if why, off := s.Disabled("", l.now()); off {
		p.Off = why
	}
	p.Agents = l.hooks(s)
	logDir = filepath.Join(s.Top(), config.Defaults().LogDir)
	if cfg, err := s.Config(); err == nil && cfg != nil {
		logDir = cfg.Settings.LogDir
	}
	running, waiting := run.Now(logDir)
	p.Running, p.Waiting = running, append(p.Waiting, waiting...)
	return p, logDir
}

// hooks combines what is installed and what has fired.
func (l *local) hooks(s *site.Site) []AgentHooks {
	out := []AgentHooks{}
	of := func(name string) *AgentHooks {
		for i := range out {
			if out[i].Agent == name {
				return &out[i]
			}
		}
		out = append(out, AgentHooks{Agent: name, Installed: []string{}, Beats: []Beat{}})
		return &out[len(out)-1]
	}
	places := install.Places{Home: text.Home(l.getenv), Cwd: s.Top(), Project: s.Top(), Site: s, Getenv: l.getenv, LookPath: proc.LookPath}
	for _, a := range agent.All() {
		for _, in := range places.Inspect(a) {
			if in.Stop() == nil && !in.ByHand {
				continue
			}
			h := of(a.Name())
			h.Installed = append(h.Installed, string(in.Scope))
			for _, trouble := range in.Pitfalls {
				h.Problem = trouble.Why
			}
			if in.Untrusted > 0 {
				h.Problem = "the agent does not trust the hook yet"
			}
		}
	}
	for _, b := range s.Memory.Heartbeats() {
		h := of(b.Agent)
		h.Beats = append(h.Beats, Beat{Event: b.Event, At: b.At, Status: b.Status})
	}
	for i := range out {
		slices.SortFunc(out[i].Beats, func(a, b Beat) int { return b.At.Compare(a.At) })
	}
	return out
}

// followed returns how checkpoint blocks turned out.
func (l *local) followed(_ context.Context, since time.Time) (map[string]ask.Word, error) {
	list, err := l.db.CheckpointBlocks(since)
	if err != nil {
		return nil, err
	}
	return l.blocks.Judge(list), nil
}

// policy is the policy of a project on disk, to show it.
func (l *local) policy(dir string) *config.Loaded {
	s, err := l.project(dir)
	if err != nil {
		return nil
	}
	cfg, err := s.OnDisk()
	if err != nil {
		return nil
	}
	return cfg
}

// project checks that a form names a project that the history knows of.
func (l *local) project(dir string) (*site.Site, error) {
	s := site.Here(dir, l.getenv)
	if !filepath.IsAbs(dir) || !s.IsProject() || s.Foreign != "" {
		return nil, fmt.Errorf("no project at %s", dir)
	}
	return s, nil
}

func (l *local) off(_ context.Context, dir string) (Done, error) {
	s, err := l.project(dir)
	if err != nil {
		return Done{}, err
	}
	o := session.Off{Since: l.now(), By: "gauntlet ui"}
	if err := s.Memory.SwitchOff("", o); err != nil {
		return Done{}, err
	}
	s.NotifyOff(site.Switch{Off: o, On: "gauntlet on"}, l.now())
	return Done{"The stop hook is off in " + filepath.Base(dir) + ".", func(context.Context) error { _, err := s.Memory.SwitchOn(""); return err }}, nil
}

func (l *local) on(_ context.Context, dir string) (Done, error) {
	s, err := l.project(dir)
	if err != nil {
		return Done{}, err
	}
	before, off := s.Off("", l.now())
	if _, err = s.Memory.SwitchOn(""); err != nil {
		return Done{}, err
	}
	return Done{"The stop hook is on in " + filepath.Base(dir) + ".", func(context.Context) error {
		if !off {
			return nil
		}
		return s.Memory.SwitchOff("", before.Off)
	}}, nil
}

// mode writes a gate's mode into its file, as observe and enforce do. id is the
// one in the history: kind:entry:name.
func (l *local) mode(ctx context.Context, dir, id, mode string) (Done, error) {
	s, err := l.project(dir)
	if err != nil {
		return Done{}, err
	}
	cfg, err := s.OnDisk()
	if err != nil {
		return Done{}, err
	}
	if mode != string(config.ModeEnforce) && mode != string(config.ModeObserve) {
		return Done{}, fmt.Errorf("a mode is enforce or observe, not %q", mode)
	}
	path := filepath.Join(cfg.Root, filepath.FromSlash(gateNow(cfg, id).File))
	was, err := safefile.Read(cfg.Root, path, maxPolicy)
	if err != nil {
		return Done{}, fmt.Errorf("no gate %s in the policy of %s", gate.Label(id), dir)
	}
	before := s.Trust()
	file, _, err := config.SetMode(cfg, gate.Name(id), config.Mode(mode))
	if err != nil {
		return Done{}, err
	}
	allow := func(ctx context.Context, before trust.Decision, what string) error {
		if note := s.AllowWritten(ctx, before, true, trust.Act{What: redact.Line(what, 80), At: l.now(), By: trust.Page}); note != "" {
			return fmt.Errorf("%s is written. %s", file, note)
		}
		return nil
	}
	if err := allow(ctx, before, "gauntlet "+mode+" "+gate.Name(id)); err != nil {
		return Done{}, err
	}
	now, err := safefile.Read(cfg.Root, path, maxPolicy)
	if err != nil {
		return Done{}, err
	}
	undo := func(ctx context.Context) error {
		if text, err := safefile.Read(cfg.Root, path, maxPolicy); err != nil || !bytes.Equal(text, now) {
			return fmt.Errorf("%s has changed since; edit it yourself", file)
		}
		before := s.Trust()
		if err := safefile.WriteIn(cfg.Root, path, was, 0o644); err != nil {
			return err
		}
		return allow(ctx, before, "undo "+mode+" "+gate.Name(id))
	}
	return Done{fmt.Sprintf("%s in %s has mode: %s now. %s was edited and allowed.", gate.Label(id), filepath.Base(dir), mode, file), undo}, nil
}

// maxPolicy bounds a file of a policy.
const maxPolicy = 1 << 20

// gatesNow reads the policy of a project and returns what it says about a gate.
func (l *local) gatesNow(dir string) func(id string) GateNow {
	cfg := l.policy(dir)
	if cfg == nil {
		return func(string) GateNow { return GateNow{} }
	}
	hollow := run.CannotFail(run.Options{Config: cfg, Site: site.Here(dir, l.getenv), Getenv: l.getenv}, l.now())
	return func(id string) GateNow {
		now := gateNow(cfg, id)
		if files, known := hollow[id]; known {
			now.Canary, now.Why = "cannot fail", strings.Join(files, ", ")
		}
		return now
	}
}

func gateNow(cfg *config.Loaded, id string) GateNow {
	name := gate.Name(id)
	now := func(mode config.Mode, file string) GateNow {
		if file == config.Dir+"/"+config.File && id != ask.Checkpoint {
			file = "" // written among others: only a person can edit it
		}
		return GateNow{Mode: string(config.Weaker(mode, config.ModeEnforce)), File: file}
	}
	switch {
	case cfg.Checks[name] != nil:
		return now(cfg.Checks[name].Mode, cfg.Checks[name].File)
	case cfg.Reviews[name] != nil:
		return now(cfg.Reviews[name].Mode, cfg.Reviews[name].File)
	case id == ask.Checkpoint && cfg.Project.Checkpoint != nil:
		return now(cfg.Project.Checkpoint.Mode, config.Dir+"/"+config.File)
	}
	return GateNow{}
}

func (l *local) label(_ context.Context, id, word, before string) (Done, error) {
	if word != "right" && word != "wrong" {
		return Done{}, fmt.Errorf("a label is right or wrong, not %q", word)
	}
	say := func(word string) error {
		return history.Append(l.dir, history.Record{Type: history.Label, ID: id, Time: l.now(), Label: word})
	}
	return Done{"The block " + id + " is labelled " + word + ".", func(context.Context) error { return say(before) }}, say(word)
}

// readLog reads a gate's log, if its name is one that Gauntlet gives and it is in the
// project.
func readLog(project, path string) ([]byte, error) {
	name := filepath.Base(path)
	if !strings.HasSuffix(name, ".log") || !strings.HasPrefix(name, "check_") && !strings.HasPrefix(name, "review_") && !strings.HasPrefix(name, "console.") {
		return nil, errors.New("not a log of Gauntlet's")
	}
	root := project
	if rel, err := filepath.Rel(project, path); err != nil || !filepath.IsLocal(rel) { // log_dir may be absolute
		root = filepath.Dir(path)
	}
	return safefile.Read(root, path, 64<<20)
}
