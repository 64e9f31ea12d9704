package config

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Settings are the effective values of everything that has a default.
type Settings struct {
	BaseBranch      string // "" = the default chain, beginning with origin/main
	LogDir          string // absolute
	AllowParallel   bool
	MaxParallel     int
	MaxRetries      int
	Threshold       string // rerun_new_issue_threshold
	CheckUsageLimit bool

	StopHookEnabled bool
	RunInterval     time.Duration
	Reentry         string // once or until_pass
	MaxBlocks       int
	Deadline        time.Duration
	Subagents       bool
	Mode            Mode // of the stop hook
	// ModeOverride is GAUNTLET_MODE, which replaces every mode; "" when unset.
	ModeOverride Mode

	DebugLog         bool
	DebugLogMaxBytes int64
}

// Environment variables that override a field.
const (
	EnvStopHookEnabled  = "GAUNTLET_STOP_HOOK_ENABLED"
	EnvStopHookInterval = "GAUNTLET_STOP_HOOK_INTERVAL_MINUTES"
	EnvContextThreshold = "CLAUDE_CONTEXT_THRESHOLD"
	EnvMode             = "GAUNTLET_MODE"
)

// DefaultBaseBranch is what changes are measured against when nothing says so.
const DefaultBaseBranch = "origin/main"

// Values of stop_hook.reentry.
const (
	ReentryOnce      = "once"
	ReentryUntilPass = "until_pass"
)

const (
	defaultLogDir           = "gauntlet_logs"
	defaultContextThreshold = 40
)

// percent reads a whole number from 1 to 100, written as such.
func percent(text string) (int, bool) {
	text = strings.TrimSpace(text)
	n, err := strconv.Atoi(text)
	return n, err == nil && text[0] != '+' && n >= 1 && n <= 100
}

// GlobalPath is the user's own configuration file, "" without a home.
func GlobalPath(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // unset, or invalid by its own specification
		home := getenv("HOME")
		if home == "" {
			home = getenv("USERPROFILE")
		}
		if !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "agent-gauntlet", File)
}

// loadGlobal reads the user's configuration; a missing file is an empty one.
func loadGlobal(getenv func(string) string) (*Global, *decoder) {
	g := &Global{}
	file := GlobalPath(getenv)
	d := newDecoder(file, legacyGlobal())
	if file == "" {
		return g, d
	}
	if _, err := os.Lstat(file); os.IsNotExist(err) {
		return g, d
	}
	data, fail := readFile(file, file)
	if fail != nil {
		d.errs = append(d.errs, fail)
		return g, d
	}
	if d.document(data, g); len(d.errs) > 0 {
		return &Global{}, d
	}
	return g, d
}

// Value is one effective setting and where it came from.
type Value struct {
	Field  string `json:"field"`
	Value  any    `json:"value"`  // nil = not set, and nothing is the default
	Origin string `json:"origin"` // environment, project, global or default
	Source string `json:"source,omitempty"`
}

// The origins of a value, strongest first.
const (
	OriginEnvironment = "environment"
	OriginProject     = "project"
	OriginGlobal      = "global"
	OriginDefault     = "default"
)

