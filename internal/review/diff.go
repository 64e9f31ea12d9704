package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// changed knows which lines of which files a diff shows.
type changed map[string][]span

// span is a run of lines, both ends included.
type span struct{ from, to int }

// parseDiff reads git's diff format.
func parseDiff(diff []byte) changed {
	files, _ := readDiff(diff)
	return files
}

// readDiff reads git's diff format: which lines it shows, and a digest of each file's part.
// Lines inside a hunk are counted, not interpreted: a changed file may itself contain a
// diff.
func readDiff(diff []byte) (files changed, parts map[string]string) {
	files, parts = changed{}, map[string]string{}
	var current []string // names of the file that the hunks belong to
	oldLeft, newLeft := 0, 0
	start, at := 0, 0
	part := func() {
		sum := sha256.Sum256(diff[start:at])
		for _, name := range current {
			parts[name] = hex.EncodeToString(sum[:8])
		}
	}
	defer func() { part() }()
	for line := range bytes.Lines(diff) {
		begin := at
		at += len(line)
		if oldLeft > 0 || newLeft > 0 {
			switch {
			case len(line) == 0 || line[0] == ' ' || line[0] == '\n' || line[0] == '\r':
				oldLeft, newLeft = oldLeft-1, newLeft-1
			case line[0] == '-':
				oldLeft--
			case line[0] == '+':
				newLeft--
			}
			continue
		}
		text := strings.TrimRight(string(line[:min(len(line), 8192)]), "\r\n")
		switch {
		case strings.HasPrefix(text, "diff --git "):
			at = begin
			part()
			start, at = begin, begin+len(line)
			current = files.add(nil, headerNames(text[len("diff --git "):])...)
		case strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "+++ "):
			current = files.add(current, unprefixed(text[4:]))
		case strings.HasPrefix(text, "rename from "), strings.HasPrefix(text, "rename to "):
			_, name, _ := strings.Cut(text[len("rename "):], " ")
			current = files.add(current, unquote(name))
		case strings.HasPrefix(text, "@@ "):
			var s span
			if s, oldLeft, newLeft = hunk(text); newLeft >= 0 {
				for _, name := range current {
					files[name] = append(files[name], s)
				}
			}
		}
	}
	return files, parts
}

func (c changed) add(names []string, more ...string) []string {
	for _, name := range more {
		if name == "" {
			continue
		}
		if _, known := c[name]; !known {
			c[name] = nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// hunk reads "@@ -1,2 +3,4 @@": the lines of the new file, and how many lines follow on
// either side. If lines were only removed, their position counts.
func hunk(text string) (s span, oldLeft, newLeft int) {
	f := strings.Fields(text)
	if len(f) < 3 {
		return span{}, 0, -1
	}
	_, oldLeft, ok1 := numbers(f[1], '-')
	from, newLeft, ok2 := numbers(f[2], '+')
	if !ok1 || !ok2 {
		return span{}, 0, -1
	}
	if newLeft == 0 {
		return span{from, from + 1}, oldLeft, 0
	}
	return span{from, from + newLeft - 1}, oldLeft, newLeft
}

func numbers(s string, sign byte) (from, count int, ok bool) {
	if s == "" || s[0] != sign {
		return 0, 0, false
	}
	a, b, both := strings.Cut(s[1:], ",")
	count = 1
	from, err := strconv.Atoi(a)
	if err == nil && both {
		count, err = strconv.Atoi(b)
	}
	return from, count, err == nil && count >= 0
}

// headerNames splits "a/x b/x". Unquoted names may contain spaces; both sides are the same
// unless the file was renamed, and then other lines name it.
func headerNames(s string) []string {
	if strings.HasPrefix(s, `"`) {
		if end := closingQuote(s); end > 0 {
			return []string{unprefixed(s[:end+1]), unprefixed(strings.TrimSpace(s[end+1:]))}
		}
	}
	if half := len(s) / 2; len(s)%2 == 1 && s[half] == ' ' && unprefixed(s[:half]) == unprefixed(s[half+1:]) {
		return []string{unprefixed(s[:half])}
	}
	return nil
}

// unprefixed is the name without a/ or b/; "" for /dev/null.
func unprefixed(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = unquote(s)
	if s == "/dev/null" {
		return ""
	}
	if rest, ok := strings.CutPrefix(s, "a/"); ok {
		return rest
	}
	return strings.TrimPrefix(s, "b/")
}

// unquote undoes git's C-style quoting of unusual names.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

func closingQuote(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// locate finds the file that a reviewer means, in any spelling of the path, and reports
// whether the finding is in the diff. A file without hunks (binary, renamed) or a finding
// without a line is judged by its file alone.
func (c changed) locate(f *Finding, dir, entry string) bool {
	for _, name := range candidates(f.File, dir, entry) {
		spans, ok := c[name]
		if !ok {
			continue
		}
		f.File = name
		if f.Line <= 0 || len(spans) == 0 {
			return true
		}
		return slices.ContainsFunc(spans, func(s span) bool { return f.Line >= s.from && f.Line <= s.to })
	}
	return false
}

func candidates(file, dir, entry string) []string {
	file = filepath.ToSlash(strings.TrimSpace(file))
	if file == "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(file, strings.TrimSuffix(filepath.ToSlash(dir), "/")+"/"); ok && dir != "" {
		file = rest
	}
	clean := path.Clean(file)
	list := []string{file, clean}
	for _, prefix := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(clean, prefix); ok {
			list = append(list, rest)
		}
	}
	if i := strings.LastIndexByte(clean, ':'); i > 0 { // "main.go:12"
		list = append(list, clean[:i])
	}
	if e := strings.TrimSuffix(entry, "/*"); e != "" && e != "." {
		list = append(list, path.Join(e, clean))
	}
	return list
}
