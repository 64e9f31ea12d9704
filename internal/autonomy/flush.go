package autonomy

import (
	"context"
	"os"
	"strings"
	"time"

	"gauntlet/internal/transcript"
)

// A client may start its stop hook before the reply that ends the turn is in
// its file (Claude Code: in most stops, up to 175 ms later). That reply's figure
// is the one that counts, so a file that is just being written is given a moment.
const (
	flushPatience = 300 * time.Millisecond
	flushStep     = 20 * time.Millisecond
	flushRecent   = 2 * time.Second
)

// readUsage is the newest figure of the transcript, with the last reply in it
// where that can be had.
func (in Input) readUsage(ctx context.Context) (*transcript.Usage, error) {
	in.awaitLastReply(ctx, in.Event.TranscriptPath)
	return transcript.ReadUsage(in.Event.TranscriptPath)
}

// awaitLastReply waits for the reply that ends the turn, not for long.
func (in Input) awaitLastReply(ctx context.Context, path string) {
	said := strings.TrimSpace(in.Event.LastMessage)
	if said == "" {
		return // nothing to tell it by
	}
	for end := time.Now().Add(flushPatience); ; {
		st, err := os.Stat(path)
		if err != nil || in.Now().Sub(st.ModTime()).Abs() > flushRecent {
			return // nobody is writing: this is all there will be
		}
		turn, err := transcript.Read(path, transcript.Options{NoSubagents: true, Prompt: in.Event.Prompt})
		if err != nil || !turn.Readable {
			return
		}
		// Some clients hand over all texts of the turn: the last one ends them.
		if last := strings.TrimSpace(turn.LastMessage); last != "" && strings.HasSuffix(said, last) {
			return
		}
		if time.Now().After(end) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(flushStep):
		}
	}
}
