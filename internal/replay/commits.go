package replay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/redact"
	"gauntlet/internal/room"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
	"gauntlet/internal/site"
)

// Commits runs the gates of the policy on the last n commits of the base branch,
// each against what that commit changed, in a room.
func Commits(ctx context.Context, opts Options, n int, environ []string) (Report, error) {
	reports := make([]Report, 0, 2)
	for _, cfg := range opts.policies() {
		c := &commitReplay{cfg: cfg, opts: &opts, environ: environ, t: newTally("commits", cfg.Digest)}
		r, err := c.report(ctx, n)
		if err != nil {
			return Report{}, err
		}
		reports = append(reports, r)
	}
	return joined(reports), nil
}

type commitReplay struct {
	cfg     *config.Loaded
	opts    *Options
	environ []string
	t       *tally
	repo    git.Repo
	prefix  string // of the project in its repository
	logs    string
}

// landed is one commit and how the gates judged it.
type landed struct {
	oid, title string
	at         time.Time
	changed    []string
	results    []gate.Result
}

func (c *commitReplay) report(ctx context.Context, n int) (Report, error) {
	repo, err := git.UserOf(c.opts.Getenv).Find(c.cfg.Root)
	if err != nil {
		return Report{}, err
	}
	if rel, err := filepath.Rel(repo.Root, c.cfg.Root); err == nil && rel != "." {
		c.prefix = filepath.ToSlash(rel) + "/"
	}
	c.repo = repo
	base, err := repo.Base(ctx, c.cfg.Settings.BaseBranch)
	if err != nil {
		return Report{}, err
	}
	commits, err := c.commits(ctx, repo, base, n)
	if err != nil {
		return Report{}, err
	}
	if len(commits) == 0 {
		return Report{}, fmt.Errorf("%s has no commit in the time asked for", redact.Line(base, 80))
	}
	logs, remove, err := safefile.TempDir("", "gauntlet-replay-*")
	if err != nil {
		return Report{}, err
	}
	defer remove()
	c.logs = logs
	ask := content.Question{Repo: repo, Sealer: seal.New(site.StateHome(c.opts.Getenv))}
	here, err := content.Take(ctx, ask)
	if err != nil {
		return Report{}, err
	}
	there, err := room.House{
		Dir: room.Home(c.opts.Getenv), Repo: repo, Store: content.Store{Repo: repo}, Ask: ask, Here: here,
	}.Open(ctx, room.Base)
	if err != nil {
		return Report{}, err
	}
	defer there.Close()
	for i := range commits {
		if err := c.run(ctx, there, &commits[i]); err != nil {
			return Report{}, err
		}
		c.opts.progress(i+1, len(commits))
	}
	return c.sum(commits), nil
}

// commits lists the newest commits of the base branch, oldest first.
func (c *commitReplay) commits(ctx context.Context, repo git.Repo, base string, n int) ([]landed, error) {
	args := []string{"log", "--first-parent", fmt.Sprintf("--max-count=%d", n), "--format=%H%x00%ct%x00%s"}
	if !c.opts.Since.IsZero() {
		args = append(args, fmt.Sprintf("--since=%d", c.opts.Since.Unix()))
	}
	out, err := repo.Run(ctx, append(args, base, "--")...)
	if err != nil {
		return nil, err
	}
	var list []landed
	for line := range strings.Lines(string(out)) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), "\x00", 3)
		if len(parts) != 3 {
			continue
		}
		var seconds int64
		_, _ = fmt.Sscan(parts[1], &seconds)
		one := landed{oid: parts[0], at: time.Unix(seconds, 0), title: parts[2]}
		paths, err := repo.CommitNames(ctx, one.oid)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if rest, ok := strings.CutPrefix(p, c.prefix); ok && rest != "" {
				one.changed = append(one.changed, rest)
			}
		}
		list = append(list, one)
	}
	slices.Reverse(list)
	return list, nil
}

// run judges one commit.
func (c *commitReplay) run(ctx context.Context, there *room.Room, one *landed) error {
	if len(one.changed) == 0 {
		return nil
	}
	account, err := content.OfCommit(ctx, c.repo, one.oid)
	if err != nil {
		return err
	}
	if err := there.Move(ctx, account); err != nil {
		return err
	}
	jobs := gate.Select(c.cfg, one.changed, nil, gate.Filter{Kind: gate.KindCheck, Mode: c.cfg.Settings.ModeOf, Now: one.at})
	for _, j := range jobs {
		env := gate.Env{
			LogDir: c.logs, RunNumber: 1, BaseBranch: one.oid + "^", Environ: c.environ, Now: time.Now, Root: c.cfg.Root, Room: there,
		}
		r := gate.RunCheck(ctx, j, env)
		r.Mode = j.Mode
		one.results = append(one.results, r)
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx))
		}
	}
	return nil
}

// sum counts the results of the gates.
func (c *commitReplay) sum(commits []landed) Report {
	cov := &c.t.report.Coverage
	cov.Formats["commit"] = len(commits)
	for i, one := range commits {
		cov.Turns++
		cov.Stops++
		if len(one.results) == 0 {
			c.t.gap("commits that no check applies to", 1)
			continue
		}
		cov.Changed++
		c.t.report.Stops++
		s := Sample{
			ID: "c-" + one.oid[:min(10, len(one.oid))], Time: stamp(one.at), Project: c.cfg.Root, Prompt: redact.Line(one.title, 200),
			Changed: head(one.changed, 20), Outcome: Unknown,
		}
		for _, r := range one.results {
			rule := c.t.rule(r.ID)
			rule.Stops++
			rule.costs = append(rule.costs, float64(r.DurationMS))
			switch r.Status {
			case gate.Error:
				c.t.gap("runs of "+r.Name+" that could not run: "+redact.Line(r.Message, 120), 1)
			case gate.Fail:
				rule.Raised++
				s.Enforced = s.Enforced || r.Mode.Blocks()
				o, because := fixedLater(commits[i+1:], r.ID)
				if label := labelOf(c.opts.Labels, s.ID); label != "" {
					o, because = label, byPerson
				}
				rule.count(o)
				s.Rules = append(s.Rules, r.ID)
				if o == Right || s.Outcome == Unknown {
					s.Outcome, s.Because = o, because
				}
				s.Said += r.Name + ": " + redact.Line(r.Message, 200) + "\n" + gate.LastLines(redact.Strip(r.Tail), 600) + "\n"
			case gate.Pass, gate.Skipped:
			}
		}
		if len(s.Rules) > 0 {
			c.t.report.Blocks++
			c.t.report.Observed += count(!s.Enforced)
			c.t.report.all = append(c.t.report.all, s)
		}
	}
	for _, name := range slices.Clone(c.t.order) {
		if r := c.t.rules[name]; r.Raised == r.Stops && r.Stops >= minSuggestion {
			c.t.suggest("always_fails", name, r.Stops, "%s failed on all %d commits: it needs something that a fresh checkout does not have, or new_only", name, r.Stops)
		}
	}
	if len(c.cfg.Reviews) > 0 {
		c.t.gap("reviews: they are not replayed on commits", len(c.cfg.Reviews))
	}
	return c.t.finish()
}

// fixedLater marks a failure that a later commit repaired as right.
func fixedLater(later []landed, id string) (Outcome, string) {
	for _, one := range later {
		for _, r := range one.results {
			if r.ID == id && r.Status == gate.Pass {
				return Right, "a later commit repaired it: " + one.oid[:min(10, len(one.oid))]
			}
		}
	}
	return Unknown, ""
}
