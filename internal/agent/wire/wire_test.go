package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gauntlet/internal/event"
)

func TestShorten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(80, 400).Draw(t, "limit")
		size := func(s string) int { return len(s) }
		got := Shorten(s, limit, size)
		if size(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, limit %d", len(got), limit)
		}
		if size(s) <= limit && got != s {
			t.Fatalf("cut without need: %q", got)
		}
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                "plain",
		"a\r\nb\tc":            "a\nb\tc",
		"\x1b[31mred\x1b[0m\a": "[31mred[0m",
		"bad \xff byte":        "bad \uFFFD byte",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := OneLine(" a\n b\u2028c "); got != "a b c" {
		t.Errorf("OneLine: %q", got)
	}
}

func TestLineEscapesWhatReadersTakeForLineBreaks(t *testing.T) {
	got := string(Line(map[string]string{"k": "a\u0085b\u2028c\x7f<&>\n"}))
	if got != `{"k":"a\u0085b\u2028c\u007f<&>\n"}`+"\n" {
		t.Errorf("%q", got)
	}
}

// TestAnswerIsWhatTheEncoderWouldWrite: an answer is put together by hand, and
// whatever stands in it, a decoder reads it back.
func TestAnswerIsWhatTheEncoderWouldWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"\\\n\t\r\b<&>/\x00\x7f\u0085\u2028\u2029\ufffd")))).Draw(t, "text")
		v := event.Verdict{
			Status:  rapid.SampledFrom([]event.Status{event.Failed, event.Passed}).Draw(t, "status"),
			Message: text, Reason: text, SystemMessage: text,
		}
		for _, line := range [][]byte{EncodeNeutral(v), EncodeNative("deny", Reason(v), v)} {
			if len(line) == 0 {
				continue
			}
			var got map[string]string
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if again := Line(got); len(again) != len(line) {
				t.Fatalf("%q is not as long as %q", line, again)
			}
			if got["systemMessage"] != Clean(text) || v.Blocks() && got["reason"] != Reason(v) {
				t.Fatalf("%q of %q", line, text)
			}
		}
	})
	v := event.Verdict{Status: event.ContextCheckpoint, Message: "m", Autonomous: &event.AutonomousExecution{Skill: "s"}}
	if got := string(EncodeNeutral(v)); !json.Valid([]byte(got)) || !strings.Contains(got, `,"autonomous_execution":{"enabled":false,"skill":"s",`) {
		t.Error(got)
	}
}

func TestParseIsLenient(t *testing.T) {
	p, err := Parse([]byte(`{"s":"x","n":3.7,"b":true,"o":{"k":1},"l":[{"a":1},2,"t"],"e":""}`))
	if err != nil {
		t.Fatal(err)
	}
	if p.String("n", "e", "s") != "x" || p.Int("s", "n") != 3 || p.Bool("s") || !p.Bool("x", "b") {
		t.Error("scalar readers")
	}
	if p.Object("s") != nil || p.Object("o").Int("k") != 1 || len(p.Objects("l")) != 1 || strings.Join(p.Strings("l"), "") != "t" {
		t.Error("composite readers")
	}
}

// People read why the input was not an event, so the message names JSON types, not Go types.
func TestParseNamesTheWrongType(t *testing.T) {
	for input, want := range map[string]string{
		"":     "not a JSON object: no input",
		"[1]":  "not a JSON object: array",
		`"x"`:  "not a JSON object: string",
		"null": "not a JSON object: null",
		"nope": "not a JSON object: not valid at byte 2",
		"{":    "not a JSON object: unexpected end of input",
	} {
		if _, err := Parse([]byte(input)); err == nil || err.Error() != want || !errors.Is(err, ErrNotObject) {
			t.Errorf("%q: %v", input, err)
		}
	}
}
