package config

import (
	"cmp"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/text"
)

// Settings are the effective values of everything that has a default.
type Settings struct {
	BaseBranch      string // "" = what git finds: the remote's default branch, else main or master
	LogDir          string // absolute
	AllowParallel   bool
	MaxParallel     int
	MaxRetries      int
	Threshold       string // rerun_new_issue_threshold
	CheckUsageLimit bool

	StopHookEnabled bool
	RunInterval     time.Duration
	Reentry         string // once or until_pass
	Scope           string // working_tree or turn
	LockWait        time.Duration
	AcceptAgentRuns bool
	Ahead           bool
	Quiet           time.Duration // without a tool call, before anything is proved ahead
	RoomLinks       []string
	Ask             bool
	Strict          bool // stop_hook.preset is strict
	Undo, OldTests  Watch
	MaxBlocks       int
	Deadline        time.Duration
	Subagents       bool
	Tasks           bool
	Notify          string // blocked or never
	Mode            Mode   // of the stop hook
	// ModeOverride is GAUNTLET_MODE, which replaces every mode; "" when unset.
	ModeOverride Mode

	DebugLog         bool
	DebugLogMaxBytes int64

	ProofsDir   string // "" = the git directory that all work trees share
	ProofsEpoch int

	Remote RemoteSettings

	Slots int // how many runs may use the machine at once; below 0: half the processors, 0: any number
}

// Watches reports whether something is found out after stops.
func (s Settings) Watches() bool { return s.Undo.Mode == WatchTell || s.OldTests.Mode == WatchTell }

// RemoteSettings are the effective values of the remote section.
type RemoteSettings struct {
	URL         string // "" = off
	Read, Write bool
	Signers     string
	Timeout     time.Duration
	Key         string
	// Auth is what to send to the server: nil if the user's own file does not name the same
	// host.
	Auth *RemoteAuth
}

// Environment variables that override a field.
const (
	EnvStopHookEnabled  = "GAUNTLET_STOP_HOOK_ENABLED"
	EnvStopHookInterval = "GAUNTLET_STOP_HOOK_INTERVAL_MINUTES"
	EnvContextThreshold = "CLAUDE_CONTEXT_THRESHOLD"
	EnvMode             = "GAUNTLET_MODE"
	EnvSlots            = "GAUNTLET_SLOTS"
)

// Values of stop_hook.reentry.
const (
	ReentryOnce      = "once"
	ReentryUntilPass = "until_pass"
)

// NotifyNever is the value of stop_hook.notify that shows no notices.
const NotifyNever = "never"

// Values of stop_hook.scope and checkpoint.scope.
const (
	ScopeWorkingTree = "working_tree"
	ScopeTurn        = "turn"
)

// GlobalPath is the user's own configuration file, "" without a home.
func GlobalPath(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // unset, or invalid by its own specification
		home := text.Home(getenv)
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
	d := newDecoder(file)
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
	Origin string `json:"origin"` // environment, project, global, preset or default
	Source string `json:"source,omitempty"`

	standard any // the default
}

// Differs reports whether the value is another one than the default. An empty list that is
// written out replaces that of a preset.
func (v Value) Differs() bool {
	if _, list := v.Value.([]string); list && v.Origin != OriginDefault {
		return true
	}
	return !reflect.DeepEqual(v.Value, v.standard)
}

// shortNames shows a section that is usually one word under its own name: stop_hook.undo.
func shortNames(values []Value) []Value {
	hook := reflect.TypeFor[StopHook]()
	for i := range hook.NumField() {
		word := hook.Field(i).Tag.Get("word")
		if word == "" {
			continue
		}
		section := "stop_hook." + hook.Field(i).Tag.Get("yaml")
		for j := range values {
			if values[j].Field == section+"."+word {
				values[j].Field = section
			}
		}
	}
	return values
}

// The origins of a value, strongest first.
const (
	OriginEnvironment = "environment"
	OriginProject     = "project"
	OriginGlobal      = "global"
	OriginPreset      = "preset"
	OriginDefault     = "default"
)

