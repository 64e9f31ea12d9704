package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Heartbeat says that a hook of an agent fired: the proof that it is installed.
type Heartbeat struct {
	Agent  string    `json:"agent"`
	Event  string    `json:"event"`
	At     time.Time `json:"at"`
	Binary string    `json:"binary"`
	Status string    `json:"status,omitempty"`
}

// Beat records a heartbeat. It is not synced: losing one to a power cut is fine.
func (st Store) Beat(h Heartbeat) error {
	if st.Dir == "" {
		return ErrNoPlace
	}
	dir := filepath.Join(st.Dir, "heartbeats")
	b, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	path := filepath.Join(dir, fileSafe(h.Agent)+"."+fileSafe(h.Event)+".json")
	if err := os.WriteFile(path, b, 0o600); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// Heartbeats lists the last heartbeat of every agent and event.
func (st Store) Heartbeats() []Heartbeat {
	var out []Heartbeat
	files, _ := filepath.Glob(filepath.Join(st.Dir, "heartbeats", "*.json"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || len(b) > 1<<16 {
			continue
		}
		var h Heartbeat
		if json.Unmarshal(b, &h) == nil {
			out = append(out, h)
		}
	}
	return out
}

// fileSafe keeps names of ours readable and anything else harmless.
func fileSafe(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToLower(s))
	if len(s) > 40 {
		s = s[:40]
	}
	return s
}
