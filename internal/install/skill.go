package install

import (
	"path/filepath"

	"gauntlet/internal/agent"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/install/jsonedit"
)

// Skill is what an agent reads about Gauntlet when it needs to. It is a file of its own in
// the project: no server is needed for it.
const Skill = `---
name: gauntlet
description: What Gauntlet checks when you stop in this project, and how to see it before. Use before you end your work, when a stop was sent back, or when a gate seems wrong.
---

Gauntlet runs this project's gates every time you stop, and sends you back with what failed.

- What is still owed: ` + "`gauntlet explain --next`" + `
- Which command a gate runs: ` + "`gauntlet list`" + `. Run that command yourself; a pass counts at the stop.
- Sent back: fix the cause in the code, then stop again. Do not weaken a test, a check or ` + "`.gauntlet/`" + `.
- If a test is wrong, or a person must decide: ` + "`gauntlet ask \"why\"`" + `, then stop.
- ` + "`gauntlet off`, `gauntlet allow` and `gauntlet uninstall`" + ` are for the person.
`

// planSkill plans the skill of an agent; nil where the client loads none. A file that
// Gauntlet did not write is left alone.
func (p Places) planSkill(a agent.Adapter) (*Change, error) {
	c, err := p.skill(a)
	switch {
	case c == nil || err != nil:
		return nil, err
	case !c.file.exists || c.record.Path != "" && string(c.file.data) != Skill:
		c.edit([]jsonedit.Edit{{Removed: string(c.file.data), Inserted: Skill}})
		return c, c.file.writable()
	case string(c.file.data) != Skill:
		c.Notes = append(c.Notes, "Another skill named gauntlet is there; it was left unchanged.")
	}
	return c, nil
}

// planUnskill plans the removal of the skill; nil when Gauntlet's is not there.
func (p Places) planUnskill(a agent.Adapter) (*Change, error) {
	c, err := p.skill(a)
	if c == nil || err != nil || !c.file.exists || c.record.Path == "" && string(c.file.data) != Skill {
		return nil, err
	}
	c.Action = Deleted
	return c, c.file.writable()
}

func (p Places) skill(a agent.Adapter) (*Change, error) {
	dir := a.Setup().Skills
	if dir == "" {
		return nil, nil
	}
	f, err := readFile(filepath.Join(p.Project, filepath.FromSlash(dir), "gauntlet", "SKILL.md"))
	if err != nil {
		return nil, err
	}
	if !f.inside(p.Project) {
		return nil, &RefusedError{Path: f.name, Why: "is, by a link, a file outside the project", Fix: "Replace the link by a directory of the project."}
	}
	c := p.change(a, wire.Project, f)
	c.What = "skill"
	return c, nil
}
