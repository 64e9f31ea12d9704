package review

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
	"gauntlet/internal/text"
)

// How long a reviewer may take to print its version, and to answer one word.
const (
	versionTimeout = 15 * time.Second
	usageTimeout   = 60 * time.Second
)

// Health is the state of one reviewer.
type Health struct {
	Name      string `json:"name"`
	Installed bool   `json:"installed"`
	Healthy   bool   `json:"healthy"`
	Path      string `json:"path,omitempty"`
	Version   string `json:"version,omitempty"`
	Message   string `json:"message"`
}

// CheckHealth runs every named reviewer for its version, all at once, and with usage also
// for one word, which shows a used-up quota.
func CheckHealth(ctx context.Context, names, env []string, dir string, usage bool) []Health {
	list := make([]Health, len(names))
	var all beside.Work
	for i, name := range names {
		all.Go(func() { list[i] = checkOne(ctx, name, env, dir, usage) })
	}
	all.Wait()
	return list
}

func checkOne(ctx context.Context, name string, env []string, dir string, usage bool) Health {
	h := Health{Name: name}
	r, ok := reviewer(name)
	if !ok {
		h.Message = unknownReviewer(name)
		return h
	}
	if h.Path = r.find(env); h.Path == "" {
		h.Message = notInstalled(r)
		return h
	}
	h.Installed = true
	out, errOut, res := proc.Output(ctx, proc.Cmd{
		Args: []string{h.Path, "--version"}, Dir: dir, Env: r.environ(env), Timeout: versionTimeout,
	}, 4<<10)
	if !res.OK() {
		h.Message = "does not answer --version: " + ended(res, errOut)
		return h
	}
	h.Version = firstLine(out)
	if usage {
		if why := usageProblem(ctx, r, h.Path, env, dir); why != "" {
			h.Message = why
			return h
		}
	}
	h.Healthy, h.Message = true, "ok"
	return h
}

// healthyReviewers lists the reviewers of the job's preference that are available, in its
// order. It only checks that they are installed: a probe would cost every review seconds,
// and a reviewer that does not work reports it itself.
func healthyReviewers(ctx context.Context, job Job) (healthy []Reviewer, why string) {
	preference := job.Review.Reviewers(job.Preference)
	if len(preference) == 0 {
		return nil, "no reviewer is configured; set cli.default_preference in .gauntlet/config.yml, or cli_preference in the review"
	}
	var reasons []string
	for _, name := range preference {
		r, ok := reviewer(name)
		if !ok {
			reasons = append(reasons, unknownReviewer(name))
			continue
		}
		path := r.find(job.Env)
		if path == "" {
			reasons = append(reasons, notInstalled(r))
			continue
		}
		if job.CheckUsage {
			if why := usageProblem(ctx, r, path, job.Env, job.Dir); why != "" {
				reasons = append(reasons, r.Name+" "+why)
				continue
			}
		}
		healthy = append(healthy, r)
	}
	return healthy, strings.Join(reasons, "; ")
}

func unknownReviewer(name string) string {
	return fmt.Sprintf("unknown reviewer %q (known: %s)", redact.Line(name, 40), strings.Join(Names(), ", "))
}

func notInstalled(r Reviewer) string {
	return fmt.Sprintf("%s is not installed (no %s in PATH)", r.Name, strings.Join(r.Programs, " or "))
}

// usageProblem makes the reviewer answer one word and returns what prevents it.
func usageProblem(ctx context.Context, r Reviewer, program string, env []string, dir string) string {
	out, errOut, res := proc.Output(ctx, proc.Cmd{
		Args: r.command(program, ""), Dir: dir, Env: r.environ(env), Timeout: usageTimeout, Contain: true,
		Stdin: strings.NewReader("Reply with the single word OK."),
	}, 64<<10)
	switch {
	case outOfQuota(out) || outOfQuota(errOut):
		return "is out of quota"
	case !res.OK():
		return "does not answer: " + ended(res, errOut)
	}
	return ""
}

// ended describes in a few words how a reviewer ended.
func ended(res proc.Result, errOut []byte) string {
	switch {
	case res.TimedOut:
		return fmt.Sprintf("no end after %s", res.Duration.Round(time.Second))
	case res.Cancelled:
		return "stopped"
	case res.Err != nil:
		return redact.Line(res.Err.Error(), 200)
	case res.Signaled:
		return "killed by " + res.Signal
	}
	s := fmt.Sprintf("exit code %d", res.ExitCode)
	if last := lastLine(errOut); last != "" {
		s += ": " + last
	}
	return s
}

// outOfQuota recognises what reviewers print when their quota is used up. It only improves
// a message.
func outOfQuota(out []byte) bool {
	return text.ContainsAny(strings.ToLower(string(out)),
		"usage limit", "hit your limit", "session limit", "spend limit", "rate limit", "rate_limit", "quota exceeded", "exceeded your current quota",
		"insufficient_quota", "resource_exhausted", "quota will reset", "credit balance is too low", "out of credits", "too many requests")
}

func firstLine(out []byte) string {
	for line := range strings.Lines(string(out)) {
		if s := redact.Line(line, 100); s != "" {
			return s
		}
	}
	return ""
}

func lastLine(out []byte) string {
	s := strings.TrimRight(string(out), " \t\r\n")
	return redact.Line(s[strings.LastIndexByte(s, '\n')+1:], 200)
}
