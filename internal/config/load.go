package config

import (
	"bytes"
	"cmp"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"gauntlet/internal/text"
)

// Loaded is a project's whole configuration with every default resolved.
type Loaded struct {
	Root     string // absolute
	Project  Project
	Checks   map[string]*Check  // every readable file of .gauntlet/checks, by name
	Reviews  map[string]*Review // every readable file of .gauntlet/reviews, by name
	Settings Settings
	Values   []Value  // the same settings and those of the sections, field by field, with their sources
	Warnings []string // one line each, with their place
	// Digest identifies the content of every file of the policy that was read.
	Digest string
	// Policy are those files.
	Policy Policy
	// Signers is the text of remote.signers, and Denied the keys of remote proofs that no
	// longer count; read only if proofs are shared.
	Signers []byte
	Denied  []string

	resolved Project // with every setting resolved
}

// Summary counts what is configured, for people.
func (l *Loaded) Summary() string {
	return strings.Join([]string{
		text.Count(len(l.Project.EntryPoints), "entry point"), text.Count(len(l.Checks), "check"), text.Count(len(l.Reviews), "review"),
	}, ", ")
}

// Source names where the effective value of a setting comes from.
func (l *Loaded) Source(field string) string {
	return cmp.Or(l.value(field).Source, field)
}

// Load reads the configuration of the project at root. The error is a *Error, the first one
// found. A broken check or review that no entry point names disables nothing and is only a
// warning.
func Load(root string, getenv func(string) string) (*Loaded, error) {
	return LoadPolicy(root, ReadPolicy(root), getenv)
}

// LoadPolicy is Load for a policy that was read before.
func LoadPolicy(root string, policy Policy, getenv func(string) string) (*Loaded, error) {
	l, problems := load(root, source{policy: policy, config: path.Join(Dir, File), gates: Dir}, getenv)
	return usable(l, problems)
}

// LoadFile reads another policy for the project at root: file is its config.yml. Checks and
// reviews are those beside it, if it has any, else the project's.
func LoadFile(root, file string, getenv func(string) string) (*Loaded, error) {
	l, problems := load(root, beside(root, file), getenv)
	return usable(l, problems)
}

func usable(l *Loaded, problems []problem) (*Loaded, error) {
	for _, p := range problems {
		if !p.unused {
			return nil, p.err
		}
		l.Warnings = append(l.Warnings, p.err.Error())
	}
	return l, nil
}

// Validate reads every file of the configuration and returns all errors. The configuration
// is as complete as the errors allow.
func Validate(root string, getenv func(string) string) (*Loaded, []*Error) {
	l, problems := load(root, source{policy: ReadPolicy(root), config: path.Join(Dir, File), gates: Dir}, getenv)
	errs := make([]*Error, 0, len(problems))
	for _, p := range problems {
		errs = append(errs, p.err)
	}
	return l, errs
}

// problem is an error and whether it concerns only an unused gate.
type problem struct {
	err    *Error
	unused bool
}

type loader struct {
	root string
	source
	out      *Loaded
	problems []problem
	used     map[string]bool   // "check NAME", "review NAME" named by an entry point
	aliases  map[string]string // legacy name: of a check → its file's name
	broken   map[string]bool   // gates whose file has errors
}

// source is a policy and the names of its parts in errors.
type source struct {
	policy        Policy
	config, gates string
}

func load(root string, from source, getenv func(string) string) (*Loaded, []problem) {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	l := &loader{
		root:    root,
		source:  from,
		out:     &Loaded{Root: root, Digest: from.policy.Digest(), Policy: from.policy, Checks: map[string]*Check{}, Reviews: map[string]*Review{}},
		used:    map[string]bool{},
		aliases: map[string]string{},
		broken:  map[string]bool{},
	}
	name := from.config
	d := newDecoder(name)
	data, fail := l.policy.read(File, name)
	if fail != nil {
		l.add(false, fail)
		return l.out, l.problems
	}
	project := &l.out.Project
	d.document(data, project)
	l.out.Warnings = append(l.out.Warnings, d.warnings...) // those of gates in it come later
	for _, ep := range project.EntryPoints {
		for _, n := range ep.Checks {
			l.used["check "+n] = true
		}
		for _, n := range ep.Reviews {
			l.used["review "+n] = true
		}
	}
	gates := len(l.problems)
	l.loadChecks()
	l.loadReviews()
	l.loadInline(d)
	l.adoptLegacyNames()
	// Errors of the project's own file come first.
	late := slices.Clone(l.problems[gates:])
	l.problems = l.problems[:gates]
	if d.parsed {
		l.checkProject(d)
	}
	l.add(false, d.errs...)
	l.problems = append(l.problems, late...)
	l.settings(d, getenv)
	l.loadSigners()
	return l.out, l.problems
}

