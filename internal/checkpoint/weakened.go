package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"gauntlet/internal/checkpoint/rules"
	"gauntlet/internal/content"
	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
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
// the files of the turn, also those it has committed, with the account of the prompt. A file
// that cannot be compared is ignored.
func (f Facts) weakened(ctx context.Context, changed []rules.Change) []weaken.Weakening {
	if f.Seen.Before == nil {
		return f.weakenedSince(ctx, f.Seen.Status.Head, changed)
	}
	var files []weaken.File
	var earlier []git.File
	for _, p := range paths(changed) {
		file, ok := f.now(p)
		if !ok || len(files) == maxCompared {
			continue
		}
		before, was := f.Seen.Before.Find(f.prefix() + p)
		file.Was = was
		files, earlier = append(files, file), append(earlier, before)
	}
	was, err := content.Store{Dir: f.Memory.Dir, Repo: f.Repo}.Contents(ctx, earlier)
	if err != nil {
		return nil
	}
	known := files[:0]
	for i, file := range files {
		if file.Was {
			data, ok := was(earlier[i])
			if !ok {
				continue // its earlier content was not kept
			}
			file.Before = weaken.Of(file.Path, data)
		}
		known = append(known, file)
	}
	return weaken.Compare(known)
}

// weakenedSince compares with a commit, where there is no account of the prompt.
func (f Facts) weakenedSince(ctx context.Context, head string, changed []rules.Change) []weaken.Weakening {
	var files []weaken.File
	var list []string
	for _, p := range paths(changed) {
		if file, ok := f.now(p); ok && len(files) < maxCompared {
			files, list = append(files, file), append(list, f.prefix()+p)
		}
	}
	if head == "" || len(list) == 0 {
		return weaken.Compare(files)
	}
	blobs, ok, err := f.Repo.Blobs(ctx, head, list)
	if err != nil || !ok {
		return nil
	}
	for i, file := range files {
		if data, was := blobs[list[i]]; was {
			files[i].Was, files[i].Before = true, weaken.Of(file.Path, data)
		}
	}
	return weaken.Compare(files)
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
