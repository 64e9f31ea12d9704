package config

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"gauntlet/internal/text"
)

// checkProject applies the rules that the tags of one field cannot express.
func (l *loader) checkProject(d *decoder) {
	p := &l.out.Project
	if strings.HasPrefix(p.BaseBranch, "-") {
		d.failField("base_branch", "", "%s must not begin with a dash", quote(p.BaseBranch))
	}
	l.checkLogDir(d)
	for i, ep := range p.EntryPoints {
		field := "entry_points[" + strconv.Itoa(i) + "]"
		l.checkEntryPoint(d, field, ep)
	}
	if p.Checkpoint != nil {
		checkCheckpoint(d, p.Checkpoint)
	}
	slices.SortStableFunc(d.errs, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	if len(p.EntryPoints) == 0 && p.Checkpoint == nil && p.Autonomy == nil {
		d.failField("entry_points", "", "at least one entry point is required (or a checkpoint or autonomy section)")
	}
}

// checkLogDir refuses directories in which logs, which never count as a change,
// would hide the project's own files.
func (l *loader) checkLogDir(d *decoder) {
	dir := l.out.Project.LogDir
	if dir == "" {
		return
	}
	abs := Absolute(l.root, dir)
	for _, own := range []string{Dir, ".git"} {
		if within(filepath.Join(l.root, own), abs) {
			d.failField("log_dir", "", "%s must not be in %s; use a directory of its own, such as gauntlet_logs", quote(dir), own)
			return
		}
	}
	if within(abs, l.root) {
		d.failField("log_dir", "", "%s is the whole project; use a directory of its own, such as gauntlet_logs", quote(dir))
	}
}

// within reports whether p is dir or below it.
func within(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

func (l *loader) checkEntryPoint(d *decoder, field string, ep EntryPoint) {
	switch clean := path.Clean(filepath.ToSlash(ep.Path)); {
	case path.IsAbs(clean) || filepath.IsAbs(ep.Path):
		d.failField(field+".path", "", "%s must be relative to the project root", quote(ep.Path))
	case clean == ".." || strings.HasPrefix(clean, "../"):
		d.failField(field+".path", "", "%s leaves the project", quote(ep.Path))
	case !doublestar.ValidatePattern(ep.Path):
		d.failField(field+".path", "", "%s is not a valid glob", quote(ep.Path))
	}
	for i, name := range ep.Checks {
		if l.out.Checks[name] != nil || l.broken["check "+name] {
			continue
		}
		d.failField(field+".checks["+strconv.Itoa(i)+"]", text.Nearest(name, slices.Sorted(maps.Keys(l.out.Checks))),
			"no check named %s: %s does not exist", quote(name), path.Join(Dir, ChecksDir, printable(name)+".yml"))
	}
	for i, name := range ep.Reviews {
		at := field + ".reviews[" + strconv.Itoa(i) + "]"
		if l.broken["review "+name] {
			continue
		}
		r := l.out.Reviews[name]
		if r == nil {
			d.failField(at, text.Nearest(name, slices.Sorted(maps.Keys(l.out.Reviews))),
				"no review named %s: %s does not exist", quote(name), path.Join(Dir, ReviewsDir, printable(name)+".md"))
			continue
		}
		if len(r.CLIPreference) == 0 && len(l.out.Project.CLI.DefaultPreference) == 0 {
			d.failField(at, "", "review %s has no reviewer: set cli.default_preference here or cli_preference in %s", quote(name), r.File)
		}
	}
}

// checkCheck applies the rules of a check that its tags cannot express and reads its fix
// instructions.
func (l *loader) checkCheck(d *decoder, c *Check) {
	if c.FailFast && c.Parallel {
		d.failField("fail_fast", "", "cannot be used together with parallel: true; remove one")
	}
	checkReport(d, c)
	checkChangedFiles(d, "command", c.Command)
	checkChangedFiles(d, "fix", c.Fix)
	for i, p := range c.Outputs {
		switch clean := path.Clean(filepath.ToSlash(p)); {
		case path.IsAbs(clean) || filepath.IsAbs(p):
			d.failField(fmt.Sprintf("outputs[%d]", i), "", "%s must be relative to the project root", quote(p))
		case strings.Trim(clean, "*/.") == "":
			d.failField(fmt.Sprintf("outputs[%d]", i), "", "%s covers the whole project, so that nothing would count as changed; name the files that the command writes", quote(p))
		}
	}
	if r := c.Runner; r != nil && (r.Kind == "") == (len(r.Exec) == 0) {
		d.failField("runner", "", "must be local, remote or {exec: [COMMAND, …]}")
	}
	if r := c.Runner; r != nil && r.Kind == RunnerRemote && l.out.Project.Remote.Farm == nil {
		d.failField("runner", "", "needs a build farm: set remote.farm.address in config.yml")
	}
	for i, p := range c.ErrorPatterns {
		if _, err := regexp.Compile(p); err != nil {
			d.failField(fmt.Sprintf("error_patterns[%d]", i), "", "%s is not a regular expression: %v", quote(p), err)
		}
	}
	if c.FixInstructions == "" {
		return
	}
	text, problem := l.fixText(c.FixInstructions)
	if problem != "" {
		d.failField("fix_instructions", "", "%s", problem)
		return
	}
	c.FixText = text
}

// checkChangedFiles refuses uses of ${CHANGED_FILES} in which a file's name could be read as
// something else.
func checkChangedFiles(d *decoder, field, command string) {
	const name = "CHANGED_FILES"
	open := rune(0)
	for i, c := range command {
		switch {
		case strings.HasPrefix(command[i:], "$"+name):
			d.failField(field, "", "write ${%s}: without braces it is not replaced", name)
			return
		case strings.HasPrefix(command[i:], "${"+name+"}") && (open != 0 || i > 0 && strings.ContainsRune("\"'`\\", rune(command[i-1]))):
			d.failField(field, "", "${%s} must not be inside quotes: every path in it is quoted already", name)
			return
		case c == open:
			open = 0
		case open == 0 && strings.ContainsRune("\"'`", c) && (i == 0 || command[i-1] != '\\'):
			open = c
		}
	}
}

// fixText reads a file under .gauntlet/ and nothing else, links included.
func (l *loader) fixText(name string) (text, problem string) {
	local := path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(filepath.FromSlash(local)) {
		return "", quote(name) + " must name a file under " + Dir + "/"
	}
	if _, ok := l.policy[local]; !ok {
		// Written from the project root, as people do.
		local = strings.TrimPrefix(local, Dir+"/")
	}
	data, fail := l.policy.read(local, name)
	if fail != nil {
		return "", Dir + "/" + printable(local) + " " + fail.Msg
	}
	return string(data), ""
}

// checkCheckpoint applies the rules between the parts of a checkpoint section.
func checkCheckpoint(d *decoder, c *Checkpoint) {
	type named struct {
		field  string
		action Action
	}
	var actions []named
	collect := func(field string, list []Action) {
		for i, a := range list {
			actions = append(actions, named{field + "[" + strconv.Itoa(i) + "]", a})
		}
	}
	seen := map[string]bool{}
	for i, cat := range c.Categories {
		field := "checkpoint.categories[" + strconv.Itoa(i) + "]"
		if seen[cat.Name] {
			d.failField(field+".name", "", "category %s is there twice; keep one", quote(cat.Name))
		}
		seen[cat.Name] = true
		collect(field+".actions", cat.Actions)
	}
	collect("checkpoint.always", c.Always)
	for _, a := range actions {
		if a.action.Run == "" && a.action.Text == "" {
			d.failField(a.field, "", "action %s needs run or text", quote(a.action.ID))
		}
		if after := a.action.After; after != "" {
			if ids := c.actionIDs(); !slices.Contains(ids, after) {
				d.failField(a.field+".after", text.Nearest(after, ids), "unknown action %s", quote(after))
			}
		}
		if a.action.After != "" && a.action.After == a.action.ID {
			d.failField(a.field+".after", "", "an action cannot come after itself")
		}
	}
}
