package stop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/content"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/history"
	"gauntlet/internal/redact"
	"gauntlet/internal/safefile"
	"gauntlet/internal/tasks"
	"gauntlet/internal/text"
)

// maxJudge bounds how many parts are named, and maxJudgeDiff the difference that is kept.
const (
	maxJudge     = 5
	maxJudgeDiff = 20 << 10
)

// changedJudge announces what the session changed of that which its own work was judged by:
// the script that a check runs, its recipe, the configuration of its tool. The gate passed or
// failed by the changed one, and a person decides what that is worth.
func (s *stopping) changedJudge(ctx context.Context) {
	before, now := s.seen.Before, s.seen.Now
	if before == nil || now == nil || s.cfg == nil {
		return
	}
	prefix := ""
	if rel, err := filepath.Rel(s.site.Repo.Root, s.site.Root); err == nil && rel != "." {
		prefix = filepath.ToSlash(rel) + "/"
	}
	was, changed := s.earlier(ctx, before, content.Diff(before, now), prefix)
	s.lines = s.countLines(was)
	if len(changed) == 0 {
		return
	}
	disk := safefile.FS(s.site.Root)
	past, current := tasks.New(earlierFS{FS: disk, was: was}), tasks.New(disk)
	var named []string
	var diffs strings.Builder
	for _, g := range s.Gates.Gates {
		check := s.cfg.Checks[g.Name]
		dir, err := filepath.Rel(s.site.Root, g.Dir)
		if g.Kind != gate.KindCheck || check == nil || err != nil || !filepath.IsLocal(dir) {
			continue
		}
		for _, c := range tasks.ChangedJudge(past, current, check.Command, filepath.ToSlash(dir), changed) {
			diff := git.Patch(c.Name, lines(c.Before), lines(c.Now))
			said := fmt.Sprintf("%s (+%d −%d)", redact.Line(c.Name, 120), marked(diff, "+"), marked(diff, "-"))
			if !slices.Contains(named, said) {
				named = append(named, said)
				diffs.WriteString(diff)
			}
		}
	}
	if len(named) == 0 {
		return
	}
	s.JudgeDiff = redact.String(diffs.String()[:min(diffs.Len(), maxJudgeDiff)])
	if more := len(named) - maxJudge; more > 0 {
		named = append(named[:maxJudge], fmt.Sprintf("%d more", more))
	}
	s.announceLater("judged by a changed %s; the difference: gauntlet explain", strings.Join(named, ", "))
}

// earlier is the content, at the prompt, of the project's files that changed since; nil for one
// that was not there. A file whose earlier content was not kept is left out.
func (s *stopping) earlier(ctx context.Context, before *content.Account, differ []string, prefix string) (was map[string][]byte, changed []string) {
	was = map[string][]byte{}
	var files []git.File
	for _, p := range differ {
		rel, ok := strings.CutPrefix(p, prefix)
		if !ok {
			continue
		}
		if f, there := before.Find(p); there {
			files = append(files, f)
		} else {
			was[rel] = nil
		}
	}
	read, err := content.Store{Dir: s.site.Memory.Dir, Repo: s.site.Repo}.Contents(ctx, files)
	if err != nil {
		return nil, nil
	}
	for _, f := range files {
		if data, ok := read(f); ok {
			rel := strings.TrimPrefix(f.Path, prefix)
			was[rel], changed = append([]byte{}, data...), append(changed, rel)
		}
	}
	return was, changed
}

// What is counted of a turn's changes, at most.
const (
	maxCounted     = 500
	maxCountedFile = 1 << 20
)

// countLines counts what the turn added and removed, from the files as they were; nil where
// there are too many. Binary and very large files have no lines.
func (s *stopping) countLines(was map[string][]byte) *history.Lines {
	if len(was) > maxCounted {
		return nil
	}
	n := &history.Lines{}
	for path, before := range was {
		now, err := safefile.Read(s.site.Root, filepath.Join(s.site.Root, filepath.FromSlash(path)), maxCountedFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(before) > maxCountedFile || bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(now, 0) >= 0 {
			continue
		}
		added, removed := text.ChangedLines(string(before), string(now))
		n.Added, n.Removed = n.Added+added, n.Removed+removed
	}
	return n
}

// lines is text as the lines of a file; nil for none.
func lines(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(strings.TrimSuffix(text, "\n") + "\n")
}

// marked counts the lines of a unified diff that begin with a mark.
func marked(diff, mark string) (n int) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, mark) && !strings.HasPrefix(line, mark+mark+mark+" ") {
			n++
		}
	}
	return n
}

// earlierFS is the project with some files as they were; nil: not there.
type earlierFS struct {
	fs.FS
	was map[string][]byte
}

// Open opens a file as it was.
func (e earlierFS) Open(name string) (fs.File, error) {
	data, known := e.was[name]
	switch {
	case !known:
		return e.FS.Open(name)
	case data == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &earlierFile{name: filepath.Base(name), size: int64(len(data)), Reader: bytes.NewReader(data)}, nil
}

// earlierFile is one of them.
type earlierFile struct {
	*bytes.Reader
	name string
	size int64
}

func (f *earlierFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *earlierFile) Close() error               { return nil }
func (f *earlierFile) Name() string               { return f.name }
func (f *earlierFile) Size() int64                { return f.size }
func (f *earlierFile) Mode() fs.FileMode          { return 0o644 }
func (f *earlierFile) ModTime() time.Time         { return time.Time{} }
func (f *earlierFile) IsDir() bool                { return false }
func (f *earlierFile) Sys() any                   { return nil }
