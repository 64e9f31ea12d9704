package history

import (
	"slices"
	"strings"

	"gauntlet/internal/event"
	"gauntlet/internal/redact"
)

// Bounded is a record from a database, which others can write to, as Append would have written
// it.
func Bounded(r Record) Record {
	schema := r.Schema
	r = clean(r)
	r.Schema = schema
	return r
}

// clean bounds and redacts every text of a record: all of it may come from
// outside.
func clean(r Record) Record {
	r.Schema, r.Time = Schema, r.Time.UTC()
	for _, s := range []*string{&r.Message, &r.Reason, &r.SystemMessage, &r.PolicyChange, &r.JudgeChange, &r.TestDiff} {
		*s = cut(redact.String(*s), maxText)
	}
	for _, s := range []*string{
		&r.ID, &r.Project, &r.Status, &r.Agent, &r.Session, &r.Turn, &r.Cwd, &r.Decision, &r.Gate, &r.Kind, &r.LogPath,
		&r.Command, &r.Mode, &r.Label, &r.Model, &r.Client, &r.Warning, &r.Repository, &r.Prompt,
	} {
		*s = cut(redact.String(*s), maxName)
	}
	// Hashes made by Gauntlet; the redactor would mistake them for secrets.
	for _, s := range []*string{&r.Policy, &r.Tree, &r.Key} {
		*s = cut(*s, maxName)
	}
	r.Tail = lastOf(redact.String(r.Tail), maxTail)
	r.Steps = bounded(r.Steps, maxSteps, func(s *Step) {
		s.Name = cut(s.Name, maxName)
		s.Note = cut(redact.String(s.Note), maxName)
	})
	for _, a := range []**event.Answer{&r.Undo, &r.OldTests, &r.Canary} {
		if *a != nil {
			files := bounded((*a).Files, maxFindings, func(p *string) { *p = cut(redact.String(*p), maxFinding) })
			*a = &event.Answer{Result: cut((*a).Result, maxName), Files: files, Reason: cut(redact.String((*a).Reason), maxName)}
		}
	}
	if r.Transcript != nil {
		t := *r.Transcript
		t.Path = cut(redact.String(t.Path), maxName)
		r.Transcript = &t
	}
	r.ChangedTotal = max(r.ChangedTotal, len(r.Changed))
	r.Changed = bounded(r.Changed, maxChanged, func(p *string) { *p = cut(redact.String(*p), maxFinding) })
	r.Owed = bounded(r.Owed, maxSteps, func(id *string) { *id = cut(redact.String(*id), maxFinding) })
	r.FindingsTotal = max(r.FindingsTotal, len(r.Findings))
	r.Findings = bounded(r.Findings, maxFindings, func(f *Finding) {
		f.Path, f.Rule = cut(redact.String(f.Path), maxFinding), cut(redact.String(f.Rule), maxFinding)
		f.Message, f.Print = cut(redact.String(f.Message), maxFinding), cut(f.Print, maxFinding)
	})
	return r
}

// bounded is a copy of the first n items, each cleaned: the caller's items stay unchanged.
// lastOf shortens s to its last n bytes, to complete lines if it has any.
func lastOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
		s = s[i+1:]
	}
	return strings.ToValidUTF8(s, "")
}

func bounded[T any](list []T, n int, clean func(*T)) []T {
	list = slices.Clone(list[:min(len(list), n)])
	for i := range list {
		clean(&list[i])
	}
	return list
}
