package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gauntlet/internal/safefile"
)

// Off is the escape hatch: who switched the hook off, and until when.
type Off struct {
	Since time.Time `json:"since"`
	// Until is zero when it holds until it is switched on again.
	Until time.Time `json:"until,omitzero"`
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
	path := st.offPath(sessionID)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("switch off: %w", err)
	}
	b, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("switch off: %w", err)
	}
	return safefile.Write(path, b, 0o600)
}

// SwitchOn takes SwitchOff back; on reports whether anything was off.
func (st Store) SwitchOn(sessionID string) (was bool, err error) {
	err = os.Remove(st.offPath(sessionID))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// IsOff reports whether the hook is switched off for a session. A file that
// cannot be understood counts as off: somebody wanted it so.
func (st Store) IsOff(sessionID string, now time.Time) (Off, bool) {
	if st.Dir == "" {
		return Off{}, false
	}
	for _, id := range []string{"", sessionID} {
		b, err := os.ReadFile(st.offPath(id))
		if err != nil {
			continue
		}
		var o Off
		_ = json.Unmarshal(b, &o)
		if o.Until.IsZero() || now.Before(o.Until) {
			return o, true
		}
	}
	return Off{}, false
}

// Everywhere is the memory that holds for every project: the off switch from
// outside, which must work without knowing where the agent is.
func Everywhere(stateHome string) Store {
	if stateHome == "" {
		return Store{}
	}
	return Store{Dir: filepath.Join(stateHome, "gauntlet")}
}
