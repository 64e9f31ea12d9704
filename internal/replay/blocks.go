package replay

import (
	"os"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/config"
	"gauntlet/internal/history"
	"gauntlet/internal/history/ask"
	"gauntlet/internal/redact"
)

// Blocks says of recorded checkpoint blocks whether it was right to ask, from what the
// agents' logs show afterwards. It remembers what it read, so that asking again while
// stops happen costs only what is new. It is used by one goroutine at a time.
type Blocks struct {
	// Policy is what a project's checkpoint asks for; nil: the project has none now.
	Policy func(project string) *config.Loaded

	words  map[string]ask.Word
	sizes  map[string]int64 // of the logs, when they were read
	judges map[string]*judge
}

// Judge looks at the logs of blocks, newest first and of at most maxLogs sessions, and
// returns what they show by the ID of the verdict. What they do not decide is not in it.
func (b *Blocks) Judge(blocks []history.Record) map[string]ask.Word {
	if b.words == nil {
		b.words, b.sizes = map[string]ask.Word{}, map[string]int64{}
	}
	b.judges = map[string]*judge{} // policies may have changed
	byLog, paths := map[string][]history.Record{}, []string{}
	for _, v := range blocks {
		if t := v.Transcript; t != nil && t.Path != "" && len(v.Owed) > 0 && b.words[v.ID].Aftermath == "" {
			if byLog[t.Path] == nil {
				paths = append(paths, t.Path)
			}
			byLog[t.Path] = append(byLog[t.Path], v)
		}
	}
	for _, path := range paths[:min(len(paths), maxLogs)] {
		info, err := os.Stat(path)
		if err != nil || b.sizes[path] == info.Size() {
			continue // gone, or nothing was written since
		}
		b.sizes[path] = info.Size()
		s := readLog(path)
		for _, v := range byLog[path] {
			j := b.judge(v.Project)
			if j == nil || s == nil {
				continue
			}
			if o, because := j.followedBlock(s, v, func(string, Outcome) {}); o != Unknown {
				b.words[v.ID] = ask.Word{Aftermath: string(o), Because: redact.Line(because, 200)}
			}
		}
	}
	return b.words
}

func (b *Blocks) judge(project string) *judge {
	j, known := b.judges[project]
	if !known {
		if cfg := b.Policy(project); cfg != nil {
			j = newJudge(cfg, &Options{})
		}
		b.judges[project] = j
	}
	return j
}

// followedBlock makes one outcome of what followed each action that a checkpoint asked
// for: one that was right is enough. s is the session's log, nil when it cannot be read.
func (j *judge) followedBlock(s *session, v history.Record, each func(id string, o Outcome)) (o Outcome, because string) {
	o = Unknown
	for _, id := range v.Owed {
		one, why := Unknown, ""
		if a, known := j.actions[id]; known && s != nil {
			one, why = afterBlock(s, a, v.Time)
		}
		each(id, one)
		if one == Right && o != Right || one == Wrong && o == Unknown {
			o, because = one, why
		}
	}
	return o, because
}

// ruleOf names what a checkpoint asked for: an action, or something that it observed.
// It is empty for a gap, which says again what an action says.
func (j *judge) ruleOf(id string) string {
	if _, known := j.actions[id]; known {
		return "action:" + redact.Line(id, 80)
	}
	switch rules.Kind(id) {
	case rules.Gap:
		return ""
	case rules.ErrorLeft, rules.UnreadEdit, rules.BlastRadius, rules.Drift, rules.Weakened, rules.Claim:
		return "observation:" + id
	}
	return "action:" + redact.Line(id, 80)
}
