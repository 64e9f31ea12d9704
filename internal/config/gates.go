package config

import "time"

// Limit is how long the check may run.
func (c *Check) Limit() time.Duration {
	return saturate(*WithDefaults(*c).Timeout, time.Second)
}

// Runs reports whether the check runs in CI or, otherwise, locally.
func (c *Check) Runs(inCI bool) bool {
	d := WithDefaults(*c)
	return runs(inCI, d.RunInCI, d.RunLocally)
}

// AtStop reports whether the check is due at a stop; committed: its turn made a commit.
func (c *Check) AtStop(committed bool) bool {
	switch WithDefaults(*c).When {
	case WhenManual:
		return false
	case WhenCommit:
		return committed
	}
	return true
}

// Values of a check's when.
const (
	WhenCommit = "commit"
	WhenManual = "manual"
)

// Limit is how long one reviewer may take.
func (r *Review) Limit() time.Duration {
	return saturate(*WithDefaults(*r).Timeout, time.Second)
}

// Runs reports whether the review runs in CI or, otherwise, locally.
func (r *Review) Runs(inCI bool) bool {
	d := WithDefaults(*r)
	return runs(inCI, d.RunInCI, d.RunLocally)
}

// Reviewers are the review's reviewers in order of preference.
func (r *Review) Reviewers(fallback []string) []string {
	if len(r.CLIPreference) > 0 {
		return r.CLIPreference
	}
	return fallback
}

func runs(inCI bool, ci, local *bool) bool {
	if inCI {
		return *ci
	}
	return *local
}

// On reports whether the project wants checkpoints.
func (c *Checkpoint) On() bool { return c != nil && *c.Effective().Enabled }

// Pushes reports whether autonomy may push its commit.
func (a *Autonomy) Pushes() bool { return a == nil || *WithDefaults(*a).Push }

// RunsBeside reports whether the review, and each of its reviewers, may run beside others.
func (r *Review) RunsBeside() bool { return *WithDefaults(*r).Parallel }

// Retried reports whether the check runs again when it failed.
func (c *Check) Retried() bool { return *WithDefaults(*c).Retries > 0 }

// Check is the test command as a check.
func (t *Tests) Check() *Check {
	return &Check{Name: "tests", Command: t.Command, Timeout: WithDefaults(*t).Timeout}
}

// CouldNotRunCodes are the exit codes that mean the check could not run.
func (c *Check) CouldNotRunCodes() []int { return WithDefaults(*c).ErrorExitCodes }

// Quarantined reports whether the check only warns today.
func (c *Check) Quarantined(now time.Time) bool {
	if c.Quarantine == nil {
		return false
	}
	_, err := time.Parse(time.DateOnly, c.Quarantine.Until)
	return err == nil && now.Local().Format(time.DateOnly) <= c.Quarantine.Until
}
