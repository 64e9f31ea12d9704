package stop

import (
	"context"
	"strings"

	"gauntlet/internal/session"
)

// checkpointHeader opens every checkpoint message.
const checkpointHeader = "Context-aware checkpoint"

// scopeTurn is the value of checkpoint.scope that needs a snapshot.
const scopeTurn = "turn"

// Prompted notes that a human sent a prompt and, where the checkpoint's scope
// is the turn, takes the snapshot that the next stop compares with. Prompts
// that no human typed leave everything as it is. The note says why there is no
// snapshot, when there should be one; it is told once, and not at every prompt.
func (sc *Scene) Prompted(ctx context.Context) (note string, err error) {
	state, err := sc.Memory.Load(sc.Event.SessionID)
	if err != nil {
		return "", err
	}
	if notHuman(sc.Event.Prompt) || isOwn(state)(sc.Event.Prompt) {
		return "", nil
	}
	prompt := promptMemory{At: sc.Now()}
	var snap *treeSnapshot
	if sc.Enabled() && sc.Config.Scope == scopeTurn && sc.InRepo {
		if snap, err = snapshot(ctx, sc.Repo, prompt.At); err != nil {
			prompt.Skipped = err.Error()
		}
	}
	if snap != nil {
		err := sc.Memory.Update(ctx, treeID(sc.Event.SessionID), func(st *session.State) bool {
			return st.Set(promptSection, snap) == nil
		})
		if err != nil {
			prompt.Skipped = err.Error()
		}
	}
	err = sc.Memory.Update(ctx, sc.Event.SessionID, func(st *session.State) bool {
		var before promptMemory
		st.Get(promptSection, &before)
		prompt.Count = before.Count + 1
		if note = prompt.Skipped; before.Skipped != "" {
			note = ""
		}
		return st.Set(promptSection, prompt) == nil && sc.noteSeen(st)
	})
	return note, err
}

// notHuman: prompts that a client makes itself, or that we typed into it.
func notHuman(prompt string) bool {
	s := strings.TrimSpace(prompt)
	return strings.HasPrefix(s, "<task-notification>") || strings.HasPrefix(s, checkpointHeader)
}
