package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every preset of the enum exists, decodes by the rules of a project's own file, and is
// complete.
func TestPresets(t *testing.T) {
	sf, _ := reflect.TypeFor[Checkpoint]().FieldByName("Preset")
	names := strings.Split(sf.Tag.Get("enum"), ",")
	entries, err := presetFiles.ReadDir("presets")
	if err != nil || len(entries) != len(names) {
		t.Fatalf("%d files for %q: %v", len(entries), names, err)
	}
	for _, name := range names {
		p := PresetOf(name)
		if len(p.Categories) < 3 || len(p.Always) == 0 {
			t.Errorf("%s: %+v", name, p)
		}
		d := newDecoder(name)
		checkCheckpoint(d, &Checkpoint{Categories: p.Categories, Always: p.Always})
		for _, e := range d.errs {
			t.Error(e)
		}
		for _, c := range p.Categories {
			if c.Order == 0 || len(c.Paths) == 0 {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
	if p := PresetOf(""); len(p.Categories) > 0 {
		t.Errorf("no name, but %+v", p)
	}
}

func TestEffectiveCheckpoint(t *testing.T) {
	own := &Checkpoint{Preset: "go", Categories: []Category{{Name: "tests only", Only: true}, {Name: "docs"}}, Ignore: []string{}}
	c := own.Effective()
	var got []string
	for _, cat := range c.Categories {
		got = append(got, cat.Name)
		if cat.Name == "tests only" && (cat.Order != 90 || len(cat.Actions) > 0) {
			t.Errorf("a category of the same name takes the preset's place: %+v", cat)
		}
		if cat.Name == "docs" && cat.Order != orderOwn {
			t.Errorf("an own category comes after the preset's: %+v", cat)
		}
	}
	if want := []string{"dependencies", "go code", "tests only", "docs"}; !slices.Equal(got, want) {
		t.Errorf("categories %q, want %q", got, want)
	}
	if len(c.Ignore) != 0 || !*c.CommitStep || c.WhenUnsure != "nudge" || c.Always[0].ID != "tests" {
		t.Errorf("%+v", c)
	}
	if c.Effective() != c || own.CommitStep != nil || own.Baseline != "" {
		t.Error("applied twice, or to the original")
	}
	if PresetOf("teleclaude").Baseline != "logs" || (*Checkpoint)(nil).Effective().Ignore == nil {
		t.Error("baseline or defaults are lost")
	}
}

// `gauntlet config` shows the effective values, from any source.
func TestShownIsEffective(t *testing.T) {
	l := mustLoad(t, project(t, map[string]string{"config.yml": "checkpoint: {preset: go, always: []}\nstop_hook: {preset: strict, reentry: once}\n"}), env(t))
	for field, want := range map[string]Value{
		"checkpoint.categories":          {Value: []string{"dependencies", "go code", "tests only"}, Origin: OriginPreset, Source: "checkpoint.preset: go"},
		"checkpoint.ignore":              {Value: []string{"docs/**", "todos/**", "ideas/**", "**/*.md", "**/*.markdown"}, Origin: OriginDefault},
		"checkpoint.always":              {Value: []string(nil), Origin: OriginProject, Source: ".gauntlet/config.yml:1"},
		"stop_hook.run_interval_minutes": {Value: 0.0, Origin: OriginPreset, Source: "stop_hook.preset: strict"},
		"stop_hook.reentry":              {Value: "once", Origin: OriginProject, Source: ".gauntlet/config.yml:2"},
		"stop_hook.max_blocks":           {Value: 3, Origin: OriginDefault},
	} {
		want.Field = field
		got := *l.value(field)
		if got.Differs() != (got.Origin != OriginDefault && field != "stop_hook.reentry") {
			t.Errorf("%s differs from the default: %t", field, got.Differs())
		}
		if got.standard = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if l.Settings.RunInterval != 0 || l.Settings.Reentry != "once" {
		t.Errorf("%+v", l.Settings)
	}
	// A field in the user's file overrides the preset, too.
	l = mustLoad(t, l.Root, home(t, "stop_hook: {run_interval_minutes: 4}\n"))
	if v := l.value("stop_hook.run_interval_minutes"); v.Value != 4.0 || v.Origin != OriginGlobal {
		t.Errorf("%+v", v)
	}
}

// No other test would find a default that violates the rules of its own field.
func TestDefaultTags(t *testing.T) {
	seen := 0
	for _, v := range []any{&Project{Checkpoint: &Checkpoint{Tests: &Tests{}}, Autonomy: &Autonomy{}}, &Check{}, &Review{}, &Global{}} {
		walk(reflect.ValueOf(v).Elem(), "", func(f reflect.Value, sf reflect.StructField, path string) {
			for _, tag := range []string{"default", "strict"} {
				if text, ok := sf.Tag.Lookup(tag); ok {
					seen++
					if want := setText(f, sf.Tag, text); want != "" {
						t.Errorf("%s: %s:%q must be %s", path, tag, text, want)
					}
				}
			}
		})
	}
	if seen < 30 {
		t.Errorf("only %d defaults seen", seen)
	}
}

// Evidence may be a pattern or a text that a command contains.
func TestContains(t *testing.T) {
	root := project(t, map[string]string{"config.yml": "checkpoint:\n  categories:\n    - name: c\n      paths: [x]\n      actions:\n        - {id: a, run: r, evidence: [make a, {contains: b c}]}\n"})
	l, err := Load(root, env(t))
	if err != nil {
		t.Fatal(err)
	}
	list := l.Project.Checkpoint.Categories[0].Actions[0].Evidence
	if part, ok := Contained(list[1]); !ok || part != "b c" || list[0] != "make a" {
		t.Errorf("evidence %q", list)
	}
	for _, bad := range []string{"{contains: }", "{containing: x}", "{contains: x, y: z}", "{contains: [x]}"} {
		root := project(t, map[string]string{"config.yml": "checkpoint:\n  always:\n    - {id: a, run: r, evidence: [" + bad + "]}\n"})
		if _, err := Load(root, env(t)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
