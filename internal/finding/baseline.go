package finding

import (
	"encoding/json"
	"fmt"
	"strings"
)

// BaselineVersion is the version of the file that is written now.
const BaselineVersion = 1

// Baseline is .gauntlet/baseline.json: how many findings each gate may have.
type Baseline struct {
	Version int                     `json:"version"`
	Gates   map[string]GateBaseline `json:"gates"`
}

// GateBaseline is the baseline of one gate, and what it was made with.
type GateBaseline struct {
	// Made are digests of the command, its settings and its tools: with others
	// nothing can be compared.
	Made     map[string]string `json:"made,omitempty"`
	Tool     string            `json:"tool,omitempty"` // as the report names it
	ExitCode int               `json:"exitCode"`
	Unread   *Unread           `json:"unread,omitempty"`
	Files    Counts            `json:"files"`
}

// ParseBaseline reads a baseline. One of a newer version is an error: this version may not
// understand it.
func ParseBaseline(data []byte) (Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(data, &b); err != nil {
		return Baseline{}, fmt.Errorf("not a baseline: %w", err)
	}
	if b.Version > BaselineVersion {
		return Baseline{}, fmt.Errorf("written by a newer version of Gauntlet (format %d, this one reads up to %d): upgrade, or create it again", b.Version, BaselineVersion)
	}
	if b.Version < 1 {
		return Baseline{}, fmt.Errorf("not a baseline: it has no version")
	}
	for gate, g := range b.Gates {
		for file, rules := range g.Files {
			for rule, n := range rules {
				if strings.HasPrefix(rule, testRule) && file != "" { // older files have the place of the failure, too
					if delete(rules, rule); g.Files[""] == nil {
						g.Files[""] = map[string]int{}
					}
					g.Files[""][rule] += n
				}
				if n < 0 {
					return Baseline{}, fmt.Errorf("negative count of %s in %s of %s", plain(rule, 80), plain(file, 200), plain(gate, 80))
				}
			}
		}
	}
	return b, nil
}

// Bytes is the file: in a fixed order, one line per rule, so that it merges well.
func (b Baseline) Bytes() ([]byte, error) {
	b.Version = BaselineVersion
	data, err := json.MarshalIndent(b, "", "  ")
	return append(data, '\n'), err
}
