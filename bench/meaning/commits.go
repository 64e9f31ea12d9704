package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/config"
	"gauntlet/internal/content"
	"gauntlet/internal/event"
	"gauntlet/internal/gate"
	"gauntlet/internal/git"
	"gauntlet/internal/meaning"
	"gauntlet/internal/room"
	"gauntlet/internal/seal"
)

type bench struct {
	n, look int
	limit   time.Duration
	how     map[string]command

	whole, stripped tally
	read            []string // commits whose tests do not notice them, to be read
	skipped         int      // commits whose tests do not pass here
}

func run(dir string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, gate.LastLines(out.String(), 500))
	}
	return out.String(), err
}

// repository asks about the newest commits of one repository.
func (b *bench) repository(name, from string) error {
	base, err := os.MkdirTemp("", "meaning-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	dir := filepath.Join(base, "tree")
	if _, err := run("", "git", "-c", "safe.directory=*", "clone", "-q", "--no-hardlinks", from, dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("node_modules\n.tap\n.nyc_output\n"), 0o600); err != nil {
		return err
	}
	how := b.how[name]
	if how.test == "" {
		how.test = guess(dir)
	}
	if how.setup != "" {
		if _, err := run(dir, "sh", "-c", how.setup); err != nil {
			return err
		}
	}
	log, err := run(dir, "git", "log", "--no-merges", "--format=%H", fmt.Sprintf("-n%d", b.look))
	if err != nil {
		return err
	}
	done := 0
	for commit := range strings.FieldsSeq(log) {
		if done == b.n {
			break
		}
		if changesBoth(dir, commit) && b.commit(name, base, commit, how.test) {
			done++
		}
	}
	return nil
}

func guess(dir string) string {
	for file, command := range map[string]string{"go.mod": "go test ./...", "package.json": "npm test"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return command
		}
	}
	return "python3 -m unittest discover"
}

// changesBoth reports whether a commit changes code and tests, and renames nothing.
func changesBoth(dir, commit string) bool {
	out, err := run(dir, "git", "diff-tree", "-r", "-M", "--name-status", "--no-commit-id", commit)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || len(lines) > 40 {
		return false
	}
	code, tests := false, false
	for _, line := range lines {
		status, path, _ := strings.Cut(line, "\t")
		switch {
		case strings.HasPrefix(status, "R"):
			return false
		case meaning.IsTest(path):
			tests = tests || meaning.Concerns(path)
		case meaning.Concerns(path) && status == "M":
			code = true
		}
	}
	return code && tests
}

// commit asks about one commit, with its tests and without; false if its tests do not pass.
func (b *bench) commit(name, base, commit, command string) bool {
	ctx := context.Background()
	dir := filepath.Join(base, "tree")
	if _, err := run(dir, "git", "checkout", "-q", "--force", commit); err != nil {
		return false
	}
	if _, err := run(dir, "git", "clean", "-qfd"); err != nil {
		return false
	}
	took, ok := b.passes(dir, command)
	if !ok {
		b.skipped++
		return false
	}
	repo, err := git.Find(dir)
	if err != nil {
		return false
	}
	parent, err := run(dir, "git", "rev-parse", commit+"^")
	if err != nil {
		return false // the first commit
	}
	now, err := content.OfCommit(ctx, repo, commit)
	before, err2 := content.OfCommit(ctx, repo, strings.TrimSpace(parent))
	if err != nil || err2 != nil {
		fmt.Printf("%s %s: %v %v\n", name, commit[:10], err, err2)
		return false
	}
	a, runs, asked := b.ask(ctx, base, repo, command, before, now)
	b.whole.add(a, runs, asked, took)
	fmt.Printf("%s %s: %s %s\n", name, commit[:10], a.Result, a.Reason)
	if a.Result == event.Unnoticed {
		b.read = append(b.read, fmt.Sprintf("%s %s: %s", name, commit, strings.Join(a.Files, " ")))
	}
	old := withoutTests(before, now)
	if took, ok = b.passesOn(ctx, base, repo, command, old); !ok {
		return true // the old tests do not pass on the new code
	}
	a, runs, asked = b.ask(ctx, base, repo, command, before, old)
	b.stripped.add(a, runs, asked, took)
	fmt.Printf("%s %s, without its tests: %s %s\n", name, commit[:10], a.Result, a.Reason)
	return true
}

func (b *bench) passes(dir, command string) (time.Duration, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), b.limit)
	defer cancel()
	start := time.Now()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = dir
	err := cmd.Run()
	return time.Since(start), err == nil
}

// withoutTests is a commit's content with the tests of its parent.
func withoutTests(before, now *content.Account) *content.Account {
	out := &content.Account{}
	for _, f := range now.Files {
		if !meaning.IsTest(f.Path) {
			out.Files = append(out.Files, f)
		}
	}
	for _, f := range before.Files {
		if meaning.IsTest(f.Path) {
			out.Files = append(out.Files, f)
		}
	}
	slices.SortFunc(out.Files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (b *bench) lab(base string, repo git.Repo, here *content.Account) meaning.Lab {
	return meaning.Lab{
		House: room.House{
			Dir: filepath.Join(base, "rooms"), Repo: repo, Store: content.Store{Dir: filepath.Join(base, "memory"), Repo: repo},
			Ask: content.Question{Repo: repo, Sealer: seal.New(filepath.Join(base, "state"))}, Here: here,
		},
		Root: repo.Root, Env: gate.Env{Environ: os.Environ(), Now: time.Now},
	}
}

func (b *bench) job(repo git.Repo, command string) gate.Job {
	seconds := b.limit.Seconds()
	return gate.Job{
		ID: "check:.:test", Kind: gate.KindCheck, Name: "test", Entry: ".", Dir: repo.Root, LogBase: "check_test",
		Check: &config.Check{Name: "test", Command: command, Role: "test", Timeout: &seconds},
	}
}

// ask is the answer, how many runs it took, and how long.
func (b *bench) ask(ctx context.Context, base string, repo git.Repo, command string, before, now *content.Account) (event.Answer, int, time.Duration) {
	lab, runs := b.lab(base, repo, now), 0
	lab.Slot = func(ctx context.Context, _ gate.Job) (context.Context, func()) {
		runs++
		return ctx, func() {}
	}
	start := time.Now()
	a := lab.Undo(ctx, meaning.Change{Before: before, Now: now, Paths: content.Diff(before, now), Jobs: []gate.Job{b.job(repo, command)}})
	return a, runs, time.Since(start)
}

// passesOn runs the tests in a room.
func (b *bench) passesOn(ctx context.Context, base string, repo git.Repo, command string, a *content.Account) (time.Duration, bool) {
	lab := b.lab(base, repo, a)
	there, err := lab.House.Open(ctx, room.Base)
	if err != nil {
		return 0, false
	}
	defer there.Close()
	if err := there.Move(ctx, a); err != nil {
		return 0, false
	}
	env := lab.Env
	env.Root, env.Room = repo.Root, there
	start := time.Now()
	r, err := gate.RunIn(ctx, b.job(repo, command), env)
	return time.Since(start), err == nil && r.Status == gate.Pass
}

func (b *bench) report() {
	fmt.Printf("\n%s\n%s\n%d commits were left out: their tests do not pass here\n", b.whole.line("with its tests", event.Noticed), b.stripped.line("without its tests", event.Unnoticed), b.skipped)
	if len(b.read) > 0 {
		fmt.Println("\nread these: no test notices the commit")
		for _, line := range b.read {
			fmt.Println("  " + line)
		}
	}
}
