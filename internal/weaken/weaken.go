// Package weaken compares source files before and after some work and reports where the
// project is judged less strictly now: tests deleted or skipped, warnings suppressed, lint
// rules switched off, thresholds lowered, snapshots rewritten. It reads text and returns
// values. Uncertain cases are not reported. Ring 1: imports tool and the standard library.
package weaken

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Marks are the parts of one file that determine how strictly the project is judged.
type Marks struct {
	// Tests are the names of its tests, Skipped those of them that do not run.
	Tests   []string `json:"tests,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	// Suppressed counts the comments and attributes that silence a linter, by their words.
	Suppressed map[string]int `json:"suppressed,omitempty"`
	// Off counts the rules that a linter's configuration switches off.
	Off int `json:"off,omitempty"`
	// Limits are the thresholds that tests have to reach, by name.
	Limits map[string][]float64 `json:"limits,omitempty"`
	// Switches are the type checks that a configuration switches on or off, by name.
	Switches map[string]Switch `json:"switches,omitempty"`
}

// IsZero reports whether the file does not affect strictness.
func (m Marks) IsZero() bool {
	return len(m.Tests)+len(m.Skipped)+len(m.Suppressed)+len(m.Limits)+len(m.Switches)+m.Off == 0
}

// MaxFile is the size up to which a file is worth reading.
const MaxFile = 1 << 20

// Of reads the marks of a file; path is its name in the project.
func Of(name string, content []byte) Marks {
	var m Marks
	if len(content) > MaxFile || !Concerns(name) || slices.Contains(content[:min(len(content), 8000)], 0) {
		return m
	}
	text := string(content)
	if isTest(name) {
		m.Tests, m.Skipped = tests(language(name), text)
	}
	m.Suppressed = suppressions(name, text)
	m.Off, m.Limits = settings(name, text)
	m.Switches = switches(name, text)
	return m
}

// Concerns reports whether a file of this name can have marks, or is itself one:
// a snapshot that tests compare with.
func Concerns(name string) bool {
	return language(name) != "" || isSettings(name) || IsSnapshot(name)
}

// OldContentMatters reports whether the earlier content is needed to compare a file that
// has these marks now. If not, nothing can have been weakened.
func OldContentMatters(name string, now Marks, gone bool) bool {
	return gone || !now.IsZero() || isTest(name) || isSettings(name) || IsSnapshot(name)
}

// IsSnapshot reports whether a test compares its output with this file.
func IsSnapshot(name string) bool {
	base := path.Base(name)
	for _, suffix := range []string{".snap", ".ambr", ".golden"} {
		if strings.HasSuffix(base, suffix) {
			return true
		}
	}
	return strings.Contains(base, ".approved.") || strings.Contains(base, ".verified.") || strings.Contains("/"+name, "/__snapshots__/")
}

// File is a file at two times.
type File struct {
	Path string
	// Was and Is: the file was there before, is there now.
	Was, Is       bool
	Before, After Marks
}

// Weakening is what happened to one file.
type Weakening struct {
	Path  string
	What  string
	Count int
}

// Compare lists where a change made the project less strict. Tests that moved from one of
// the files to another do not count as missing.
func Compare(files []File) []Weakening {
	var out []Weakening
	present, on := map[string]int{}, map[string]int{}
	for _, f := range files {
		for _, t := range f.After.Tests {
			present[t]++
		}
		for key, s := range f.After.Switches {
			on[key] += s.On
		}
	}
	for _, f := range files {
		add := func(n int, one, many string) {
			if n > 0 {
				out = append(out, Weakening{f.Path, fmt.Sprintf("%d %s", n, plural(n, one, many)), n})
			}
		}
		switch {
		case f.Was && !f.Is && isTest(f.Path) && len(f.Before.Tests) == 0:
			add(1, "test file deleted", "")
		case f.Was:
			add(deleted(f, present), "test deleted", "tests deleted")
		}
		if !f.Is {
			continue
		}
		if f.Was {
			add(newlySkipped(f), "test skipped", "tests skipped")
			add(max(0, f.After.Off-f.Before.Off), "lint rule switched off", "lint rules switched off")
			add(loosened(f, on), "type check switched off", "type checks switched off")
			add(lowered(f), "threshold lowered", "thresholds lowered")
			if IsSnapshot(f.Path) {
				add(1, "snapshot file rewritten", "")
			}
		}
		for _, word := range slices.Sorted(maps.Keys(f.After.Suppressed)) {
			add(f.After.Suppressed[word]-f.Before.Suppressed[word], "new "+word, "new "+word)
		}
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 || many == "" {
		return one
	}
	return many
}

// deleted counts the tests of a file that no longer exist anywhere, less those that
// replaced them: a renamed test is not a deleted one.
func deleted(f File, present map[string]int) int {
	gone, came := 0, 0
	for _, t := range f.Before.Tests {
		if present[t] == 0 {
			gone++
		}
	}
	for _, t := range f.After.Tests {
		if !slices.Contains(f.Before.Tests, t) {
			came++
		}
	}
	return max(0, gone-came)
}

// newlySkipped counts the skipped tests that ran before.
func newlySkipped(f File) int {
	n := 0
	for _, t := range f.After.Skipped {
		if slices.Contains(f.Before.Tests, t) && !slices.Contains(f.Before.Skipped, t) {
			n++
		}
	}
	return n
}

// lowered counts the thresholds that are lower than before, or gone.
func lowered(f File) int {
	n := 0
	for name, before := range f.Before.Limits {
		after := f.After.Limits[name]
		if len(after) == 0 {
			n++
			continue
		}
		for i := range min(len(before), len(after)) {
			if after[i] < before[i] {
				n++
			}
		}
	}
	return n
}
