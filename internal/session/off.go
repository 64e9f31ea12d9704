package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
)

// Off is the escape hatch: who switched the hook off, and until when.
type Off struct {
	Since time.Time `json:"since"`
	// Until is zero when it lasts until it is switched on again.
	Until time.Time `json:"until,omitzero"`
	// By is who switched it off, as far as known: a terminal, a process.
	By string `json:"by,omitempty"`
	// Once: of a gate, it ends with the next stop that would run it.
	Once bool `json:"once,omitempty"`
}

// everything stands for all sessions in place of one session's id.
const everything = "all"

func (st Store) offPath(sessionID string) string {
	if sessionID == "" {
		return filepath.Join(st.Dir, "off", everything+".json")
	}
	return filepath.Join(st.Dir, "off", Key(sessionID)+".json")
}

// SwitchOff switches the hook off for one session, or for all ("").
func (st Store) SwitchOff(sessionID string, o Off) error {
	if st.Dir == "" {
		return ErrNoPlace
	}
	if err := st.prepare("off"); err != nil {
		return fmt.Errorf("switch off: %w", err)
	}
	path := st.offPath(sessionID)
	b, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("switch off: %w", err)
	}
	if b, err = st.Sealer.Seal(st.offPurpose(path), b); err != nil {
		return fmt.Errorf("switch off: %w", err)
	}
	return safefile.WriteIn(st.Dir, path, b, 0o600)
}

// offPurpose binds a switch to the project it was set in, under any spelling of its
// directory: a copy in another project does not count.
func (st Store) offPurpose(path string) string {
	dir := st.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return "off " + filepath.Base(path) + " " + dir
}

// SwitchOn undoes SwitchOff; was reports whether anything was off.
func (st Store) SwitchOn(sessionID string) (was bool, err error) {
	err = safefile.Remove(st.Dir, st.offPath(sessionID))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// IsOff reports whether the hook is switched off for a session. A file that
// `gauntlet off` did not write switches nothing off.
func (st Store) IsOff(sessionID string, now time.Time) (Off, bool) {
	o, off, _ := st.Switch(sessionID, now) // a switch that was not written by Gauntlet is reported elsewhere
	return o, off
}

// Switch is IsOff that also reports a file that `gauntlet off` did not write (ErrForged).
func (st Store) Switch(sessionID string, now time.Time) (o Off, off bool, err error) {
	if st.Dir == "" {
		return Off{}, false, nil
	}
	for _, id := range []string{"", sessionID} {
		o, off, readErr := st.read(id, now)
		if off {
			return o, true, err
		}
		err = cmp.Or(readErr, err)
	}
	return Off{}, false, err
}

// read reads one switch; an error means that `gauntlet` did not write it.
func (st Store) read(id string, now time.Time) (o Off, off bool, err error) {
	path := st.offPath(id)
	b, err := safefile.Read(st.Dir, path, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return Off{}, false, nil
	}
	data, authentic := st.Sealer.Open(st.offPurpose(path), b)
	if err != nil || !authentic {
		return Off{}, false, fmt.Errorf("%s: %w", path, ErrForged)
	}
	return o, json.Unmarshal(data, &o) == nil && (o.Until.IsZero() || now.Before(o.Until)), nil
}

// Gate is what SwitchOff and SwitchOn take in place of a session's id to leave out one gate.
// No agent's id has this form.
func Gate(name string) string { return "gate\x00" + name }

// Skips reports whether a person lets stops leave a gate out.
func (st Store) Skips(name string, now time.Time) (Off, bool) {
	if st.Dir == "" {
		return Off{}, false
	}
	o, off, _ := st.read(Gate(name), now) // one that Gauntlet did not write counts for nothing
	return o, off
}

// Everywhere is the memory of all projects: its off switch is set from outside, and must
// work without knowing which project the agent is in.
func Everywhere(sealer seal.Sealer) Store {
	if sealer.Home == "" {
		return Store{}
	}
	return Store{Dir: filepath.Join(sealer.Home, "gauntlet"), Sealer: sealer}
}
