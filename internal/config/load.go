package config

import (
	"cmp"
	"path"
	"path/filepath"
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
	if foreign := Foreign(root); foreign != "" {
		l.add(false, &Error{File: name, Msg: "is not read: " + foreign + " belongs to another user"})
		return l.out, l.problems
	}
	d := newDecoder(name, legacyProject())
	data, fail := l.policy.read(File, name)
	if fail != nil {
		l.add(false, fail)
		return l.out, l.problems
	}
	project := &l.out.Project
	d.document(data, project)
	l.out.Warnings = append(l.out.Warnings, d.warnings...)
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
		name := strings.TrimSuffix(file, filepath.Ext(file))
		shown := path.Join(l.gates, ChecksDir, file)
		unused := !l.used["check "+name]
		if l.out.Checks[name] != nil || l.broken["check "+name] {
			l.add(unused, &Error{File: shown, Msg: "there is another file for check " + quote(name) + "; keep one"})
			continue
		}
		c := &Check{Name: name, File: shown}
		d := newDecoder(shown, legacyCheck())
		data, fail := l.policy.read(path.Join(ChecksDir, file), shown)
		if fail != nil {
			d.errs = append(d.errs, fail)
		} else {
			d.document(data, c)
			l.checkCheck(d, c)
		}
		if legacy := d.legacyName; legacy != "" && legacy != name {
			l.aliases[legacy] = name
			unused = unused && !l.used["check "+legacy]
		}
		l.out.Warnings = append(l.out.Warnings, d.warnings...)
		l.add(unused, d.errs...)
		if len(d.errs) > 0 {
			l.broken["check "+name] = true
			continue
		}
		*c = WithDefaults(*c)
		l.out.Checks[name] = c
	}
	l.adoptLegacyNames()
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
	for _, file := range l.gateFiles(ReviewsDir, ".md") {
		name := strings.TrimSuffix(file, ".md")
		shown := path.Join(l.gates, ReviewsDir, file)
		r := &Review{Name: name, File: shown}
		d := newDecoder(shown, legacyReview())
		data, fail := l.policy.read(path.Join(ReviewsDir, file), shown)
		if fail != nil {
			d.errs = append(d.errs, fail)
		} else {
			d.review(data, r)
		}
		l.out.Warnings = append(l.out.Warnings, d.warnings...)
		l.add(!l.used["review "+name], d.errs...)
		if len(d.errs) > 0 {
			l.broken["review "+name] = true
			continue
		}
		*r = WithDefaults(*r)
		l.out.Reviews[name] = r
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
	if r.Prompt = strings.TrimSpace(body); r.Prompt == "" && len(d.errs) == 0 {
		d.warnings = append(d.warnings, (&Error{File: d.file, Msg: "has no prompt below its front matter"}).Error())
	}
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
