package transcript

import (
	"time"

	"gauntlet/internal/event"
)

// Formats, as recognised by content.
const (
	FormatClaude = "claude" // JSONL, one content block per line
	FormatCodex  = "codex"  // rollout JSONL, paginated or legacy
	FormatGemini = "gemini" // replayable JSONL, or the older single document

	FormatQwen     = "qwen"     // JSONL, one message per line in parts
	FormatCopilot  = "copilot"  // JSONL, one event per line
	FormatDroid    = "droid"    // JSONL, content blocks in lines of type "message"
	FormatOpenCode = "opencode" // messages with their parts, one per line or in one list
)

// Options bounds a reading. The zero value is what a stop uses.
type Options struct {
	// MaxBytes is how much of the file is read at most; 0 means DefaultMaxBytes.
	MaxBytes int64
	// End reads the file as if it ended at this offset (see Spans); 0 means its
	// real end.
	End int64
	// Client also finds the version of the client.
	Client bool
	// NoSubagents leaves the files of sub-agents launched in the turn unread.
	NoSubagents bool
	// Own reports whether Gauntlet itself sent a text to the agent in this session (the
	// reason of a block): some agents log it like a human's prompt. The header of a
	// checkpoint is recognised without it.
	Own func(text string) bool
	// Prompt is the human's prompt if the stop event contains it; it decides between user
	// texts that the transcript alone does not distinguish.
	Prompt string
}

// Turn is the current turn: everything after the last message a human typed.
type Turn struct {
	// Format is one of the Format constants; "" when it is unknown.
	Format string
	// Readable: the file was there and its format known. When it is false
	// nothing else in the turn means anything.
	Readable bool
	// Truncated: the turn is longer than what was read, so what is missing
	// proves nothing.
	Truncated bool
	// Torn: the file breaks off before its end, so its newest part is missing and may
	// contain more.
	Torn bool
	// From is where the human's message begins in the file.
	From int64
	// Start is when the human's message was written; zero when not known.
	Start time.Time
	// HumanID identifies the human's message within the session: stable over
	// all stops of one turn, different for every message. "" when not seen.
	HumanID string
	// HumanText is what the human typed, bounded to its head and tail.
	HumanText string
	// Calls are the tool calls since the last stop, in call order, those of sub-agents
	// launched there merged in by time. A prompt typed while the agent was at work begins a
	// turn, but the work it interrupted continues.
	Calls []event.ToolCall
	// Earlier are the calls of earlier turns, as far as they were read, in call order: they
	// show which files were seen before. Their output is not stored.
	Earlier []event.ToolCall
	// Whole: Earlier has everything up to the start of the conversation that is
	// about files the turn edits.
	Whole bool
	// ReadsFirst: the client refuses to edit a file that was not read before, so an edit
	// that was made is explained, wherever the file was read.
	ReadsFirst bool
	// Running counts sub-agents that the transcript shows at work.
	Running int
	// Flushed: the format marks when it is written up to the stop, and it is.
	Flushed bool
	// TurnID is the newest id the agent itself gave to a turn, as in its hook events; ""
	// when the format has none. When it is not the event's id, the file is older than the
	// event.
	TurnID string
	// LastInput is the newest prompt, Gauntlet's included; Own is set when Gauntlet sent
	// it.
	LastInput string
	Own       bool
	// LastMessage is the newest text of the main agent in this turn.
	LastMessage string
	// Model is the newest model name of the main chain, Client the version of the client if
	// it was asked for; "" when unknown.
	Model, Client string
	// Spent are the tokens that the main chain used in this turn so far, without cached
	// input; -1: unknown.
	Spent int64
	// Usage is the newest figure of the main chain, nil when none is known
	// (or none since the last compaction).
	Usage *Usage
}

// Usage is how many tokens the newest request of the main chain had.
type Usage struct {
	// Tokens are the input tokens, cached ones included; output does not count.
	Tokens int
	// Window is the model's context window; 0 when unknown.
	Window int
	// Fresh are the tokens that the request really cost: uncached input, and output.
	// Request distinguishes requests, if the log repeats them.
	Fresh   int
	Request string
	Model   string
	At      time.Time
}
