package git

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git's own name for content
	"crypto/sha256"
	"hash"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gauntlet/internal/safefile"
)

// hiddenChanges are files that differ although git was told not to look
// (assume-unchanged, skip-worktree). Outside a sparse checkout a missing file is
// as it should be.
func (r Repo) hiddenChanges(index *seenIndex) []Change {
	if index == nil {
		return nil // a format that only git knows
	}
	var out []Change
	for _, e := range index.entries {
		if !e.hidden || e.stage != 0 || e.mode&0o170000 != 0o100000 {
			continue
		}
		data, err := safefile.Read(r.Root, filepath.Join(r.Root, filepath.FromSlash(e.path)), maxHashed)
		switch {
		case os.IsNotExist(err) || err != nil && e.skipped:
			if !e.skipped {
				out = append(out, Change{Path: e.path, Index: '.', Worktree: 'D', Hidden: true})
			}
		case err != nil || blobID(data, len(e.oid)) != e.oid:
			out = append(out, Change{Path: e.path, Index: '.', Worktree: 'M', Hidden: true})
		}
	}
	return out
}

// blobID is the binary object id of a file's content.
func blobID(data []byte, size int) string {
	h := sha1.New() //nolint:gosec // git's own name for content
	if size == sha256.Size {
		h = sha256.New()
	}
	return string(objectID(h, "blob", data))
}

// objectID is the binary id that git gives to content of a kind.
func objectID(h hash.Hash, kind string, data []byte) []byte {
	h.Write([]byte(kind + " " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return h.Sum(nil)
}

// Excludes is what besides the .gitignore files decides which files git ignores
// here: the repository's own list, and the settings that name another one or
// hide changes.
func (r Repo) Excludes() string {
	b, _ := r.readCommon("info/exclude", maxConfig)
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// HidingSettings are the lines of the repository's own configuration that can
// hide changes from git.
func (r Repo) HidingSettings() string {
	b, _ := r.readCommon("config", maxConfig)
	own, _ := r.readOwn("config.worktree", maxConfig)
	attributes, _ := r.readCommon("info/attributes", maxConfig)
	section, out := "", []string{}
	for line := range strings.Lines(string(bytes.Join([][]byte{b, own}, []byte("\n")))) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(strings.Fields(line + " ")[0], "[]"))
			continue
		}
		key, _, _ := strings.Cut(strings.ToLower(line), "=")
		switch key = strings.TrimSpace(key); {
		case section == "core" && (key == "worktree" || key == "fsmonitor" || key == "ignorestat" || key == "excludesfile" || key == "attributesfile"),
			section == "filter" && (key == "clean" || key == "process"), section == "include", section == "includeif":
			out = append(out, section+"."+line)
		}
	}
	for line := range strings.Lines(string(attributes)) {
		if strings.Contains(line, "filter") {
			out = append(out, "info/attributes: "+strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "\n")
}

// UntrackedUnder lists the untracked files as git would see them with another
// list of excludes in place of the repository's own.
func (r Repo) UntrackedUnder(ctx context.Context, excludes string) ([]Change, error) {
	args := []string{"ls-files", "--others", "-z", "--exclude-per-directory=.gitignore"}
	for line := range strings.Lines(excludes) {
		args = append(args, "--exclude="+strings.TrimRight(line, "\n"))
	}
	out, err := r.Run(ctx, args...)
	if err != nil {
		return nil, err
	}
	var list []Change
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" {
			list = append(list, Change{Path: p, Index: '.', Worktree: '?', Untracked: true})
		}
	}
	return list, nil
}
