package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/safefile"
	"gauntlet/internal/shell"
	"gauntlet/internal/transcript"
)

// session is one recorded session, read once for all policies.
type session struct {
	file   string
	format string
	root   string // the directory it worked in
	turns  []turn
	gap    string // why it cannot be judged
	broken bool   // it cannot be read at all
}

// turn is one human turn of a session.
type turn struct {
	transcript.Span
	read    transcript.Turn
	changed []string // files of the project that it changed, as far as the log shows
	last    int      // index of the last call that changed one; -1 for none
	end     time.Time
	gap     string
}

// readSession reads a session log. Nothing in it is trusted to be well formed.
func readSession(file string, opts *Options) (s session) {
	s = session{file: file}
	defer func() {
		if recover() != nil {
			s.turns, s.gap, s.broken = nil, "logs that cannot be read", true
		}
	}()
	info, err := os.Stat(file)
	switch {
	case err != nil || !info.Mode().IsRegular():
		s.gap, s.broken = "files that cannot be opened", true
		return s
	case info.Size() > maxSession:
		s.gap, s.broken = "logs over 512 MB", true
		return s
	}
	if !opts.Since.IsZero() && info.ModTime().Before(opts.Since) {
		s.gap = "sessions before the time that was asked for"
		return s
	}
	format, spans, err := transcript.Spans(file)
	if err != nil {
		s.broken = true
		switch {
		case errors.Is(err, transcript.ErrFormat):
			s.gap = "files of a format that is not known"
		default:
			s.gap = "logs that cannot be read"
		}
		return s
	}
	s.format, s.root = format, workingDirectory(file)
	if opts.Project != "" {
		if !within(opts.Project, s.root) {
			s.gap = "sessions of other projects"
			return s
		}
		s.root = opts.Project
	}
	for _, span := range spans {
		at := span.At
		if at.IsZero() {
			at = info.ModTime()
		}
		if !opts.Since.IsZero() && at.Before(opts.Since) {
			continue
		}
		s.turns = append(s.turns, s.readTurn(span))
	}
	if len(spans) > 0 && len(s.turns) == 0 {
		s.gap = "sessions before the time that was asked for"
	}
	return s
}

func (s *session) readTurn(span transcript.Span) turn {
	t := turn{Span: span, last: -1}
	read, err := transcript.Read(s.file, transcript.Options{End: span.End})
	if err != nil {
		t.gap = "turns that cannot be read"
		return t
	}
	t.read = read
	seen := map[string]bool{}
	for i, c := range read.Calls {
		if c.At.After(t.end) {
			t.end = c.At
		}
		for _, name := range written(c) {
			if rel, ok := inside(s.root, c.Dir, name); ok {
				t.last = i
				if !seen[rel] {
					seen[rel] = true
					t.changed = append(t.changed, rel)
				}
			}
		}
	}
	slices.Sort(t.changed)
	return t
}

// written are the files that a call changed, as far as it names them.
func written(c event.ToolCall) []string {
	if c.Rejected {
		return nil
	}
	switch c.Kind {
	case event.ToolEdit, event.ToolWrite:
		if c.Outcome == event.Failure {
			return nil
		}
		return c.Paths
	case event.ToolShell:
		var out []string
		for _, f := range shell.Parse(c.Command).Written {
			if !strings.ContainsAny(f.Path, "*?{}$") {
				out = append(out, f.Path)
			}
		}
		return out
	case event.ToolRead, event.ToolSearch, event.ToolAgent, event.ToolOther:
	}
	return nil
}

// inside makes a name of the log relative to the session's directory.
func inside(root, dir, name string) (string, bool) {
	root, dir, name = slashed(root), slashed(dir), slashed(strings.TrimPrefix(name, "file://"))
	if isWindowsPath(root) {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	if name == "" || strings.HasPrefix(name, "/dev/") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return "", false
	}
	if !path.IsAbs(name) && !isWindowsPath(name) {
		if path.IsAbs(dir) || isWindowsPath(dir) {
			name = path.Join(dir, name)
		} else {
			rel := path.Join(dir, name)
			return rel, rel != "." && rel != ".." && !strings.HasPrefix(rel, "../")
		}
	}
	base := strings.TrimSuffix(root, "/")
	rel, ok := strings.CutPrefix(path.Clean(name), base+"/")
	return rel, ok && base != "" && !strings.HasPrefix(rel, ".git/")
}

func isWindowsPath(name string) bool { return len(name) > 2 && name[1] == ':' }

// slashed is a path of a log with slashes; the log may come from another system.
func slashed(name string) string {
	if isWindowsPath(name) {
		return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], `\`, "/")
	}
	return filepath.ToSlash(name)
}

// within reports whether dir is root or below it.
func within(root, dir string) bool {
	root, dir = strings.TrimSuffix(slashed(root), "/"), strings.TrimSuffix(slashed(dir), "/")
	return dir == root || strings.HasPrefix(dir, root+"/")
}

// headSize is how much of a log is searched for its directory.
const headSize = 1 << 20

// workingDirectory is the directory that a session worked in, according to its log.
func workingDirectory(file string) string {
	f, err := safefile.OpenLinked(file)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // read only
	head := make([]byte, headSize)
	n, _ := f.Read(head)
	head = head[:n]
	first, at := "", len(head)
	for _, key := range []string{`"cwd"`, `"directory"`, `"workingDirectory"`, `"workspacePath"`, `"gitRoot"`} {
		i := bytes.Index(head, []byte(key))
		if i < 0 || i >= at {
			continue
		}
		rest := bytes.TrimLeft(head[i+len(key):], ": \t\n")
		var dir string
		if json.NewDecoder(bytes.NewReader(rest)).Decode(&dir) == nil && dir != "" {
			first, at = strings.TrimPrefix(dir, "file://"), i
		}
	}
	return first
}
