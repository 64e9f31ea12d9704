package git

import (
	"bytes"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// User is where the user's own git settings are.
type User struct {
	Home    string
	Configs []string // in the order in which git reads them
	Ignore  string   // the ignore list that is read unless core.excludesFile names another
}

// maxIncludes bounds how many files settings may include.
const maxIncludes = 32

// ExcludesFile is the user's ignore list, read from the settings without a git process;
// certain is false where a setting holds under a condition that only git knows.
func (r Repo) ExcludesFile(user User) (path string, certain bool) {
	s := settingsReader{home: user.Home, excludes: user.Ignore}
	for _, file := range user.Configs {
		s.read("", file)
	}
	s.read(r.CommonDir, filepath.Join(r.CommonDir, "config"))
	s.read(r.GitDir, filepath.Join(r.GitDir, "config.worktree"))
	return s.excludes, !s.conditional
}

// settingsReader reads two settings from configuration files and what they include.
type settingsReader struct {
	home               string
	excludes, workTree string
	conditional        bool
	included           int
}

func (s *settingsReader) read(root, file string) {
	var b []byte
	var err error
	if root == "" {
		b, err = safefile.ReadLinked(file, maxConfig)
	} else {
		b, err = safefile.Read(root, file, maxConfig)
	}
	if err != nil {
		return
	}
	section := ""
	for line := range bytes.Lines(b) {
		line := strings.TrimSpace(string(line))
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			section, _, _ = strings.Cut(head, " ")
			section = strings.ToLower(strings.TrimSpace(section))
			if line = strings.TrimSpace(rest); line == "" { // a setting may follow on the same line
				continue
			}
		}
		key, value, _ := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "core.excludesfile":
			s.excludes = s.path(file, value)
		case "core.worktree":
			s.workTree = s.path(file, value)
		case "includeif.path":
			s.conditional = true
		case "include.path":
			if s.included++; s.included <= maxIncludes {
				s.read("", s.path(file, value))
			}
		}
	}
}

// path is a file that a setting in another one names.
func (s *settingsReader) path(file, value string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(s.home, rest)
	}
	if filepath.IsAbs(value) || value == "" {
		return value
	}
	return filepath.Join(filepath.Dir(file), value)
}
