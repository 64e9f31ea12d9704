package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// ignoreLine is what keeps the state out of git.
const ignoreLine = stateDir + "/"

// maxIgnore bounds the ignore files that are read.
const maxIgnore = 16 << 20

// ensureIgnored adds the state to .gitignore once. A pattern that already covers it, or one
// that excludes it on purpose, is the user's decision.
func ensureIgnored(root, commonDir string) error {
	path := filepath.Join(root, ".gitignore")
	perm := os.FileMode(0o644)
	var data []byte
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return fmt.Errorf("ignore the state: %w", err)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: add the line %s where git reads it", path, ignoreLine)
	default:
		perm = st.Mode().Perm()
		if data, err = safefile.Read(root, path, maxIgnore); err != nil {
			return fmt.Errorf("ignore the state: %w", err)
		}
	}
	if decided(data, false) {
		return nil
	}
	for _, file := range []string{filepath.Join(commonDir, "info", "exclude"), filepath.Join(root, ".claude", ".gitignore")} {
		if other, err := safefile.Read("", file, maxIgnore); err == nil && decided(other, filepath.Base(filepath.Dir(file)) == ".claude") {
			return nil
		}
	}
	eol := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		eol = "\r\n"
	}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(data, eol...)
	}
	if err := safefile.Write(path, append(data, ignoreLine+eol...), perm); err != nil {
		return fmt.Errorf("ignore the state: %w", err)
	}
	return nil
}

// decided reports whether an ignore file decides about the state: it ignores it, or
// re-includes it by name. Re-including .claude alone is about the rest of that directory.
// inClaude: the file is in .claude itself.
func decided(data []byte, inClaude bool) bool {
	above, below := false, false // .claude is ignored; what is in it is
	for line := range strings.Lines(string(data)) {
		pattern, takenBack := strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), "!")
		if pattern == "" {
			continue
		}
		p := strings.TrimPrefix(strings.TrimPrefix(pattern, "**/"), "/")
		if inClaude {
			p = ".claude/" + p
		}
		switch p {
		case stateDir, stateDir + "/", stateDir + "/*", stateDir + "/**":
			if takenBack {
				return true
			}
			below = true
		case ".claude/*", ".claude/**", "*", "**":
			if pattern == "/*" && !inClaude {
				above = !takenBack
			} else {
				below = !takenBack
			}
		case ".claude", ".claude/":
			above = !takenBack
		}
	}
	return above || below
}