// settings resolves every setting: environment over project over user over
// preset over default.
func (l *loader) settings(d *decoder, getenv func(string) string) {
	global, gd := loadGlobal(getenv)
	l.out.Warnings = append(l.out.Warnings, gd.warnings...)
	if len(gd.errs) > 0 {
		l.out.Warnings = append(l.out.Warnings, gd.errs[0].Error()+"; the user's configuration is not used")
	}
	r := &resolver{project: d, global: gd, getenv: getenv, user: map[string]reflect.Value{}}
	walk(reflect.ValueOf(global).Elem(), "", func(f reflect.Value, _ reflect.StructField, path string) { r.user[path] = f })
	p := l.out.Project
	if own := p.Checkpoint; own != nil {
		r.checkpoint = own.Preset
		l.out.Project.Checkpoint = own.Effective()
		merged := *own
		merged.Categories, merged.Always = l.out.Project.Checkpoint.Categories, l.out.Project.Checkpoint.Always
		if own.Preset != "" { // as Effective applies it, so that the preset is shown as the source
			p := PresetOf(own.Preset)
			merged.Observations = cmp.Or(own.Observations, p.Observations)
			merged.Weakened = cmp.Or(own.Weakened, &p.Weakened)
		}
		p.Checkpoint = &merged
	}
	r.preset = cmp.Or(p.StopHook.Preset, global.StopHook.Preset)
	walk(reflect.ValueOf(&p).Elem(), "", r.field)
	l.out.Values = shortNames(r.values)
	l.out.Warnings = append(l.out.Warnings, r.warnings...)
	l.out.Settings, l.out.resolved = settingsOf(p), p
	if c := l.out.Project.Checkpoint; c != nil && c.Scope == "" {
		c.Scope = l.out.Settings.Scope
		v := l.out.value("checkpoint.scope")
		v.Value, v.standard = c.Scope, c.Scope
	}
	l.out.Settings.LogDir = Absolute(l.root, p.LogDir)
	l.remote(global.Remote)
	if global.Slots != nil {
		l.out.Settings.Slots = *global.Slots
	}
	if n, err := strconv.Atoi(getenv(EnvSlots)); err == nil && n >= 0 {
		l.out.Settings.Slots = n
	}
	if v := l.out.value("stop_hook.mode"); v.Origin == OriginEnvironment {
		l.out.Settings.ModeOverride = p.StopHook.Mode
	}
}

// remote adds the settings that are allowed in the user's own file only. Credentials go to
// the host that the user wrote beside them, never to one that a project names.
func (l *loader) remote(user UserRemote) {
	r := &l.out.Settings.Remote
	r.Key = user.Key
	if user.Auth == nil || r.URL == "" {
		return
	}
	mine, err1 := url.Parse(user.URL)
	theirs, err2 := url.Parse(r.URL)
	if err1 != nil || err2 != nil || user.URL == "" || mine.Host != theirs.Host || mine.Scheme != theirs.Scheme {
		l.out.Warnings = append(l.out.Warnings, "remote.auth is not sent to "+r.URL+": your own configuration does not name that host as remote.url")
		return
	}
	r.Auth = user.Auth
}

// Defaults are the settings of a project that sets none.
func Defaults() Settings { return settingsOf(WithDefaults(Project{})) }

// settingsOf reads a project in which every setting has a value.
func settingsOf(p Project) Settings {
	h := p.StopHook
	return Settings{
		BaseBranch: p.BaseBranch, LogDir: p.LogDir, AllowParallel: *p.AllowParallel, MaxParallel: *p.MaxParallel,
		MaxRetries: *p.MaxRetries, Threshold: p.RerunNewIssueThreshold, CheckUsageLimit: *p.CLI.CheckUsageLimit,

		StopHookEnabled: *h.Enabled, RunInterval: saturate(*h.RunIntervalMinutes, time.Minute), Reentry: h.Reentry,
		Scope: h.Scope, LockWait: saturate(*h.LockWaitSeconds, time.Second), AcceptAgentRuns: *h.AcceptAgentRuns,
		Ahead: *h.Ahead.Enabled, Quiet: saturate(*h.Ahead.Quiet, time.Second), RoomLinks: p.Room.Link, Ask: *h.Ask, Strict: h.Preset == "strict", Undo: h.Undo, OldTests: h.OldTests,
		MaxBlocks: *h.MaxBlocks, Deadline: saturate(*h.DeadlineSeconds, time.Second), Subagents: *h.Subagents, Tasks: *h.Tasks, Notify: h.Notify, Mode: h.Mode,

		DebugLog: *p.DebugLog.Enabled, DebugLogMaxBytes: megabytes(*p.DebugLog.MaxSizeMB),

		Slots: -1, // the user's own configuration sets it

		ProofsDir: p.Proofs.Dir, ProofsEpoch: *p.Proofs.Epoch,
		Remote: RemoteSettings{
			URL: p.Remote.URL, Read: *p.Remote.Read, Write: *p.Remote.Write, Signers: p.Remote.Signers, Timeout: saturate(*p.Remote.TimeoutMS, time.Millisecond),
		},
	}
}

