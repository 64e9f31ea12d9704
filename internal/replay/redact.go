package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
)

// Redacted is the report without names and texts of the sessions, to be shown to others:
// paths become short hashes that keep their extensions; prompts, messages and commands are
// left out.
func (r Report) Redacted() Report {
	r.Samples = redactAll(r.Samples)
	r.all = redactAll(r.all)
	var suggestions []Suggestion
	for _, s := range r.Suggestions {
		if s.Kind == "evidence" {
			s.Text = "a command should be evidence of " + s.Rule + " (left out)"
		}
		suggestions = append(suggestions, s)
	}
	if suggestions != nil {
		r.Suggestions = suggestions
	}
	if r.Against != nil {
		a := r.Against.Redacted()
		r.Against = &a
	}
	return r
}

func redactAll(list []Sample) []Sample {
	out := make([]Sample, 0, len(list))
	for _, s := range list {
		s.Project, s.Session = short(s.Project), short(filepath.Base(s.Session))
		s.Prompt, s.Said, s.Next, s.Because = "", "", nil, ""
		var changed, ran []string
		for _, p := range s.Changed {
			changed = append(changed, short(p)+path.Ext(p))
		}
		for _, c := range s.Ran {
			outcome, _, _ := strings.Cut(c, ": ")
			ran = append(ran, outcome)
		}
		s.Changed, s.Ran = changed, ran
		out = append(out, s)
	}
	return out
}

func short(s string) string {
	if s == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}
