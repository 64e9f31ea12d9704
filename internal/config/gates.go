package config

import "time"

const defaultGateTimeout = 300 * time.Second

// Limit is how long the check may run.
func (c *Check) Limit() time.Duration { return limit(c.Timeout) }

// Runs tells whether the check runs in CI or locally.
func (c *Check) Runs(inCI bool) bool { return runs(inCI, c.RunInCI, c.RunLocally) }

// Limit is how long one reviewer may take.
func (r *Review) Limit() time.Duration { return limit(r.Timeout) }

// Runs tells whether the review runs in CI or locally.
func (r *Review) Runs(inCI bool) bool { return runs(inCI, r.RunInCI, r.RunLocally) }

// Reviewers are the review's reviewers in order of preference.
func (r *Review) Reviewers(p *Project) []string {
	if len(r.CLIPreference) > 0 {
		return r.CLIPreference
	}
	return p.CLI.DefaultPreference
}

func limit(seconds *float64) time.Duration {
	if seconds == nil {
		return defaultGateTimeout
	}
	return saturate(*seconds, time.Second)
}

func runs(inCI bool, ci, local *bool) bool {
	on := local
	if inCI {
		on = ci
	}
	return on == nil || *on
}