// resolver determines every field's effective value and records its source.
type resolver struct {
	project, global *decoder
	user            map[string]reflect.Value // what the user's own file may set, by path
	preset          string                   // of the stop hook
	checkpoint      string                   // preset of the checkpoint
	getenv          func(string) string
	values          []Value
	warnings        []string
}

func (r *resolver) field(f reflect.Value, sf reflect.StructField, path string) {
	if f.Type() == reflect.TypeFor[[]EntryPoint]() {
		return // shown on its own, gate by gate
	}
	standard := reflect.New(f.Type()).Elem()
	if text, ok := sf.Tag.Lookup("default"); ok {
		setText(standard, sf.Tag, text)
	}
	origin, source := r.source(f, sf, path)
	r.values = append(r.values, Value{path, shown(f), origin, source, shown(standard)})
}

// source sets f from the strongest source that has a value for it.
func (r *resolver) source(f reflect.Value, sf reflect.StructField, path string) (origin, source string) {
	if name := sf.Tag.Get("env"); name != "" {
		if text := strings.TrimSpace(r.getenv(name)); text != "" {
			want := setText(f, sf.Tag, text)
			if want == "" {
				return OriginEnvironment, name
			}
			if sf.Tag.Get("lenient") == "" { // autonomy itself warns about its own
				r.warn(name + ": must be " + want + ", not " + quote(text) + "; ignored")
			}
		}
	}
	user := r.user[path]
	switch preset, ok := sf.Tag.Lookup(r.preset); {
	case isSet(f):
		if _, ok := r.project.places[path]; !ok {
			return OriginPreset, "checkpoint.preset: " + r.checkpoint
		}
		return OriginProject, r.project.where(path)
	case user.IsValid() && isSet(user):
		f.Set(user)
		return OriginGlobal, r.global.where(path)
	case ok && r.preset != "":
		setText(f, sf.Tag, preset)
		return OriginPreset, "stop_hook.preset: " + r.preset
	}
	if text, ok := sf.Tag.Lookup("default"); ok {
		setText(f, sf.Tag, text)
	}
	return OriginDefault, ""
}

// warn warns once: several fields may have the same variable.
func (r *resolver) warn(text string) {
	if !slices.Contains(r.warnings, text) {
		r.warnings = append(r.warnings, text)
	}
}

// where names the file and line that set a field.
func (d *decoder) where(field string) string {
	if p, ok := d.places[field]; ok {
		return d.file + ":" + strconv.Itoa(p.line)
	}
	return d.file
}

// shown is a value for people: lists of named things by their names.
func shown(f reflect.Value) any {
	switch x := f.Interface().(type) {
	case []Category:
		return namesOf(x, func(c Category) string { return c.Name })
	case []Action:
		return namesOf(x, func(a Action) string { return a.ID })
	}
	if f.Kind() != reflect.Pointer {
		return f.Interface()
	}
	if f.IsNil() {
		return nil
	}
	return f.Elem().Interface()
}

func namesOf[T any](list []T, name func(T) string) []string {
	var names []string
	for _, item := range list {
		names = append(names, name(item))
	}
	return names
}

func (l *Loaded) value(field string) *Value {
	i := slices.IndexFunc(l.Values, func(v Value) bool { return v.Field == field })
	if i < 0 {
		return &Value{}
	}
	return &l.Values[i]
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

// Absolute is a path of the configuration: below root unless it is absolute itself.
func Absolute(root, p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(root, p)
}
