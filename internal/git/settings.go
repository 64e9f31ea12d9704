package git

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// User is where the user's own git settings are.
type User struct {
	Home    string
	Configs []string // in the order in which git reads them
	Ignore  string   // the ignore list that is read unless core.excludesFile names another
	// System is the file of the whole machine. Commands are values of safe.directory that
	// variables give to every git command (GIT_CONFIG_COUNT).
	System   string
	Commands []string
}

// UserOf is the user whose variables these are.
func UserOf(getenv func(string) string) User {
	home := text.Home(getenv)
	xdg := cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	u := User{Home: home, Ignore: filepath.Join(xdg, "git", "ignore")}
	if file := getenv("GIT_CONFIG_GLOBAL"); file != "" {
		u.Configs = []string{file}
	} else if home != "" {
		u.Configs = []string{filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig")}
	}
	if no := getenv("GIT_CONFIG_NOSYSTEM"); no == "" || no == "0" || no == "false" {
		u.System = cmp.Or(getenv("GIT_CONFIG_SYSTEM"), "/etc/gitconfig")
	}
	n, _ := strconv.Atoi(getenv("GIT_CONFIG_COUNT"))
	for i := range min(n, 100) {
		if strings.EqualFold(getenv(fmt.Sprint("GIT_CONFIG_KEY_", i)), "safe.directory") {
			u.Commands = append(u.Commands, getenv(fmt.Sprint("GIT_CONFIG_VALUE_", i)))
		}
	}
	return u
}

// trusts reports whether the user's git settings declare the repository at root safe, although
// it belongs to another user. The repository's own settings have no say.
func (u User) trusts(root string) bool {
	s := settingsReader{home: u.Home}
	for _, file := range append([]string{u.System}, u.Configs...) {
		if file != "" {
			s.read("", file)
		}
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	safe := false
	for _, dir := range append(s.safe, u.Commands...) {
		under, all := strings.CutSuffix(dir, "/*")
		switch {
		case dir == "": // what was said before is taken back
			safe = false
		case dir == "*", filepath.Clean(dir) == root, filepath.Clean(dir) == real, all && strings.HasPrefix(real, filepath.Clean(under)+"/"):
			safe = true
		}
	}
	return safe
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

// settingsReader reads three settings from configuration files and what they include.
type settingsReader struct {
	home               string
	excludes, workTree string
	safe               []string
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
		case "safe.directory":
			if rest, ok := strings.CutPrefix(value, "~/"); ok {
				value = filepath.Join(s.home, rest)
			}
			s.safe = append(s.safe, value)
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
