package config

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Setting is one effective value of a policy. Two policies whose settings are equal mean
// the same, however they are written.
type Setting struct {
	File  string // below .gauntlet
	Field string // "" for a file that is compared as it is
	Value string
}

// Effective lists what a policy means: every value of config.yml, of the checks and of the
// reviews with presets and defaults applied, and the text of every other file.
func (l *Loaded) Effective() []Setting {
	var out []Setting
	done := map[string]bool{File: true}
	in := func(file, kind, name string, v any) (add func(field, value string)) {
		file = strings.TrimPrefix(file, Dir+"/")
		done[file] = true
		own := strings.TrimSuffix(file, path.Ext(file)) == path.Join(kind, name)
		add = func(field, value string) {
			if kind != "" && !own { // a file with several gates, or under an older name
				field = kind + "[" + listItem(name) + "]." + field
			}
			out = append(out, Setting{file, field, value})
		}
		flatten(reflect.ValueOf(v), "", add)
		return add
	}
	in(File, "", "", l.resolved)
	for _, name := range slices.Sorted(maps.Keys(l.Checks)) {
		in(l.Checks[name].File, ChecksDir, name, *l.Checks[name])
	}
	for _, name := range slices.Sorted(maps.Keys(l.Reviews)) {
		in(l.Reviews[name].File, ReviewsDir, name, *l.Reviews[name])("prompt", l.Reviews[name].Prompt)
	}
	for _, name := range l.Policy.Names() {
		if f := l.Policy[name]; !done[name] {
			value := string(f.Data)
			if f.Err != nil {
				value = "cannot be read"
			}
			out = append(out, Setting{File: name, Value: value})
		}
	}
	return out
}

// flatten lists the values that are set in a section; lists of sections by the names of
// their items.
func flatten(v reflect.Value, field string, add func(field, value string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if isSection(v) {
			add(field, "on")
		}
		flatten(v.Elem(), field, add)
	case reflect.Struct:
		for i := range v.NumField() {
			if key := v.Type().Field(i).Tag.Get("yaml"); key != "" && key != "-" && isSet(v.Field(i)) {
				flatten(v.Field(i), join(field, key), add)
			}
		}
	case reflect.Slice:
		var names []string
		for i := range v.Len() {
			item := v.Index(i)
			if item.Kind() != reflect.Struct {
				names = append(names, listItem(fmt.Sprint(item.Interface())))
				continue
			}
			name := listItem(item.Field(0).String()) // a path, a name or an id
			at := field + "[" + name + "]"
			if slices.Contains(names, name) {
				at = field + "[" + name + " " + strconv.Itoa(i) + "]"
			}
			names = append(names, name)
			flatten(item, at, add)
		}
		if names == nil {
			names = []string{"none"}
		}
		add(field, strings.Join(names, ", "))
	case reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(v.Interface().(map[string]string))) {
			add(join(field, key), v.MapIndex(reflect.ValueOf(key)).String())
		}
	default:
		add(field, fmt.Sprint(v.Interface()))
	}
}

// listItem is an item of a list, quoted if it could be read as two.
func listItem(s string) string {
	if s == "" || s == "none" || strings.ContainsAny(s, ",\"\n") {
		return strconv.Quote(s)
	}
	return s
}
