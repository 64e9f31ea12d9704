package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Keys that files of this layout had in older versions, in agent-gauntlet and in its
// successor agent-validator. They are read with a warning that names the present spelling,
// so that such files continue to be judged. `gauntlet config migrate` rewrites them.

// legacyKey is one such key.
type legacyKey struct {
	why string // shown after "has no effect"
	now string // the present spelling of a key that has a meaning here
	// set gives it that meaning; in is the section it was found in.
	set func(d *decoder, kv *ast.MappingValueNode, in section)
	// line is the key that replaces it in the file and, unless it stays, the value; a key
	// without a line is removed.
	line func(was ast.Node) (key, value string)
}

// legacyOf finds a key of an older version by the type of the section it is in.
func legacyOf(t reflect.Type, key string) (legacyKey, bool) {
	k, ok := legacyIn(t)[key]
	return k, ok
}

func legacyIn(t reflect.Type) map[string]legacyKey {
	switch t {
	case reflect.TypeFor[Project]():
		return legacyProject()
	case reflect.TypeFor[CLI]():
		return map[string]legacyKey{"adapters": {now: "cli.default_preference for the order of reviewers, and model in a review", set: preferAdapters}}
	case reflect.TypeFor[StopHook]():
		return map[string]legacyKey{
			"auto_push_pr":  {},
			"auto_fix_pr":   {},
			"base_branch":   {why: " (base_branch is a key of its own)"},
			"check_timeout": {why: " (deadline_seconds replaced it)"},
		}
	case reflect.TypeFor[Check]():
		return legacyCheck()
	case reflect.TypeFor[Review]():
		return legacyReview()
	}
	return nil
}

// legacyPaths lists the keys of older versions of a file, those of its sections included.
func legacyPaths(t reflect.Type) []string {
	paths := slices.Collect(maps.Keys(legacyIn(t)))
	for i := range t.NumField() {
		for key := range legacyIn(t.Field(i).Type) {
			paths = append(paths, t.Field(i).Tag.Get("yaml")+"."+key)
		}
	}
	slices.Sort(paths)
	return paths
}

func legacyProject() map[string]legacyKey {
	const inline = "a file per gate, .gauntlet/"
	return map[string]legacyKey{
		"name":              {},
		"git_ref":           {why: " (base_branch replaced it)"},
		"max_previous_logs": {why: " (one archive is kept, previous/)"},
		"logging":           {why: " (debug_log replaced it)"},
		"fail_fast":         {why: " (fail_fast is a key of a check)"},
		"parallel":          {why: " (allow_parallel replaced it)"},
		ChecksDir: {now: inline + ChecksDir + "/NAME.yml", set: func(d *decoder, kv *ast.MappingValueNode, _ section) {
			d.inlineGates(ChecksDir, kv.Value, ChecksDir)
		}},
		ReviewsDir: {now: inline + ReviewsDir + "/NAME.md", set: func(d *decoder, kv *ast.MappingValueNode, _ section) {
			d.inlineGates(ReviewsDir, kv.Value, ReviewsDir)
		}},
	}
}

func legacyCheck() map[string]legacyKey {
	return map[string]legacyKey{
		"name": {why: ": a check is named by its file", set: func(d *decoder, kv *ast.MappingValueNode, _ section) {
			d.legacyName, _ = stringOf(kv.Value)
		}},
		"rerun_command":         {},
		"fix_instructions_file": renamed("fix_instructions"),
		"fix_with_skill": {now: "fix_instructions", set: func(_ *decoder, kv *ast.MappingValueNode, in section) {
			if skill, ok := stringOf(kv.Value); ok {
				in.Addr().Interface().(*Check).FixText = skillFix(skill)
			}
		}, line: func(was ast.Node) (key, value string) {
			skill, _ := stringOf(was)
			return "fix_instructions", skillFile(skill)
		}},
	}
}

