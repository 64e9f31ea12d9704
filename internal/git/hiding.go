package git

import (
	"bytes"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// Hiding is what besides the .gitignore files and the index can hide changes from
// git here: the settings, and the ignore lists they name.
type Hiding struct {
	// Settings are the relevant lines: of the repository's own configuration, of the
	// user's, of the files that these include, and of the attributes in the git directory.
	Settings string `json:"settings,omitempty"`
	// Excludes are the patterns of info/exclude and of core.excludesFile.
	Excludes string `json:"excludes,omitempty"`
}

// User is where the user's own git settings are.
type User struct {
	Home    string
	Configs []string // in the order in which git reads them
	Ignore  string   // the ignore list that is read unless core.excludesFile names another
}

// Bounds of what is read.
const (
	maxIncludes = 32
	maxExcludes = 256 << 10
)

// Hiding reads the files; no git process is needed.
func (r Repo) Hiding(user User) Hiding {
	s := settingsReader{user: user, excludes: user.Ignore}
	for _, file := range user.Configs {
		s.read("", file)
	}
	s.read(r.CommonDir, filepath.Join(r.CommonDir, "config"))
	s.read(r.GitDir, filepath.Join(r.GitDir, "config.worktree"))
	attributes, _ := r.readCommon("info/attributes", maxConfig)
	for line := range strings.Lines(string(attributes)) {
		if strings.Contains(line, "filter") {
			s.lines = append(s.lines, "info/attributes: "+strings.TrimSpace(line))
		}
	}
	own, _ := r.readCommon("info/exclude", maxExcludes)
	global, _ := safefile.Read("", s.excludes, maxExcludes)
	return Hiding{Settings: strings.Join(s.lines, "\n"), Excludes: patterns(global) + patterns(own)}
}

// patterns are the lines of an ignore list that are not empty or comments.
func patterns(list []byte) string {
	var out strings.Builder
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// settingsReader collects settings from configuration files and what they include.
type settingsReader struct {
	user     User
	lines    []string
	excludes string
	included int
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
	section, name := "", ""
	for line := range bytes.Lines(b) {
		line := strings.TrimSpace(string(line))
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			section, name, _ = strings.Cut(head, " ")
			section, name = strings.ToLower(strings.TrimSpace(section)), strings.Trim(strings.TrimSpace(name), `"`)
			if line = strings.TrimSpace(rest); line == "" { // a setting may follow on the same line
				continue
			}
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.Trim(strings.TrimSpace(value), `"`)
		s.setting(file, section, name, key, value)
	}
}

func (s *settingsReader) setting(file, section, name, key, value string) {
	full := section + "." + key
	if name != "" {
		full = section + "." + name + "." + key
	}
	switch {
	case section == "core" && key == "excludesfile":
		s.excludes = s.path(file, value)
	case section == "core" && (key == "worktree" || key == "fsmonitor" || key == "ignorestat" || key == "attributesfile" || key == "trustctime" || key == "checkstat"):
	case section == "filter" && (key == "clean" || key == "process"):
	case (section == "include" || section == "includeif") && key == "path":
		if s.included++; s.included <= maxIncludes {
			s.lines = append(s.lines, full+" = "+value)
			s.read("", s.path(file, value))
		}
		return
	default:
		return
	}
	s.lines = append(s.lines, full+" = "+value)
}

// path is a file that a setting in another one names.
func (s *settingsReader) path(file, value string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(s.user.Home, rest)
	}
	if filepath.IsAbs(value) || value == "" {
		return value
	}
	return filepath.Join(filepath.Dir(file), value)
}

// ChangedFilters are the filter drivers that were added, or changed, since earlier: by
// their own settings, or by attributes that name them.
func (h Hiding) ChangedFilters(earlier Hiding) []string {
	before := "\n" + earlier.Settings + "\n"
	var out []string
	for line := range strings.SplitSeq(h.Settings, "\n") {
		if strings.Contains(before, "\n"+line+"\n") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "filter."); ok {
			key, _, _ := strings.Cut(rest, " = ")
			if i := strings.LastIndexByte(key, '.'); i > 0 {
				out = append(out, key[:i])
			}
		}
		if rest, ok := strings.CutPrefix(line, "info/attributes: "); ok {
			for _, word := range strings.Fields(rest) {
				if driver, ok := strings.CutPrefix(word, "filter="); ok {
					out = append(out, driver)
				}
			}
		}
	}
	return out
}