func (l *loader) add(unused bool, errs ...*Error) {
	for _, e := range errs {
		l.problems = append(l.problems, problem{e, unused})
	}
}

// gateFiles lists the files of a directory of gates.
func (l *loader) gateFiles(dir string, endings ...string) []string {
	if f, isFile := l.policy[dir]; isFile { // something else has that name
		l.add(false, &Error{File: path.Join(l.gates, dir), Msg: openProblem(cmp.Or(f.Err, error(syscall.ENOTDIR)))})
		return nil
	}
	return slices.DeleteFunc(l.policy.in(dir), func(name string) bool { return !slices.Contains(endings, filepath.Ext(name)) })
}

func (l *loader) loadChecks() {
	for _, file := range l.gateFiles(ChecksDir, ".yml", ".yaml") {
		name, shown := l.gateFile(ChecksDir, file)
		unused := !l.used["check "+name]
		if l.known("check " + name) {
			l.add(unused, twice(shown, "check", name))
			continue
		}
		c := &Check{Name: name, File: shown}
		d := newDecoder(shown)
		data, fail := l.policy.read(path.Join(ChecksDir, file), shown)
		if fail != nil {
			d.errs = append(d.errs, fail)
		} else {
			d.document(data, c)
			l.checkCheck(d, c)
			c.Untried = bytes.Contains(data, []byte(notTried))
		}
		if legacy := d.legacyName; legacy != "" && legacy != name {
			l.aliases[legacy] = name
			unused = unused && !l.used["check "+legacy]
		}
		l.out.Warnings = append(l.out.Warnings, d.warnings...)
		l.add(unused, d.errs...)
		l.keepCheck(c, len(d.errs) == 0)
	}
}

// gateFile is the name of a gate by its file, and the file as errors name it.
func (l *loader) gateFile(dir, file string) (name, shown string) {
	return strings.TrimSuffix(file, filepath.Ext(file)), path.Join(l.gates, dir, file)
}

func twice(file, kind, name string) *Error {
	return &Error{File: file, Msg: "there is another file for " + kind + " " + quote(name) + "; keep one"}
}

// known reports whether there is a gate of that kind and name already, broken or not.
func (l *loader) known(gate string) bool {
	kind, name, _ := strings.Cut(gate, " ")
	return l.broken[gate] || kind == "check" && l.out.Checks[name] != nil || kind == "review" && l.out.Reviews[name] != nil
}

func (l *loader) keepCheck(c *Check, sound bool) {
	if !sound {
		l.broken["check "+c.Name] = true
		return
	}
	*c = WithDefaults(*c)
	l.out.Checks[c.Name] = c
}

func (l *loader) keepReview(r *Review, sound bool) {
	if !sound {
		l.broken["review "+r.Name] = true
		return
	}
	*r = WithDefaults(*r)
	l.out.Reviews[r.Name] = r
}

