package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
	"gauntlet/internal/session"
)

// ErrBadSlug means that a name cannot be the directory of a work item.
var ErrBadSlug = errors.New("a slug is letters, digits, '.', '_' and '-', and begins with a letter or digit")

// EnvSlug names the work item that an agent is working on.
const EnvSlug = "GAUNTLET_WORKING_SLUG"

const slugFile = "slug"

// ValidSlug reports whether a slug names one directory and nothing else.
func ValidSlug(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || r != '.' && r != '_' && r != '-') {
			return false
		}
	}
	return s != "" && len(s) <= 100
}

// ReadSlug returns the work item set for a work tree, "" if there is none.
func ReadSlug(st session.Store) string {
	if st.Dir == "" {
		return ""
	}
	b, err := safefile.Read(st.Dir, filepath.Join(st.Dir, slugFile), 4096)
	if err != nil {
		return ""
	}
	if s := strings.TrimSpace(string(b)); ValidSlug(s) {
		return s
	}
	return ""
}

// WriteSlug sets the work item of a work tree; "" removes it.
func WriteSlug(st session.Store, slug string) error {
	if st.Dir == "" {
		return session.ErrNoPlace
	}
	name := filepath.Join(st.Dir, slugFile)
	if slug == "" {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the slug: %w", err)
		}
		return nil
	}
	if !ValidSlug(slug) {
		return fmt.Errorf("%q: %w", slug, ErrBadSlug)
	}
	if err := safefile.MakeDir(st.Dir, 0o700); err != nil {
		return fmt.Errorf("keep the slug: %w", err)
	}
	return safefile.Write(name, []byte(slug+"\n"), 0o600)
}
