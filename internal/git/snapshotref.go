package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// SnapshotRefs is where snapshots of an agent's work are kept.
const SnapshotRefs = "refs/gauntlet/checkpoints/"

// Snapshot is one such snapshot.
type Snapshot struct {
	N       int       `json:"n"` // its place among all of the repository, oldest first
	Ref     string    `json:"ref"`
	Session string    `json:"session"`
	Seq     int       `json:"seq"` // its number within the session
	Commit  string    `json:"commit"`
	Base    string    `json:"base"` // the commit the work was based on, "" for none
	Time    time.Time `json:"time"`
	Subject string    `json:"subject"`
}

// Snapshots lists them, oldest first.
func (r Repo) Snapshots(ctx context.Context) ([]Snapshot, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(parent)%00%(committerdate:unix)%00%(contents:subject)", SnapshotRefs)
	if err != nil {
		return nil, err
	}
	var list []Snapshot
	for line := range strings.SplitSeq(string(out), "\n") {
		f := strings.SplitN(line, "\x00", 5)
		if len(f) != 5 {
			continue
		}
		session, seq, _ := strings.Cut(strings.TrimPrefix(f[0], SnapshotRefs), "/")
		n, err := strconv.Atoi(seq)
		if err != nil {
			continue // not made by Gauntlet
		}
		base, _, _ := strings.Cut(f[2], " ")
		at, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("list snapshots: %w", err)
		}
		list = append(list, Snapshot{Ref: f[0], Session: session, Seq: n, Commit: f[1], Base: base, Time: time.Unix(at, 0).UTC(), Subject: f[4]})
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if !a.Time.Equal(b.Time) {
			return a.Time.Before(b.Time)
		}
		if a.Session != b.Session {
			return a.Session < b.Session
		}
		return a.Seq < b.Seq
	})
	for i := range list {
		list[i].N = i + 1
	}
	return list, nil
}

// SaveSnapshot stores the whole work tree, untracked files included, under the next
// number of c.Session, which must be valid in a reference name, on c.Base and at c.Time. The
// branch, the index and the files are not touched.
func (r Repo) SaveSnapshot(ctx context.Context, c Snapshot, message string, exclude []string) (Snapshot, error) {
	var err error
	if c.Seq, err = r.nextSnapshot(ctx, c.Session); err != nil {
		return Snapshot{}, err
	}
	tree, err := r.SnapshotTree(ctx, exclude)
	if err != nil {
		return Snapshot{}, err
	}
	who, at := "Gauntlet", strconv.FormatInt(c.Time.Unix(), 10)+" +0000"
	args := []string{"commit-tree", "-F", "-", tree}
	if c.Base != "" {
		args = append(args, "-p", c.Base)
	}
	out, err := r.RunWith(ctx, Opts{Stdin: strings.NewReader(message), Env: []string{
		"GIT_AUTHOR_NAME=" + who, "GIT_AUTHOR_EMAIL=gauntlet@localhost", "GIT_AUTHOR_DATE=" + at,
		"GIT_COMMITTER_NAME=" + who, "GIT_COMMITTER_EMAIL=gauntlet@localhost", "GIT_COMMITTER_DATE=" + at,
	}}, args...)
	if err != nil {
		return Snapshot{}, fmt.Errorf("snapshot: %w", err)
	}
	c.Ref, c.Commit = SnapshotRefs+c.Session+"/"+strconv.Itoa(c.Seq), strings.TrimSpace(string(out))
	// Never overwrite another one: its number was free a moment ago.
	if _, err := r.Run(ctx, "update-ref", c.Ref, c.Commit, strings.Repeat("0", len(c.Commit))); err != nil {
		return Snapshot{}, fmt.Errorf("snapshot: %w", err)
	}
	c.Time = c.Time.UTC()
	c.Subject, _, _ = strings.Cut(message, "\n")
	return c, nil
}

// nextSnapshot is the first number of a session that is not taken.
func (r Repo) nextSnapshot(ctx context.Context, session string) (int, error) {
	prefix := SnapshotRefs + session + "/"
	names, ok := r.refNames(prefix)
	if !ok {
		out, err := r.Run(ctx, "for-each-ref", "--format=%(refname)", prefix)
		if err != nil {
			return 0, err
		}
		names = strings.Split(string(out), "\n")
	}
	last := 0
	for _, ref := range names {
		if n, err := strconv.Atoi(strings.TrimPrefix(ref, prefix)); err == nil {
			last = max(last, n)
		}
	}
	return last + 1, nil
}

// refNames lists the references directly below prefix from the files, without a git
// process; ok is false when the repository stores them in another format.
func (r Repo) refNames(prefix string) (names []string, ok bool) {
	if _, err := os.Stat(filepath.Join(r.CommonDir, "reftable")); err == nil {
		return nil, false
	}
	entries, err := safefile.ReadDir(r.CommonDir, filepath.Join(r.CommonDir, filepath.FromSlash(prefix)), -1)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, false
	}
	for _, e := range entries {
		names = append(names, prefix+e.Name())
	}
	b, err := r.readCommon("packed-refs", maxRefs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, false
	}
	for line := range strings.Lines(string(b)) {
		if _, name, _ := strings.Cut(strings.TrimRight(line, "\n"), " "); strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, true
}

// DeleteSnapshots removes the references; git removes the objects when it cleans up.
func (r Repo) DeleteSnapshots(ctx context.Context, list []Snapshot) error {
	if len(list) == 0 {
		return nil
	}
	var in strings.Builder
	for _, c := range list {
		in.WriteString("delete " + c.Ref + "\x00" + c.Commit + "\x00")
	}
	_, err := r.RunWith(ctx, Opts{Stdin: strings.NewReader(in.String())}, "update-ref", "-z", "--stdin")
	return err
}
