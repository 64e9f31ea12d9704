package proof

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Doubt records that a gate failed although an agent's own run of it had passed: agents'
// runs of that gate do not count until a person accepts them again.
type Doubt struct {
	Gate string    `json:"gate"`
	At   time.Time `json:"at"`
	Call string    `json:"call,omitempty"`
}

func doubtName(gate string) string { return "doubt-" + digest(gate)[:32] }

// Doubt ends the acceptance of agents' runs for a gate.
func (l Ledger) Doubt(d Doubt) error {
	if l.dir == "" {
		return ErrNoPlace
	}
	return l.write(doubtName(d.Gate), d)
}

// Doubted reports whether agents' runs of a gate do not count.
func (l Ledger) Doubted(gate string) (Doubt, bool) {
	data, ok := l.open(doubtName(gate))
	var d Doubt
	return d, ok && json.Unmarshal(data, &d) == nil && d.Gate == gate
}

// Trust accepts agents' runs of a gate again; was is false if they were accepted
// anyway.
func (l Ledger) Trust(gate string) (was bool, err error) {
	if _, doubted := l.Doubted(gate); !doubted {
		return false, nil
	}
	if err := os.Remove(filepath.Join(l.dir, doubtName(gate))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true, err
	}
	return true, nil
}
