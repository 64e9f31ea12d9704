package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestThrowawayTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	sh := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	sh("init", "-q", "-b", "main")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "one")
	sh("add", "-A")
	sh("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "one")
	first := sh("rev-parse", "HEAD")
	write("a.txt", "two")
	sh("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-am", "two")
	write("a.txt", "dirty")
	if err := os.WriteFile(filepath.Join(dir, ".git", "hooks", "post-checkout"), []byte("#!/bin/sh\ntouch ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := sh("status", "--porcelain") + sh("for-each-ref") + sh("worktree", "list") + sh("count-objects")
	repo, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.Throwaway(context.Background(), first)
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		b, err := os.ReadFile(filepath.Join(tree.Root, "a.txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if read() != "one" {
		t.Errorf("holds %q", read())
	}
	if err := os.WriteFile(filepath.Join(tree.Root, "left.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := tree.Checkout(context.Background(), "not-a-commit"); err == nil {
		t.Error("an unknown commit was checked out")
	}
	if err := tree.Checkout(context.Background(), sh("rev-parse", "main")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(tree.Root, "left.txt")); err == nil || read() != "two" {
		t.Errorf("after the next checkout: %q, %v", read(), err)
	}
	root := tree.Root
	tree.Remove()
	if _, err := os.Stat(root); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	after := sh("status", "--porcelain") + sh("for-each-ref") + sh("worktree", "list") + sh("count-objects")
	if before != after {
		t.Errorf("the repository changed:\n%s\n%s", before, after)
	}
}
