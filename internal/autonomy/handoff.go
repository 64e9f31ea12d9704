package autonomy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// safeName turns a session id into something that may be part of a file name and of a
// reference. Plain ids stay unchanged; two ids never become one.
func safeName(id string) string {
	plain := id != "" && len(id) <= 64 && id[0] != '.' && id[0] != '-' && id[len(id)-1] != '.' &&
		!strings.Contains(id, "..") && !strings.HasSuffix(strings.ToLower(id), ".lock")
	var b strings.Builder
	for _, c := range id {
		if text.IsPlain(c) {
			if b.Len() < 40 && c != '.' {
				b.WriteRune(c)
			}
			continue
		}
		plain = false
	}
	if plain {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "s" + b.String() + "-" + hex.EncodeToString(sum[:6])
}

// handOff writes the continuation where the next agent looks for it. What could not be
// written is returned; the save continues. Nothing is synced: the agent continues now
// and waits for it.
func (x *execution) handOff(prompt string) error {
	var errs []error
	if home := x.in.Home; home != "" {
		data := []byte(prompt + "\n")
		dir := inHome(home, "continuations")
		if err := safefile.MakeDir(dir, 0o700); err != nil {
			errs = append(errs, err)
		} else {
			errs = append(errs,
				safefile.Put("", inHome(home, "continuation-prompt.md"), data, 0o600),
				safefile.Put("", filepath.Join(dir, safeName(x.in.Event.SessionID)+".md"), data, 0o600))
		}
	} else {
		errs = append(errs, errors.New("no home directory for the continuation prompt"))
	}
	return errors.Join(append(errs, writeIteration(x.repo, x.threshold, x.use.Percent(), x.in.Now()))...)
}

// hideHome hides Gauntlet's files from git in a home directory that is inside the
// repository.
func hideHome(home string, repo git.Repo) error {
	rel, err := filepath.Rel(repo.Root, inHome(home))
	if home == "" || err != nil || !filepath.IsLocal(rel) {
		return nil //nolint:nilerr // a home that cannot be named from here lies elsewhere
	}
	at := "/" + filepath.ToSlash(rel)
	return excludeFromGit(repo, at+"/continuation-prompt.md", at+"/continuations/", at+"/auto-continue.log*")
}

// writeIteration counts the saves of a project in a file that git does not see.
func writeIteration(repo git.Repo, threshold, percent int, now time.Time) error {
	path := filepath.Join(repo.Root, filepath.FromSlash(iterationFile))
	if err := safefile.MkdirAll(repo.Root, filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("%s: %w", iterationFile, err)
	}
	if err := excludeFromGit(repo, "/"+iterationFile); err != nil {
		return err
	}
	text := fmt.Sprintf("---\nactive: true\niteration: %d\nthreshold: %d\nlast_percent: %d\nlast_compact: %s\n---\n\n"+
		"Gauntlet saved the work when the context window reached its threshold; go on with the work.\n",
		lastIteration(repo.Root, path)+1, threshold, percent, now.UTC().Format(time.RFC3339))
	return safefile.Put(repo.Root, path, []byte(text), 0o644)
}

func lastIteration(root, path string) int {
	for line := range strings.Lines(string(readSmall(root, path, 4<<10))) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "iteration:"); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && n > 0 && n < 1<<30 {
				return n
			}
		}
	}
	return 0
}

// excludeFromGit adds patterns to the repository's own exclude file, each once.
func excludeFromGit(repo git.Repo, patterns ...string) error {
	path := filepath.Join(repo.CommonDir, "info", "exclude")
	b, err := safefile.Read(repo.CommonDir, path, 64<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("exclude %s: %w", patterns[0], err)
	}
	for line := range strings.Lines(string(b)) {
		patterns = slices.DeleteFunc(patterns, func(p string) bool { return p == strings.TrimSpace(line) })
	}
	if len(patterns) == 0 {
		return nil
	}
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	if err := safefile.MkdirAll(repo.CommonDir, filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("exclude %s: %w", patterns[0], err)
	}
	return safefile.WriteIn(repo.CommonDir, path, append(b, strings.Join(patterns, "\n")+"\n"...), 0o644)
}
