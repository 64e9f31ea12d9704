package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/safefile"
)

// The kinds of files in the state directory.
const (
	Unfinished  = "open"
	Done        = "complete"
	Corrupt     = "corrupt"
	Unsupported = "unsupported"
)

// maxListed bounds the cost of a directory full of files.
const maxListed = 2000

// Entry is one record as a list shows it.
type Entry struct {
	Command     string  `json:"command"`
	Feature     *string `json:"feature"`
	Status      string  `json:"status"`
	ResumePoint         // where to carry on
	Stale       bool    `json:"stale"`
	UpdatedAt   *string `json:"updated_at"`
	File        string  `json:"file"`

	doc *jsontree.Value
}

// Doc is the record itself, nil when it cannot be used.
func (e Entry) Doc() *jsontree.Value { return e.doc }

// List is every record, the one worked on last first. Missing state is an empty list.
func (s *Store) List(ctx context.Context) []Entry {
	list := []Entry{}
	_ = s.silently(func() error {
		files, err := s.files()
		if err != nil {
			return err
		}
		for _, path := range files {
			if ctx.Err() != nil {
				s.log("listing the records took too long: some are left out")
				break
			}
			if e, ok := s.entry(path); ok {
				list = append(list, e)
			}
		}
		s.markStale(ctx, list)
		slices.SortStableFunc(list, func(a, b Entry) int {
			return cmp.Or(parseTime(b.doc.Get("updated_at")).Compare(parseTime(a.doc.Get("updated_at"))), cmp.Compare(a.File, b.File))
		})
		return nil
	})
	return list
}

// markStale reads HEAD once, and only if a record needs it.
func (s *Store) markStale(ctx context.Context, list []Entry) {
	head, asked := "", false
	for i, e := range list {
		saved := savedHead(e.doc)
		if saved == "" {
			continue
		}
		if !asked {
			head, asked = s.Head(ctx), true
		}
		list[i].Stale = moved(saved, head)
	}
}

// files are the paths of everything that may be a record, legacy directories included.
func (s *Store) files() ([]string, error) {
	if err := s.checkDirs(); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var files []string
	entries, err := safefile.ReadDir(s.Dir(), s.Dir(), -1)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(s.Dir(), e.Name())
		switch {
		case len(files) >= maxListed:
			s.log(fmt.Sprintf("only the first %d records are looked at: gauntlet state gc", maxListed))
			return files, nil
		case isRecordName(e.Name()) && e.Type().IsRegular():
			files = append(files, path)
		case e.IsDir() && strings.Contains(e.Name(), "-"):
			nested, err := safefile.ReadDir(s.Dir(), path, -1)
			if err != nil {
				continue
			}
			for _, n := range nested {
				if n.Type().IsRegular() && strings.HasSuffix(n.Name(), extension) {
					files = append(files, filepath.Join(path, n.Name()))
				}
			}
		}
	}
	return files, nil
}

func isRecordName(name string) bool {
	return strings.HasSuffix(name, extension) && strings.Contains(name, "-") && !strings.HasPrefix(name, "-")
}

// entry describes one file; false when it vanished or may not be read.
func (s *Store) entry(path string) (Entry, bool) {
	rel, err := filepath.Rel(s.Dir(), path)
	if err != nil {
		return Entry{}, false
	}
	rel = filepath.ToSlash(rel)
	e := Entry{File: rel, Status: Unfinished}
	command, feature, _, ok := s.names.parse(rel)
	if !ok { // a legacy name is not escaped
		command, feature, _ = strings.Cut(strings.TrimSuffix(rel, extension), "-")
	}
	doc, err := s.read(path)
	switch {
	case err == nil:
		e.doc = doc
		e.ResumePoint = Resume(doc)
		if !doc.Get("completed_at").Empty() {
			e.Status = Done
		}
		if t, ok := doc.Get("updated_at").Text(); ok {
			e.UpdatedAt = &t
		}
		if t, ok := doc.Get("command").Text(); ok && t != "" {
			command = t
		}
		if t, ok := doc.Get("feature").Text(); ok && t != "" {
			feature = t
		}
	case is[*corruptError](err):
		e.Status = Corrupt
	case is[*versionError](err):
		e.Status = Unsupported
	default:
		return Entry{}, false
	}
	e.Command = command
	if feature != "" {
		e.Feature = &feature
	}
	return e, true
}

// GC removes completed records and files set aside that were not touched for longer than
// age, and the temporary files of killed writers. It returns what it removed.
func (s *Store) GC(ctx context.Context, age time.Duration, dryRun bool) (removed []string, ok bool) {
	removed = []string{}
	ok = s.silently(func() error {
		if err := s.checkDirs(); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			return err
		}
		lock, err := s.lock(ctx)
		if err != nil {
			return err
		}
		defer lock.Release() //nolint:errcheck // the kernel releases it with us
		old, err := s.garbage(s.now().Add(-age))
		if err != nil {
			return err
		}
		var failed []error
		for _, path := range old {
			if !dryRun {
				if err := os.Remove(path); err != nil {
					failed = append(failed, err)
					continue
				}
			}
			rel, _ := filepath.Rel(s.Dir(), path)
			removed = append(removed, filepath.ToSlash(rel))
		}
		return errors.Join(failed...)
	})
	return removed, ok
}

func (s *Store) garbage(before time.Time) ([]string, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var old []string
	for _, path := range files {
		doc, err := s.read(path)
		if err != nil {
			continue // a file that cannot be understood is left alone
		}
		if done := parseTime(doc.Get("completed_at")); !done.IsZero() && done.Before(before) {
			old = append(old, path)
		}
	}
	entries, err := safefile.ReadDir(s.Dir(), s.Dir(), -1)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if isTemporary(e.Name()) || isSetAside(e.Name()) && info.ModTime().Before(before) {
			old = append(old, filepath.Join(s.Dir(), e.Name()))
		}
	}
	return old, nil
}
