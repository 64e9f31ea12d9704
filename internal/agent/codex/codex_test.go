package codex_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"gauntlet/internal/agent/agenttest"
	"gauntlet/internal/agent/codex"
	"gauntlet/internal/agent/wire"
	"gauntlet/internal/event"
	"gauntlet/internal/event/eventtest"
)

func TestConformance(t *testing.T) { agenttest.Run(t, codex.Adapter{}) }

func TestCapturedEvents(t *testing.T) { agenttest.Events(t, codex.Adapter{}, "testdata/events") }

func TestStopMatrix(t *testing.T) {
	rows := agenttest.Scripted(t, "testdata/stop-matrix.json", func(shown []string, _ int) wire.Outcome {
		return map[string]wire.Outcome{
			"Stop Completed": wire.Allowed, "Stop Blocked": wire.Blocked, "Stop Stopped": wire.Halted, "Stop Failed": wire.Misread,
		}[shown[0]]
	})
	unescape := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
	for i := range rows {
		rows[i].Prompted = unescape.Replace(rows[i].Prompted)
		rows[i].Shown = []string{"note for the user"} // codex exec prints only the hook's state
	}
	agenttest.Matrix(t, codex.Adapter{}, rows)
}

// Every key that is sent was measured: any other key would make the hook fail.
func TestOnlyMeasuredKeys(t *testing.T) {
	for _, st := range eventtest.Statuses() {
		for _, system := range []string{"", "note"} {
			v := event.Verdict{Status: st, Message: "m", Reason: "r", SystemMessage: system, Autonomous: &event.AutonomousExecution{}}
			out := codex.Adapter{}.Encode(event.Event{}, v)
			want := map[string]string{}
			if v.Blocks() {
				want["decision"], want["reason"] = "block", "r"
			}
			if system != "" {
				want["systemMessage"] = system
			}
			if len(want) == 0 {
				if len(out) != 0 {
					t.Errorf("%s: approval is not silence: %s", st, out)
				}
				continue
			}
			got := map[string]string{}
			if err := json.Unmarshal(out, &got); err != nil || len(got) != len(want) {
				t.Errorf("%s: %s, %v", st, out, err)
			}
			for k, w := range want {
				if got[k] != w {
					t.Errorf("%s: %s = %q, want %q", st, k, got[k], w)
				}
			}
		}
	}
}

func TestReasonStaysUnderTheLimit(t *testing.T) {
	for _, reason := range []string{
		strings.Repeat("x", 50_000), strings.Repeat("漢字", 8_000), strings.Repeat("&<>", 8_000),
		"HEAD " + strings.Repeat("line of output\n", 4_000) + " TAIL",
	} {
		out := codex.Adapter{}.Encode(event.Event{}, event.Verdict{Status: event.Failed, Reason: reason})
		var got struct{ Reason string }
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(got.Reason)
		if len(escaped)/4 >= 2_500 || len(escaped) < 9_000 {
			t.Errorf("%d bytes as Codex counts them", len(escaped))
		}
		if !utf8.ValidString(got.Reason) || !strings.HasPrefix(got.Reason, reason[:3]) || !strings.HasSuffix(got.Reason, reason[len(reason)-3:]) {
			t.Errorf("head or tail lost: %q … %q", got.Reason[:10], got.Reason[len(got.Reason)-10:])
		}
	}
}
