// Package ship answers one question: may this commit ship? It reads the recorded gate, the
// rule for branch names and, if a project waits for previews, the deployments of the commit
// on GitHub. It writes nothing anywhere. Imports git, proc, redact and workflow; the
// environment is passed in.
package ship

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/jsontree"
	"gauntlet/internal/redact"
	"gauntlet/internal/workflow"
)

// Result is the answer. Allowed counts only if Unknown is empty.
type Result struct {
	Allowed    bool     `json:"allowed"`
	HeadCommit *string  `json:"head_commit"`
	Branch     *string  `json:"branch"`
	Blockers   []string `json:"blockers"` // why not
	Warnings   []string `json:"warnings"` // what a person should know
	Unknown    []string `json:"unknown"`  // what could not be determined
	Preview    *Preview `json:"preview"`
}

// ExitCode is 0 allowed, 1 not, 2 could not be determined. A known blocker outweighs
// everything that is unknown.
func (r Result) ExitCode() int {
	switch {
	case len(r.Blockers) > 0:
		return 1
	case len(r.Unknown) > 0 || !r.Allowed:
		return 2
	}
	return 0
}

// Checker is the environment of a check.
type Checker struct {
	Dir      string
	Getenv   func(string) string
	Environ  []string
	Now      func() time.Time
	Progress func(line string)
}

// Check judges HEAD of the work tree that Dir is in.
func (c Checker) Check(ctx context.Context, feature string) Result {
	r := Result{Blockers: []string{}, Warnings: []string{}, Unknown: []string{}}
	repo, err := git.Find(c.Dir)
	if err != nil {
		r.Unknown = append(r.Unknown, "not a git work tree: there is no commit to judge")
		return r
	}
	head, branch, err := headAndBranch(ctx, repo)
	if err != nil {
		r.Unknown = append(r.Unknown, "HEAD cannot be read: "+redact.Line(err.Error(), 200))
		return r
	}
	r.HeadCommit = &head
	if branch != "" {
		r.Branch = &branch
	}
	store := workflow.Open(c.Dir, c.Now, func(line string) { r.Warnings = append(r.Warnings, redact.Line(line, 300)) })
	r.Blockers = append(r.Blockers, gateBlockers(records(ctx, store, feature), head)...)

	in, err := LoadIntegrations(store.Root())
	if err != nil {
		r.Unknown = append(r.Unknown, err.Error())
		return r.decided()
	}
	if in.Linear.Enabled {
		if problem := branchProblem(branch, in.Linear.BranchPrefix); problem != "" {
			r.Blockers = append(r.Blockers, problem)
		}
	}
	// A commit that may not ship anyway needs no preview.
	if in.Vercel.Enabled && in.Vercel.WaitForPreview && len(r.Blockers) == 0 {
		c.preview(ctx, repo, in.Vercel, &r)
	}
	return r.decided()
}

func (r Result) decided() Result {
	r.Allowed = len(r.Blockers) == 0 && len(r.Unknown) == 0
	return r
}

// headAndBranch runs git once; branch is "" on a detached HEAD.
func headAndBranch(ctx context.Context, repo git.Repo) (head, branch string, err error) {
	out, err := repo.RunWith(ctx, git.Opts{Timeout: 10 * time.Second}, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
	if err != nil {
		if ge, ok := errors.AsType[*git.Error](err); ok && ge.ExitCode == 128 {
			return "", "", errors.New("there is no commit yet")
		}
		return "", "", err
	}
	head, ref, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	branch, _ = strings.CutPrefix(ref, "refs/heads/")
	if branch == "HEAD" {
		branch = ""
	}
	return head, branch, nil
}

// record is a state that may contain a gate.
type record struct {
	name string
	doc  *jsontree.Value
}

// records are the states that count for this check: those of the feature, or without one
// the plain ones, or else those of every feature.
func records(ctx context.Context, store *workflow.Store, feature string) []record {
	var list []record
	for _, command := range []string{"ship", "review"} {
		if doc := store.LoadProgress(ctx, command, feature); doc != nil {
			list = append(list, record{command, doc})
		}
	}
	if len(list) > 0 || feature != "" {
		return list
	}
	for _, e := range store.List(ctx) {
		if e.Doc() != nil && (e.Command == "ship" || e.Command == "review") && e.Feature != nil {
			list = append(list, record{fmt.Sprintf("%s of feature %q", e.Command, redact.Line(*e.Feature, 60)), e.Doc()})
		}
	}
	return list
}

// gateBlockers requires that one state allows exactly this commit, and none forbids it.
func gateBlockers(list []record, head string) []string {
	var blockers, stale []string
	allowed := false
	for _, rec := range list {
		gate := rec.doc.Get("gate")
		verdict := gate.Get("ship_allowed")
		if verdict.Kind() != jsontree.Bool {
			continue // {} has no gate
		}
		judged, _ := gate.Get("head_commit").Text()
		if !workflow.SameCommit(judged, head) {
			stale = append(stale, fmt.Sprintf("the gate of %s judged %s, HEAD is %s: run it again", rec.name, orNone(judged), head[:7]))
			continue
		}
		open := gate.Get("blockers").Strings()
		for _, b := range open {
			blockers = append(blockers, rec.name+": "+redact.Line(b, 300))
		}
		switch {
		case verdict.True() && len(open) == 0:
			allowed = true
		case len(open) == 0:
			blockers = append(blockers, rec.name+" does not allow it and names no blocker")
		}
	}
	switch {
	case len(blockers) > 0:
		return blockers
	case allowed:
		return nil
	case len(stale) > 0:
		return stale
	}
	return []string{"no ship or review state allows this commit (gate.ship_allowed is not true); the ship and review commands of docs/state.md record it, other projects do not need this check"}
}

func orNone(commit string) string {
	if commit == "" {
		return "no commit"
	}
	return redact.Line(commit[:min(7, len(commit))], 7)
}

// branchProblem checks PREFIX/… with an issue id (letters, '-', number) in it.
func branchProblem(branch, prefix string) string {
	want := "…"
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		want = prefix + "/…"
	}
	shown := redact.Line(branch, 100)
	if branch == "" {
		return "HEAD is detached: check out a branch called " + want + " with an issue id"
	}
	rest := branch
	if prefix != "" {
		var ok bool
		if rest, ok = strings.CutPrefix(branch, prefix+"/"); !ok {
			return fmt.Sprintf("branch %q must be called %s", shown, want)
		}
	}
	if !hasIssueID(rest) {
		return fmt.Sprintf("branch %q carries no issue id such as ABC-123", shown)
	}
	return ""
}

// hasIssueID finds KEY-123: a key that starts with a letter, at a word's start.
func hasIssueID(s string) bool {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	for i := 1; i+1 < len(s); i++ {
		if s[i] != '-' || !digit(s[i+1]) {
			continue
		}
		start := i
		for start > 0 && (letter(s[start-1]) || digit(s[start-1])) {
			start--
		}
		end := i + 1
		for end < len(s) && digit(s[end]) {
			end++
		}
		if start < i && letter(s[start]) && (end == len(s) || !letter(s[end])) {
			return true
		}
	}
	return false
}
