package git

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Remotes is the configuration of where to push.
type Remotes struct {
	HasOrigin bool
	// Tracks maps a branch to the remote it tracks ("." is this repository).
	Tracks map[string]string
	// SSHCommand is core.sshCommand.
	SSHCommand string
	// HooksPath is core.hooksPath, "" for the usual place.
	HooksPath string
}

// Remotes reads it in one process.
func (r Repo) Remotes(ctx context.Context) (Remotes, error) {
	m := Remotes{Tracks: map[string]string{}}
	out, err := r.RunWith(ctx, Opts{Hooks: true}, "config", "-z", "--get-regexp", `^(remote\.origin\.(push)?url|branch\..*\.remote|core\.(sshcommand|hookspath))$`)
	if ge, ok := errors.AsType[*Error](err); ok && ge.ExitCode == 1 {
		return m, nil // no match
	}
	if err != nil {
		return m, err
	}
	for kv := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(kv, "\n")
		switch {
		case key == "":
		case strings.HasPrefix(key, "remote.origin."):
			m.HasOrigin = true
		case key == "core.sshcommand":
			m.SSHCommand = value
		case key == "core.hookspath":
			m.HooksPath = value
		default:
			m.Tracks[strings.TrimSuffix(strings.TrimPrefix(key, "branch."), ".remote")] = value
		}
	}
	return m, nil
}

// PushOutcome is how a push ended.
type PushOutcome string

// Outcomes of a push. Rejected: the remote, or a hook of this repository, refused it.
const (
	PushDone     PushOutcome = "done"
	PushRejected PushOutcome = "rejected"
	PushFailed   PushOutcome = "failed"
	PushTimeout  PushOutcome = "timeout"
)

// PushResult is what is known after a push.
type PushResult struct {
	Outcome PushOutcome
	Tries   int
	// Err is the error of the last try; git's message in it is untrusted text.
	Err error
}

// PushOpts bounds a push.
type PushOpts struct {
	Total   time.Duration // for all tries and the pauses between them
	Tries   int
	Backoff time.Duration // before the second try; three times as long before each further one
	// SSHCommand is core.sshCommand, which batch mode is added to.
	SSHCommand string
	Getenv     func(string) string
}

// Push sends a branch to origin under its own name: never by force, never with a prompt.
func (r Repo) Push(ctx context.Context, branch string, o PushOpts) PushResult {
	deadline := time.Now().Add(o.Total)
	ref := "refs/heads/" + branch
	env := []string{
		"GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
		"GIT_SSH_COMMAND=" + batchSSH(o.Getenv, o.SSHCommand),
	}
	var res PushResult
	for pause := o.Backoff; ; pause *= 3 {
		res.Tries++
		left := time.Until(deadline)
		if left <= 0 {
			res.Outcome = PushTimeout
			return res
		}
		out, err := r.RunWith(ctx, Opts{Env: env, Timeout: left, Locks: true, Hooks: true},
			"-c", "push.followTags=false", "-c", "push.recurseSubmodules=no", "-c", "credential.interactive=never",
			"push", "--porcelain", "--no-force", "origin", ref+":"+ref)
		res.Outcome, res.Err = pushOutcome(out, err), err
		// A rejected push stays rejected; a broken connection may work the next time.
		if res.Outcome != PushFailed || res.Tries >= o.Tries || ctx.Err() != nil {
			return res
		}
		if time.Until(deadline) <= pause {
			return res
		}
		select {
		case <-ctx.Done():
			return res
		case <-time.After(pause):
		}
	}
}

// pushOutcome decides by exit status and porcelain output: a line that begins with "!" is a
// rejected reference, and exit status 1 (every other failure is 128) means that the push
// was rejected, perhaps by a hook of this repository.
func pushOutcome(out []byte, err error) PushOutcome {
	if err == nil {
		return PushDone
	}
	var ge *Error
	if errors.As(err, &ge) && ge.TimedOut {
		return PushTimeout
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return PushTimeout
	}
	if ge != nil && ge.ExitCode == 1 {
		return PushRejected
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if strings.HasPrefix(line, "!\t") {
			return PushRejected
		}
	}
	return PushFailed
}

// batchSSH is the ssh command git would use, with all prompts disabled.
func batchSSH(getenv func(string) string, configured string) string {
	cmd := "ssh"
	switch {
	case getenv("GIT_SSH_COMMAND") != "":
		cmd = getenv("GIT_SSH_COMMAND")
	case configured != "":
		cmd = configured
	case getenv("GIT_SSH") != "":
		cmd = "'" + strings.ReplaceAll(getenv("GIT_SSH"), "'", `'\''`) + "'"
	}
	if strings.Contains(strings.ToLower(cmd), "plink") {
		return cmd + " -batch"
	}
	return cmd + " -oBatchMode=yes"
}