func legacyReview() map[string]legacyKey {
	const json = " (a reviewer answers in JSON)"
	from := func(kind string) legacyKey {
		return legacyKey{now: "the text of the prompt in .gauntlet/reviews/NAME.md", set: func(_ *decoder, kv *ast.MappingValueNode, in section) {
			if value, ok := stringOf(kv.Value); ok {
				in.Addr().Interface().(*Review).from = promptSource{kind, strings.TrimSpace(value)}
			}
		}}
	}
	return map[string]legacyKey{
		"name":              {why: " (a review is named by its file)"},
		"prompt":            {why: " (the prompt is the text below)"},
		"include_context":   {},
		"include_full_repo": {},
		"fail_fast":         {},
		"pass_pattern":      {why: json},
		"fail_pattern":      {why: json},
		"ignore_pattern":    {why: json},
		"reviewers":         renamed("cli_preference"),
		"enabled":           {now: "mode: off", set: disable, line: modeOff},
		fromBuiltin:         from(fromBuiltin),
		fromFile:            from(fromFile),
		fromSkill:           from(fromSkill),
	}
}

// renamed is a key that has another name now. The present one wins if both are there.
func renamed(to string) legacyKey {
	return legacyKey{
		now: to,
		set: func(d *decoder, kv *ast.MappingValueNode, in section) {
			index, ok := fieldIndex(in.Type(), to)
			if ok && !in.seen[to] && in.Field(index).IsZero() {
				d.value(kv.Value, in.Field(index), join(in.field, keyText(kv.Key)), in.Type().Field(index).Tag, 1)
			}
		},
		line: func(ast.Node) (string, string) { return to, "" },
	}
}

// disable is enabled: false of a review.
func disable(_ *decoder, kv *ast.MappingValueNode, in section) {
	if on, ok := boolOf(kv.Value); ok && !on && !in.seen["mode"] {
		in.Addr().Interface().(*Review).Mode = ModeOff
	}
}

func modeOff(was ast.Node) (key, value string) {
	if on, ok := boolOf(was); ok && !on {
		return "mode", string(ModeOff)
	}
	return "", ""
}

// preferAdapters takes the reviewers from cli.adapters when no preference is written.
func preferAdapters(_ *decoder, kv *ast.MappingValueNode, in section) {
	if in.seen["default_preference"] {
		return
	}
	in.Addr().Interface().(*CLI).DefaultPreference = keysOf(kv.Value)
}

func keysOf(n ast.Node) []string {
	var names []string
	entries, _ := pairs(n)
	for _, kv := range entries {
		names = append(names, keyText(kv.Key))
	}
	return names
}

// inlineGate is a gate that is written in config.yml instead of a file of its own.
type inlineGate struct {
	dir, name, field string // dir is ChecksDir or ReviewsDir
	key, value       ast.Node
}

// inlineGates collects the gates of a mapping of names to gates.
func (d *decoder) inlineGates(dir string, n ast.Node, field string) {
	node, ok := d.resolve(n, field)
	if !ok {
		return
	}
	entries, ok := pairs(node)
	if !ok {
		d.fail(n, field, "", "must be a mapping of names to gates, not %s", kindOf(node))
		return
	}
	for _, kv := range entries {
		d.inlineGate(dir, kv, field)
	}
}

// inlineGate remembers one of them and returns its name.
func (d *decoder) inlineGate(dir string, kv *ast.MappingValueNode, field string) string {
	name := keyText(kv.Key)
	d.inline = append(d.inline, inlineGate{dir, name, join(field, name), kv.Key, kv.Value})
	return name
}

// inlineItem is an item of entry_points[].checks or reviews that holds a gate instead of
// the name of one.
func (d *decoder) inlineItem(item ast.Node, field string) (name string, ok bool) {
	list := field[:strings.LastIndexByte(field, '[')]
	dir := list[strings.LastIndexByte(list, '.')+1:]
	if !strings.HasPrefix(list, "entry_points[") || dir != ChecksDir && dir != ReviewsDir {
		return "", false
	}
	node, ok := d.resolve(item, field)
	if !ok {
		return "", false
	}
	entries, ok := pairs(node)
	if !ok || len(entries) != 1 {
		return "", false
	}
	d.warn(entries[0].Key, field, "is written in place, as agent-validator has it; the present form is a file of its own, %s/%s/NAME (`gauntlet config migrate` writes it)", Dir, dir)
	return d.inlineGate(dir, entries[0], field), true
}