// loadInline reads the gates that are written in config.yml itself, and the built-in
// reviews that an entry point names.
func (l *loader) loadInline(d *decoder) {
	warned := len(d.warnings)
	for _, g := range d.inline {
		kind := strings.TrimSuffix(g.dir, "s")
		if l.known(kind + " " + g.name) {
			d.fail(g.key, g.field, "", "there is another %s named %s; keep one", kind, quote(g.name))
			continue
		}
		before := len(d.errs)
		d.under = g.field
		if g.dir == ChecksDir {
			c := &Check{Name: g.name, File: l.config}
			d.value(g.value, reflect.ValueOf(c).Elem(), g.field, "", 1)
			l.checkCheck(d, c)
			l.keepCheck(c, len(d.errs) == before)
		} else {
			r := &Review{Name: g.name, File: l.config}
			d.value(g.value, reflect.ValueOf(r).Elem(), g.field, "", 1)
			l.findPrompt(d, r)
			l.keepReview(r, len(d.errs) == before)
		}
		d.under = ""
	}
	for gate := range l.used {
		name, ok := strings.CutPrefix(gate, "review "+builtinPrefix)
		if prompt, exists := builtinPrompt(name); ok && exists && !l.known(gate) {
			d.warnings = append(d.warnings, (&Error{File: l.config, Msg: "the review " + quote(builtinPrefix+name) + " is a built-in of older versions; the present form is a file, " + path.Join(Dir, ReviewsDir, name+".md") + " (`gauntlet config migrate` writes it)"}).Error())
			l.keepReview(&Review{Name: builtinPrefix + name, File: l.config, Prompt: prompt}, true)
		}
	}
	l.out.Warnings = append(l.out.Warnings, d.warnings[warned:]...)
}

// adoptLegacyNames lets an entry point name a check by the name: key inside its
// file, as the first versions of this layout did.
func (l *loader) adoptLegacyNames() {
	for legacy, name := range l.aliases {
		if !l.used["check "+legacy] || l.out.Checks[legacy] != nil || l.broken["check "+legacy] {
			continue
		}
		if l.broken["check "+name] {
			l.broken["check "+legacy] = true
			continue
		}
		c := *l.out.Checks[name]
		c.Name = legacy
		l.out.Checks[legacy] = &c
		if !l.used["check "+name] {
			delete(l.out.Checks, name)
		}
	}
}

func (l *loader) loadReviews() {
	for _, file := range l.gateFiles(ReviewsDir, ".md", ".yml", ".yaml") {
		name, shown := l.gateFile(ReviewsDir, file)
		if l.known("review " + name) {
			l.add(!l.used["review "+name], twice(shown, "review", name))
			continue
		}
		r := &Review{Name: name, File: shown}
		d := newDecoder(shown)
		data, fail := l.policy.read(path.Join(ReviewsDir, file), shown)
		switch {
		case fail != nil:
			d.errs = append(d.errs, fail)
		case path.Ext(file) == ".md":
			d.review(data, r)
			l.findPrompt(d, r)
		default:
			d.document(data, r)
			l.findPrompt(d, r)
		}
		l.out.Warnings = append(l.out.Warnings, d.warnings...)
		l.add(!l.used["review "+name], d.errs...)
		l.keepReview(r, len(d.errs) == 0)
	}
}

// findPrompt reads the prompt of a review that names it instead of containing it.
func (l *loader) findPrompt(d *decoder, r *Review) {
	if r.from.kind != "" {
		text, problem := l.promptOf(r.from)
		if problem != "" {
			d.failField(r.from.kind, "", "%s", problem)
			return
		}
		r.Prompt = strings.TrimSpace(text)
	}
	if r.Prompt == "" && len(d.errs) == 0 {
		d.warnings = append(d.warnings, (&Error{File: d.file, Field: d.under, Msg: "has no prompt below its front matter"}).Error())
	}
}

// review splits a review file into its front matter and its prompt.
func (d *decoder) review(data []byte, r *Review) {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	head, body, ok := frontMatter(text)
	if !ok {
		d.errs = append(d.errs, &Error{File: d.file, Line: 1, Column: 1, Msg: "the front matter that begins with --- has no closing ---"})
		return
	}
	if head != "" {
		d.lineBase = 1
		d.document([]byte(head), r)
	}
	r.Prompt = strings.TrimSpace(body)
}

// frontMatter cuts a text at its --- lines; a text without them is all body.
func frontMatter(text string) (head, body string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return "", text, true
	}
	offset := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\n") == "---" {
			return rest[:offset], rest[offset+len(line):], true
		}
		offset += len(line)
	}
	return "", "", false
}
