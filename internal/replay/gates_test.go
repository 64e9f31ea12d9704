package replay

import (
	"testing"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
)

// An agent's call counts for a gate exactly when the hook would accept it as the gate's own
// run.
func TestRunsOfAGateInASession(t *testing.T) {
	g := gateCommand{rule: "check:web:test", dir: "web", job: gate.Job{ID: "check:web:test", Dir: "/elsewhere/web", Check: &config.Check{Name: "test", Command: "go test ./..."}}}
	s := &session{root: "/repo"}
	for _, tt := range []struct {
		line, dir string
		outcome   event.CallOutcome
		want      string
	}{
		{"go test ./...", "/repo/web", event.Success, "passed"},
		{"go test ./...", "web", event.Success, "passed"},
		{"cd web && go test ./...", "/repo", event.Success, "passed"},
		{"cd web && go vet ./... && go test ./...", "/repo", event.Success, "passed"},
		{"timeout 60 go test ./...", "/repo/web", event.Success, "passed"},
		{"go test ./...", "/repo/web", event.Failure, "failed"},
		{"cd web && go test ./...", "/repo", event.Failure, "failed"},
		{"go vet ./... && go test ./...", "/repo/web", event.Failure, ""}, // which of them?
		{"go test ./...", "/repo", event.Success, ""},                     // another directory
		{"go test ./... -run TestOne", "/repo/web", event.Success, ""},
		{"go test ./... | tail -1", "/repo/web", event.Success, ""},
		{"go test ./... || true", "/repo/web", event.Success, ""},
		{"GOFLAGS=-run=None go test ./...", "/repo/web", event.Success, ""},
		{"echo go test ./...", "/repo/web", event.Success, ""},
	} {
		passed, known := g.lastRun(s, []event.ToolCall{{Kind: event.ToolShell, Command: tt.line, Dir: tt.dir, Outcome: tt.outcome}})
		got := ""
		if known {
			got = map[bool]string{true: "passed", false: "failed"}[passed]
		}
		if got != tt.want {
			t.Errorf("%s in %s, %v: %q, want %q", tt.line, tt.dir, tt.outcome, got, tt.want)
		}
	}
}
