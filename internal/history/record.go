package history

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"gauntlet/internal/event"
)

// Type says what a line of the spool records.
type Type string

// The two kinds of line.
const (
	// Verdict is one judged stop, or one run started by hand.
	Verdict Type = "verdict"
	// Gate is the result of one gate of that verdict; it carries the verdict's ID.
	Gate Type = "gate"
)

// Source says who asked.
type Source string

// Sources.
const (
	FromStop Source = "stop"
	FromRun  Source = "run"
)

// Record is one line of the spool. Which fields matter depends on Type.
type Record struct {
	Type    Type      `json:"type"`
	ID      string    `json:"id"` // of the verdict; its gates share it
	Time    time.Time `json:"time"`
	Project string    `json:"project,omitempty"` // project root
	// Status is an event.Status on a verdict and pass|fail|error|skipped on a gate.
	Status     string  `json:"status"`
	DurationMS float64 `json:"durationMs"`
	Message    string  `json:"message,omitempty"`

	// Verdicts.
	Source        Source `json:"source,omitempty"`
	Agent         string `json:"agent,omitempty"`
	Session       string `json:"session,omitempty"`
	Turn          string `json:"turn,omitempty"`
	Cwd           string `json:"cwd,omitempty"`
	Decision      string `json:"decision,omitempty"` // approve|block
	Reason        string `json:"reason,omitempty"`
	SystemMessage string `json:"systemMessage,omitempty"`
	Steps         []Step `json:"steps,omitempty"`

	// Gates.
	Gate    string `json:"gate,omitempty"`
	Kind    string `json:"kind,omitempty"` // check|review
	Cached  bool   `json:"cached,omitempty"`
	LogPath string `json:"logPath,omitempty"`
}

// Step is one step of the pipeline and how long it took.
type Step struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"`
	Note string  `json:"note,omitempty"` // what the step found, in a few words
}

// NewID names a verdict: sortable by time, short enough to be typed.
func NewID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // crypto/rand never fails on a supported platform
	return now.UTC().Format("060102-150405") + "-" + hex.EncodeToString(b[:])
}

// FromVerdict fills in what follows from the verdict itself.
func FromVerdict(id string, at time.Time, v event.Verdict) Record {
	r := Record{
		Type: Verdict, ID: id, Time: at, Source: FromStop,
		Status: string(v.Status), Message: v.Message, Reason: v.Reason, SystemMessage: v.SystemMessage,
		Decision: "approve",
	}
	if v.Blocks() {
		r.Decision = "block"
	}
	return r
}