// settings resolves every default: environment over project over user.
func (l *loader) settings(d *decoder, getenv func(string) string) {
	global, gd := loadGlobal(getenv)
	l.out.Warnings = append(l.out.Warnings, gd.warnings...)
	if len(gd.errs) > 0 {
		l.out.Warnings = append(l.out.Warnings, gd.errs[0].Error()+"; the user's configuration is not used")
	}
	r := &resolver{project: d, global: gd, getenv: getenv}
	p, s := &l.out.Project, &l.out.Settings

	s.BaseBranch = resolve(r, "base_branch", "", nonempty(p.BaseBranch))
	if s.BaseBranch == "" {
		r.values[0].Value = DefaultBaseBranch
	}
	s.LogDir = absolute(l.root, resolve(r, "log_dir", defaultLogDir, nonempty(p.LogDir)))
	s.AllowParallel = resolve(r, "allow_parallel", true, p.AllowParallel)
	s.MaxParallel = resolve(r, "max_parallel", 16, p.MaxParallel)
	s.MaxRetries = resolve(r, "max_retries", 3, p.MaxRetries)
	s.Threshold = resolve(r, "rerun_new_issue_threshold", "high", nonempty(p.RerunNewIssueThreshold))
	resolve(r, "cli.default_preference", nil, nonnil(p.CLI.DefaultPreference))
	s.CheckUsageLimit = resolve(r, "cli.check_usage_limit", false, p.CLI.CheckUsageLimit)

	h, gh := p.StopHook, global.StopHook
	s.StopHookEnabled = resolve(r, "stop_hook.enabled", true, h.Enabled, gh.Enabled)
	if on, ok := r.envBool(EnvStopHookEnabled); ok {
		s.StopHookEnabled = on
		r.override(EnvStopHookEnabled, on)
	}
	minutes := resolve(r, "stop_hook.run_interval_minutes", 10, h.RunIntervalMinutes, gh.RunIntervalMinutes)
	if m, ok := r.envNumber(EnvStopHookInterval); ok {
		minutes = m
		r.override(EnvStopHookInterval, m)
	}
	s.RunInterval = saturate(minutes, time.Minute)
	s.Reentry = resolve(r, "stop_hook.reentry", ReentryOnce, nonempty(h.Reentry), nonempty(gh.Reentry))
	s.MaxBlocks = resolve(r, "stop_hook.max_blocks", 3, h.MaxBlocks, gh.MaxBlocks)
	s.Deadline = saturate(resolve(r, "stop_hook.deadline_seconds", 280, h.DeadlineSeconds, gh.DeadlineSeconds), time.Second)
	s.Subagents = resolve(r, "stop_hook.subagents", false, h.Subagents, gh.Subagents)
	s.Mode = resolve(r, "stop_hook.mode", ModeEnforce, nonempty(h.Mode), nonempty(gh.Mode))
	if m, ok := r.envMode(); ok {
		s.Mode, s.ModeOverride = m, m
		r.override(EnvMode, m)
	}
	s.DebugLog = resolve(r, "debug_log.enabled", false, p.DebugLog.Enabled, global.DebugLog.Enabled)
	s.DebugLogMaxBytes = megabytes(resolve(r, "debug_log.max_size_mb", 10, p.DebugLog.MaxSizeMB, global.DebugLog.MaxSizeMB))
	r.sections(p)

	l.out.Values = r.values
	l.out.Warnings = append(l.out.Warnings, r.warnings...)
}

// sections lists the effective values of the sections that exist. The parts of
// the product that they belong to apply these defaults themselves.
func (r *resolver) sections(p *Project) {
	if c := p.Checkpoint; c != nil {
		resolve(r, "checkpoint.enabled", true, c.Enabled)
		resolve(r, "checkpoint.mode", ModeEnforce, nonempty(c.Mode))
		if m, ok := r.envMode(); ok {
			r.override(EnvMode, m)
		}
		resolve(r, "checkpoint.preset", "", nonempty(c.Preset))
		resolve(r, "checkpoint.min_turn_seconds", 30, c.MinTurnSeconds)
		resolve(r, "checkpoint.scope", "working_tree", nonempty(c.Scope))
		resolve(r, "checkpoint.when_unsure", "nudge", nonempty(c.WhenUnsure))
		resolve(r, "checkpoint.categories", nil, namesOf(c.Categories, func(c Category) string { return c.Name }))
		resolve(r, "checkpoint.ignore", nil, nonnil(c.Ignore))
		resolve(r, "checkpoint.always", nil, namesOf(c.Always, func(a Action) string { return a.ID }))
		resolve(r, "checkpoint.commit_step", true, c.CommitStep)
		resolve(r, "checkpoint.capture", true, c.Capture)
		if g := c.CommitGate; g != nil {
			resolve(r, "checkpoint.commit_gate.paths", nil, nonnil(g.Paths))
		}
		if t := c.Tests; t != nil {
			resolve(r, "checkpoint.tests.command", "", nonempty(t.Command))
			resolve(r, "checkpoint.tests.when", nil, nonnil(t.When))
			resolve(r, "checkpoint.tests.timeout", 30, t.Timeout)
		}
	}
	if a := p.Autonomy; a != nil {
		resolve(r, "autonomy.enabled", (*bool)(nil), pointer(a.Enabled))
		resolve(r, "autonomy.threshold_percent", defaultContextThreshold, a.ThresholdPercent)
		if n, ok := percent(r.getenv(EnvContextThreshold)); ok {
			r.override(EnvContextThreshold, n)
		}
		resolve(r, "autonomy.context_window", (*int)(nil), pointer(a.ContextWindow))
		resolve(r, "autonomy.commit", "notes", nonempty(a.Commit))
		resolve(r, "autonomy.push", true, a.Push)
		resolve(r, "autonomy.protected", nil, nonnil(a.Protected))
		resolve(r, "autonomy.co_author", "", nonempty(a.CoAuthor))
		resolve(r, "autonomy.message", "", nonempty(a.Message))
	}
}

