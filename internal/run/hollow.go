package run

import (
	"encoding/json"
	"strings"
	"time"

	"gauntlet/internal/gate"
	"gauntlet/internal/meaning"
)

// CannotFail lists the checks of a policy that were found unable to fail, with what was
// broken in vain, by the ids of their gates. It reads what is kept and tries nothing.
func CannotFail(opts Options, now time.Time) map[string][]string {
	ledger, err := LedgerOf(opts)
	if err != nil {
		return nil
	}
	newest, out := map[string]time.Time{}, map[string][]string{}
	for _, rec := range ledger.List() {
		id, ok := strings.CutSuffix(rec.Gate, " canary")
		check := opts.Config.Checks[gate.Name(id)]
		if !ok || check == nil || check.Command != rec.Command || !rec.At.After(newest[id]) || now.Sub(rec.At) > canaryKept {
			continue
		}
		newest[id] = rec.At
		var c meaning.Canary
		if delete(out, id); json.Unmarshal(rec.Findings, &c) == nil && c.Result == "cannot fail" {
			out[id] = c.Files
		}
	}
	return out
}
