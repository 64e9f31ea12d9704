package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
	"gauntlet/internal/turn"
	"gauntlet/internal/weaken"
)

// maxCompared bounds how many files are compared with their earlier content.
const maxCompared = 500

// reportWeakened reports to a person what was weakened, once in a session, also in a turn
// that is too young for a checkpoint or already had one.
func (f Facts) reportWeakened(input func() (rules.Input, []string), o *Owed) {
	in, _ := input()
	text := rules.WeakenedText(in, o.Result)
	key := "weakened " + session.Key(text)
	if text == "" || memoryOf(f.Seen.State).wasSent(key, "") {
		return
	}
	o.Weakened = text
	o.learn(func(m *Memory) { m.send(key, "") })
}

// weakened finds where tests or linters check less than when the turn began: it compares
// the files of the turn, also those it has committed, with the snapshot of the prompt and
// the commit it was taken on. A file that cannot be compared is ignored.
func (f Facts) weakened(ctx context.Context, changed []rules.Change) []weaken.Weakening {
	head, paths := f.beginning(ctx, changed)
	snaps, _ := turn.LoadSnapshots(f.Memory, f.Event.SessionID, f.Seen.Ledger)
	var files []weaken.File
	var committed []string // only git has their earlier content
	for _, p := range paths {
		file, ok := f.now(p)
		if !ok || len(files) == maxCompared {
			continue
		}
		before, dirty := snaps.Before(f.prefix() + p)
		switch {
		case !dirty:
			committed = append(committed, f.prefix()+p)
		case before.Gone:
		case before.Blob == "":
			continue // the snapshot did not include it
		default:
			file.Was, file.Before = true, before.Marks
		}
		files = append(files, file)
	}
	blobs := map[string][]byte{}
	if len(committed) > 0 && head != "" {
		var ok bool
		var err error
		if blobs, ok, err = f.Repo.Blobs(ctx, head, committed); err != nil || !ok {
			return nil
		}
	}
	for i, file := range files {
		if content, was := blobs[f.prefix()+file.Path]; was {
			files[i].Was, files[i].Before = true, weaken.Of(file.Path, content)
		}
	}
	return weaken.Compare(files)
}

// beginning is the commit that the turn began on, and the files that changed since,
// committed or not, sorted.
func (f Facts) beginning(ctx context.Context, changed []rules.Change) (head string, files []string) {
	prompt, now := f.Seen.Ledger.Prompt, f.Seen.Status.Head
	files = paths(changed)
	head = now
	if prompt.Head != "" && prompt.Head != now {
		if committed, err := (turn.Base{Head: prompt.Head, At: prompt.At}).Committed(ctx, f.Repo); err == nil {
			head = prompt.Head
			files = append(files, paths(f.changes(committed))...)
		}
	}
	slices.Sort(files)
	return head, slices.Compact(files)
}

// now returns the current content of a file; ok is false for one that does not affect
// strictness.
func (f Facts) now(p string) (file weaken.File, ok bool) {
	if !weaken.Concerns(p) {
		return file, false
	}
	content, err := safefile.Read(f.Root, filepath.Join(f.Root, filepath.FromSlash(p)), weaken.MaxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return file, false
	}
	file = weaken.File{Path: p, Is: err == nil, After: weaken.Of(p, content)}
	return file, weaken.OldContentMatters(p, file.After, !file.Is)
}
