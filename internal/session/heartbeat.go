package session

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// Heartbeat records that a hook of an agent fired: the proof that it is installed.
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
	b, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	path := filepath.Join(st.Dir, "heartbeats", fileSafe(h.Agent)+"."+fileSafe(h.Event)+".json")
	if err := safefile.Put(st.Dir, path, b, 0o600); err == nil {
		return nil
	}
	if err := st.prepare("heartbeats"); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	if err := safefile.Put(st.Dir, path, b, 0o600); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}

// Heartbeats lists the last heartbeat of every agent and event.
func (st Store) Heartbeats() []Heartbeat {
	var out []Heartbeat
	dir := filepath.Join(st.Dir, "heartbeats")
	files, _ := safefile.ReadDir(st.Dir, dir, 1000)
	for _, f := range files {
		b, err := safefile.Read(st.Dir, filepath.Join(dir, f.Name()), 1<<16)
		if err != nil || filepath.Ext(f.Name()) != ".json" {
			continue
		}
		var h Heartbeat
		if json.Unmarshal(b, &h) == nil {
			out = append(out, h)
		}
	}
	return out
}

// fileSafe keeps Gauntlet's names readable and makes any other harmless.
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
