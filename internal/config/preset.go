package config

import (
	"cmp"
	"embed"
	"slices"
)

//go:embed presets
var presetFiles embed.FS

// Preset is a ready-made set of categories and actions.
type Preset struct {
	// Baseline is the action that is due even when no code changed.
	Baseline     string     `yaml:"baseline"`
	Observations string     `yaml:"observations"`
	Weakened     bool       `yaml:"weakened"`
	Announce     bool       `yaml:"announce"`
	Always       []Action   `yaml:"always"`
	Categories   []Category `yaml:"categories"`
}

// PresetOf reads a preset of the checkpoint; the name "" is the empty one.
func PresetOf(name string) Preset {
	var p Preset
	file := "presets/" + name + ".yml"
	data, err := presetFiles.ReadFile(file)
	if err != nil {
		return p
	}
	d := newDecoder(file)
	if d.document(data, &p); len(d.errs) > 0 {
		panic(d.errs[0]) // embedded, and read by the tests
	}
	return p
}

// orderOwn sorts the actions of a category without an order after those of the presets.
const orderOwn = 100

// Effective is the checkpoint with its preset and every default applied.
func (c *Checkpoint) Effective() *Checkpoint {
	if c == nil {
		c = &Checkpoint{}
	}
	if c.effective {
		return c
	}
	out := WithDefaults(*c)
	p := PresetOf(c.Preset)
	out.effective, out.Baseline = true, p.Baseline
	if c.Observations == "" && p.Observations != "" {
		out.Observations = p.Observations
	}
	if c.Weakened == nil {
		out.Weakened = &p.Weakened
	}
	if c.Announce == nil {
		out.Announce = &p.Announce
	}
	if out.Always == nil {
		out.Always = p.Always
	} else {
		out.Always = withEvidence(out.Always, p.Always)
	}
	out.Categories = p.Categories
	for _, own := range c.Categories {
		i := slices.IndexFunc(out.Categories, func(p Category) bool { return p.Name == own.Name })
		if i < 0 {
			out.Categories = append(out.Categories, own)
			continue
		}
		if own.Order == 0 {
			own.Order = out.Categories[i].Order
		}
		out.Categories[i] = own
	}
	for i := range out.Categories {
		out.Categories[i].Order = cmp.Or(out.Categories[i].Order, orderOwn)
	}
	return &out
}

// withEvidence adds the preset's evidence to a project's own actions of the same id: a
// project names further commands, the usual ones still count.
func withEvidence(own, preset []Action) []Action {
	own = slices.Clone(own)
	for i, a := range own {
		for _, given := range preset {
			if given.ID != a.ID {
				continue
			}
			evidence := slices.Clone(a.Evidence)
			if len(evidence) == 0 && a.Run != "" {
				evidence = []string{a.Run}
			}
			for _, text := range given.Evidence {
				if !slices.Contains(evidence, text) {
					evidence = append(evidence, text)
				}
			}
			own[i].Evidence = evidence
		}
	}
	return own
}

// actionIDs are the ids of all actions, the preset's included.
func (c *Checkpoint) actionIDs() []string {
	e := c.Effective()
	ids := namesOf(e.Always, func(a Action) string { return a.ID })
	for _, cat := range e.Categories {
		ids = append(ids, namesOf(cat.Actions, func(a Action) string { return a.ID })...)
	}
	return ids
}
