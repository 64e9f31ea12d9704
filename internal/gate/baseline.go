package gate

import (
	"gauntlet/internal/finding"
	"gauntlet/internal/proof"
)

// MadeWith are the parts of a key that determine how findings were made: with others nothing
// can be compared.
func MadeWith(parts map[string]string) map[string]string {
	out := map[string]string{}
	for _, name := range []string{proof.PartCommand, proof.PartEnv, proof.PartSettings, proof.PartTools} {
		out[name] = parts[name]
	}
	return out
}

// Baseline is the baseline of a gate whose findings these are.
func Baseline(list []finding.Finding, unread *finding.Unread, parts map[string]string) finding.GateBaseline {
	g := finding.GateBaseline{Made: MadeWith(parts), Files: finding.Count(list), Unread: unread}
	for name, digest := range g.Made {
		g.Made[name] = digest[:min(16, len(digest))] // enough to see a difference
	}
	return g
}

// Failed is a job and how it failed.
type Failed struct {
	Job    Job
	Result Result
}

// BaselineText is the baseline of jobs that failed; "" if none names what failed.
func BaselineText(root string, list []Failed) string {
	b := finding.Baseline{Gates: map[string]finding.GateBaseline{}}
	for _, one := range list {
		if f := one.Result.Failure; f != nil && len(f.Findings) > 0 {
			g := Baseline(f.Findings, f.Unread, one.Job.Subject(Tree{Root: root}).Key().Parts)
			g.ExitCode = f.Exit
			b.Gates[one.Job.ID] = g
		}
	}
	text, err := b.Bytes()
	if err != nil || len(b.Gates) == 0 {
		return ""
	}
	return string(text)
}
