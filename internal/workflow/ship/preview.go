package ship

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/redact"
)

// The states of a preview.
const (
	Ready   = "ready"
	Failed  = "failed"
	Late    = "timeout"
	Waiting = "waiting"
)

// Preview is the result of the deployment of a commit.
type Preview struct {
	State string `json:"state"`
	URL   string `json:"url,omitempty"`
	// Environment is the deployment that decided.
	Environment string `json:"environment,omitempty"`
}

// Pace of the polling: quick at first, because most previews exist already, then at a pace
// that suits a shared API.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 10 * time.Second
	// lastLook is how long the query at the deadline itself may take.
	lastLook = 2 * time.Second
)

// preview waits for the preview of HEAD and notes what it means.
func (c Checker) preview(ctx context.Context, repo git.Repo, v Vercel, r *Result) {
	cannotTell := func(err error) {
		msg := "the preview cannot be checked: " + redact.Line(err.Error(), 300)
		if v.RequirePreviewSuccess || ctx.Err() != nil {
			r.Unknown = append(r.Unknown, msg)
		} else {
			r.Warnings = append(r.Warnings, msg)
		}
	}
	api, err := c.api(ctx, repo)
	if err != nil {
		cannotTell(err)
		return
	}
	timeout := time.Duration(v.PreviewTimeoutMS) * time.Millisecond
	p, err := c.wait(ctx, api, *r.HeadCommit, timeout)
	if err != nil {
		cannotTell(err)
		return
	}
	r.Preview = &p
	var problem string
	switch p.State {
	case Ready:
		return
	case Failed:
		problem = "the preview failed"
	default:
		problem = fmt.Sprintf("no preview was ready within %s", timeout)
	}
	if p.URL != "" {
		problem += ": " + p.URL
	}
	if v.RequirePreviewSuccess {
		r.Blockers = append(r.Blockers, problem)
	} else {
		r.Warnings = append(r.Warnings, problem)
	}
}

// wait polls until the preview is ready or failed, or its time is over. It waits for
// answers that may change (no network, server errors); a final answer (no access) ends it.
// The last query is at the deadline.
func (c Checker) wait(caller context.Context, api api, head string, timeout time.Duration) (Preview, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(caller, timeout+lastLook)
	defer cancel()
	pause := firstPause
	var last Preview
	var lastErr error
	said, saidAt := "", start
	for {
		p, err := look(ctx, api, head)
		var te *temporaryError
		switch {
		case err == nil && p.State != Waiting:
			return p, nil
		case err == nil:
			last, lastErr = p, nil
		case ctx.Err() != nil:
			// Cut off by the deadline: the earlier result is more useful.
			if last.State == "" && lastErr == nil {
				lastErr = err
			}
		case errors.As(err, &te):
			lastErr = err
			pause = max(pause, min(te.retryAfter, time.Minute))
		default:
			return Preview{}, err
		}
		left := timeout - time.Since(start)
		if ctx.Err() != nil || left <= 0 {
			break
		}
		now := last.describe(lastErr)
		if now != said || time.Since(saidAt) > 15*time.Second {
			said, saidAt = now, time.Now()
			c.Progress(fmt.Sprintf("waiting for the preview of %s: %s (%s of %s)", head[:7], now, time.Since(start).Round(time.Second), timeout))
		}
		timer := time.NewTimer(min(pause, left))
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
		pause = min(pause*3/2, lastPause)
	}
	if caller.Err() != nil {
		return Preview{}, errors.New("interrupted")
	}
	if lastErr != nil && last.State == "" {
		return Preview{}, lastErr // never got an answer: that is not "late"
	}
	last.State = Late
	return last, nil
}

func (p Preview) describe(err error) string {
	switch {
	case err != nil:
		return redact.Line(err.Error(), 120)
	case p.Environment != "":
		return p.Environment + " is not ready yet"
	}
	return "no deployment yet"
}

// look queries once: for every environment the newest deployment counts, and of it the
// newest status. Previews are recognised by their environment's name; if no environment has
// such a name, all of them count.
func look(ctx context.Context, api api, head string) (Preview, error) {
	deployments, err := api.deployments(ctx, head)
	if err != nil {
		return Preview{}, err
	}
	newest := map[string]deployment{}
	var order []string
	for _, d := range deployments {
		old, seen := newest[d.Environment]
		if !seen {
			order = append(order, d.Environment)
		}
		if !seen || d.ID > old.ID {
			newest[d.Environment] = d
		}
	}
	isPreview := func(env string) bool { return strings.Contains(strings.ToLower(env), "preview") }
	anyPreview := slices.ContainsFunc(order, isPreview)
	out := Preview{State: Waiting}
	ready, wanted := 0, 0
	for _, env := range order {
		if anyPreview && !isPreview(env) {
			continue
		}
		wanted++
		statuses, err := api.statuses(ctx, newest[env].ID)
		if err != nil {
			return Preview{}, err
		}
		p := judge(statuses)
		p.Environment = redact.Line(env, 60)
		switch p.State {
		case Failed:
			return p, nil
		case Ready:
			if ready++; out.URL == "" {
				out.URL = p.URL
			}
		default:
			out.Environment = p.Environment
		}
	}
	if wanted > 0 && ready == wanted {
		out.State = Ready
	}
	return out, nil
}

// judge reads the statuses of one deployment, newest first.
func judge(statuses []status) Preview {
	for i, s := range statuses {
		p := Preview{State: Waiting, URL: s.url()}
		switch s.State {
		case "success":
			p.State = Ready
			return p
		case "failure", "error":
			p.State = Failed
			return p
		case "inactive":
			// Replaced by a later deployment: its earlier status counts.
			if i+1 < len(statuses) {
				continue
			}
		}
		return p
	}
	return Preview{State: Waiting}
}