// resolver remembers where each value came from.
type resolver struct {
	project, global *decoder
	getenv          func(string) string
	values          []Value
	warnings        []string
}

// resolve takes the first value that is set: the project's, the user's, the default.
func resolve[T any](r *resolver, field string, fallback T, set ...*T) T {
	for i, v := range set {
		if v == nil {
			continue
		}
		from, origin := r.project, OriginProject
		if i == 1 {
			from, origin = r.global, OriginGlobal
		}
		source := from.file
		if p, ok := from.places[field]; ok {
			source += ":" + strconv.Itoa(p.line)
		}
		r.values = append(r.values, Value{field, *v, origin, source})
		return *v
	}
	r.values = append(r.values, Value{field, fallback, OriginDefault, ""})
	return fallback
}

// override replaces the value resolved last by one of the environment.
func (r *resolver) override(variable string, value any) {
	v := &r.values[len(r.values)-1]
	v.Value, v.Origin, v.Source = value, OriginEnvironment, variable
}

func namesOf[T any](list []T, name func(T) string) *[]string {
	var names []string
	for _, item := range list {
		names = append(names, name(item))
	}
	return nonnil(names)
}

func nonnil(list []string) *[]string {
	if len(list) == 0 {
		return nil
	}
	return &list
}

// pointer keeps "not set" apart for fields whose default is no value at all.
func pointer[T any](p *T) **T {
	if p == nil {
		return nil
	}
	return &p
}

func nonempty[S ~string](s S) *S {
	if s == "" {
		return nil
	}
	return &s
}

func (r *resolver) envBool(name string) (value, ok bool) {
	text := strings.TrimSpace(r.getenv(name))
	switch strings.ToLower(text) {
	case "":
		return false, false
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off":
		return false, true
	}
	r.warnings = append(r.warnings, name+": must be true or false, not "+quote(text)+"; ignored")
	return false, false
}

func (r *resolver) envNumber(name string) (float64, bool) {
	text := strings.TrimSpace(r.getenv(name))
	if text == "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		r.warnings = append(r.warnings, name+": must be a number of minutes, 0 or more, not "+quote(text)+"; ignored")
		return 0, false
	}
	return f, true
}

// saturate turns n units into a duration; what does not fit is the longest one.
func saturate(n float64, unit time.Duration) time.Duration {
	if d := n * float64(unit); d < float64(math.MaxInt64) {
		return time.Duration(d)
	}
	return math.MaxInt64
}

func megabytes(n float64) int64 {
	if b := n * (1 << 20); b < float64(math.MaxInt64) {
		return max(1, int64(b))
	}
	return math.MaxInt64
}

func absolute(root, p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(root, p)
}
