package history

import (
	"errors"
	"path/filepath"

	"gauntlet/internal/text"
)

// Dir is where the spool is: $XDG_STATE_HOME/gauntlet/history, or the same under
// ~/.local/state. A relative XDG_STATE_HOME counts as not set, as its specification
// requires.
func Dir(getenv func(string) string) (string, error) {
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "gauntlet", "history"), nil
	}
	if home := text.Home(getenv); home != "" {
		return filepath.Join(home, ".local", "state", "gauntlet", "history"), nil
	}
	return "", errors.New("no place for the history: neither XDG_STATE_HOME nor HOME is set")
}
