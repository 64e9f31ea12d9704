package autonomy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/git"
)

// Values of "pushed".
const (
	pushedYes     = "yes"
	pushedNo      = "no"
	pushedFailed  = "failed"
	pushedTimeout = "timeout"
	pushedSkipped = "skipped"
)

// push pushes the branch, if there is anything to push, a remote, and no objection.
func (x *execution) push(ctx context.Context, out *outcome, s seen) {
	switch {
	case out.Commit == "":
		return // nothing to push
	case out.Branch == "":
		out.PushNote = "no branch, HEAD is detached"
	case !s.remotes.HasOrigin:
		out.PushNote = "no remote named origin"
	}
	if out.PushNote != "" {
		x.log.printf("Nowhere to push to: %s", out.PushNote)
		return
	}
	note := func(reason, detail string) {
		out.Pushed, out.PushNote = pushedSkipped, detail
		out.Skipped = cmp.Or(out.Skipped, reason)
		x.log.printf("Push skipped: %s", detail)
	}
	if !x.in.Config.Pushes() {
		note(pushDisabled, "autonomy.push is false")
		return
	}
	if protected(x.in.Config, out.Branch, s.remotes.Tracks[out.Branch]) {
		note(protectedName, "the branch is protected (autonomy.protected: [] pushes it)")
		return
	}
	x.log.printf("Pushing to remote")
	res := x.repo.Push(ctx, out.Branch, git.PushOpts{
		Total: max(time.Second, min(pushTime, total-time.Since(x.start))), Tries: pushTries, Backoff: pushBackoff,
		SSHCommand: s.remotes.SSHCommand, Getenv: x.in.Getenv,
	})
	switch res.Outcome {
	case git.PushDone:
		out.Pushed = pushedYes
		x.log.printf("Git push successful")
		return
	case git.PushTimeout:
		out.Pushed, out.PushNote = pushedTimeout, "the push took too long"
	case git.PushRejected:
		out.Pushed, out.PushNote = pushedFailed, "the push was rejected"
	case git.PushFailed:
		out.Pushed, out.PushNote = pushedFailed, fmt.Sprintf("the push failed (%d tries)", res.Tries)
	}
	if res.Err != nil {
		x.log.printf("%s: %s", out.PushNote, gitMessage(res.Err))
	}
}

// protected reports whether policy forbids pushing a branch.
func protected(c *config.Autonomy, branch string, tracks string) bool {
	if c != nil && c.Protected != nil {
		return slices.ContainsFunc(c.Protected, func(p string) bool { return matchBranch(p, branch) })
	}
	return (branch == "main" || branch == "master") && tracks != "" && tracks != "."
}

// matchBranch compares a branch with a name, or a pattern in which * stands for
// anything.
func matchBranch(pattern, branch string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == branch
	}
	if !strings.HasPrefix(branch, head) {
		return false
	}
	branch = branch[len(head):]
	for {
		var part string
		part, rest, star = strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(branch, part)
		}
		i := strings.Index(branch, part)
		if i < 0 {
			return false
		}
		branch = branch[i+len(part):]
	}
}
