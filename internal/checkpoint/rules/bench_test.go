package rules

import (
	"fmt"
	"testing"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
)

// BenchmarkDecide measures a decision: few changed files and a turn of sixty calls, and
// 20,000 changed files without any.
func BenchmarkDecide(b *testing.B) {
	cfg := &config.Checkpoint{Preset: "teleclaude"}
	var calls []event.ToolCall
	for i := range 30 {
		calls = append(calls,
			event.ToolCall{Kind: event.ToolShell, Command: "cd x && pytest -q tests/a.py 2>&1 | tail -3", Output: "3 passed in 1s", Outcome: event.Success},
			event.ToolCall{Kind: event.ToolEdit, Paths: []string{fmt.Sprintf("/repo/teleclaude/x%d.py", i)}, Outcome: event.Success})
	}
	var many []Change
	for i := range 20000 {
		many = append(many, Change{Path: fmt.Sprintf("src/pkg%d/sub/file%d.py", i%100, i)})
	}
	b.Run("usual", func(b *testing.B) {
		for b.Loop() {
			Decide(Input{Config: cfg, Changed: []Change{{Path: "teleclaude/x1.py"}}, Turn: Turn{Readable: true, Calls: calls}})
		}
	})
	b.Run("20000 files", func(b *testing.B) {
		for b.Loop() {
			Decide(Input{Config: cfg, Changed: many, Turn: Turn{Readable: true}})
		}
	})
}
