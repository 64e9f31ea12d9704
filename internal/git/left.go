package git

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// Left is a commit that was made in this work tree and is not checked out any more.
type Left struct {
	Commit string
	// Ref is a branch or tag that has it; "" when none does.
	Ref string
}

// maxReflog bounds how much of the end of the reflog is read.
const maxReflog = 64 << 10

// LeftSince is the newest commit made here since a time that is neither part of
// HEAD nor the content of the work tree: it was made, perhaps pushed, and left again.
func (r Repo) LeftSince(ctx context.Context, at time.Time) (Left, bool) {
	for _, oid := range abandoned(r.reflog(), at) {
		if in, err := r.IsAncestor(ctx, oid, "HEAD"); in || err != nil {
			continue
		}
		if _, err := r.Run(ctx, "diff", "--quiet", "--no-ext-diff", oid, "--"); err == nil {
			continue // reset to where it began, and all of it is still here
		}
		ref, err := r.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname:short)", "--contains", oid)
		if err != nil {
			continue
		}
		return Left{Commit: oid, Ref: strings.TrimSpace(string(ref))}, true
	}
	return Left{}, false
}

// reflog is the end of this work tree's reflog of HEAD; "" where there is none.
func (r Repo) reflog() string {
	f, err := safefile.Open(r.GitDir, filepath.Join(r.GitDir, "logs", "HEAD"))
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxReflog {
		if _, err := f.Seek(-maxReflog, io.SeekEnd); err != nil {
			return ""
		}
	}
	b, err := safefile.ReadAll(f, maxReflog)
	if err != nil {
		return ""
	}
	return string(b)
}

// abandoned are commits since a time after which HEAD was moved otherwise than by
// another commit, the newest first, at most five. What was amended is left out.
func abandoned(reflog string, at time.Time) []string {
	var made []string
	moved := false
	for line := range strings.Lines(reflog) {
		head, action, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) < 4 || !isOID(fields[0]) || !isOID(fields[1]) {
			continue
		}
		seconds, err := strconv.ParseInt(fields[len(fields)-2], 10, 64)
		if err != nil || seconds < at.Unix() {
			continue
		}
		switch kind, _, _ := strings.Cut(action, ":"); kind {
		case "commit (amend)":
			if n := len(made); n > 0 && made[n-1] == fields[0] {
				made = made[:n-1]
			}
			made = append(made, fields[1])
		case "commit", "commit (initial)", "commit (merge)", "cherry-pick", "revert":
			made = append(made, fields[1])
		default:
			moved = moved || len(made) > 0
		}
	}
	if !moved {
		return nil
	}
	var out []string
	for i := len(made) - 1; i >= 0 && len(out) < 5; i-- {
		out = append(out, made[i])
	}
	return out
}
