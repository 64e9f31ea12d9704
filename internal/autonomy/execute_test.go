package autonomy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/event"
	"gauntlet/internal/safefile"
)

// dirty makes work to be saved.
func (w *world) dirty() *world {
	w.t.Helper()
	w.write("code.go", "package code\n\nvar X = 1\n")
	w.write("new file.txt", "new\n")
	return w
}

func (w *world) expect(v event.Verdict, committed bool, pushed, skipped string) {
	w.t.Helper()
	a := v.Autonomous
	if a == nil {
		w.t.Fatalf("no autonomous_execution: %+v", v)
	}
	got := ""
	if a.SkippedReason != nil {
		got = *a.SkippedReason
	}
	if !a.ExecutedDirectly || a.Committed != committed || a.Pushed != pushed || got != skipped || (a.Commit != nil) != committed {
		w.t.Errorf("executed_directly %v, committed %v, commit %v, pushed %s, skipped %q; want committed %v, pushed %s, skipped %q\n%s",
			a.ExecutedDirectly, a.Committed, a.Commit, a.Pushed, got, committed, pushed, skipped, v.SystemMessage)
	}
	if committed && a.Commit != nil && *a.Commit != w.git("rev-parse", "HEAD") {
		w.t.Errorf("the verdict names commit %s, HEAD is %s", *a.Commit, w.git("rev-parse", "HEAD"))
	}
	if v.Status != event.ContextCheckpoint || v.Reason == "" || v.SystemMessage == "" || strings.Contains(v.Reason, fallbackSign) {
		w.t.Errorf("verdict %+v", v)
	}
}

// fallback expects a signal, and that nothing at all has changed.
func (w *world) fallback(before string, v event.Verdict, reason string) {
	w.t.Helper()
	a := v.Autonomous
	if a == nil || a.ExecutedDirectly || a.Committed || a.Commit != nil || a.Pushed != "no" || a.SkippedReason == nil || *a.SkippedReason != reason {
		w.t.Errorf("want the fallback for %s, got %+v %q", reason, a, v.SystemMessage)
	}
	if !strings.Contains(v.Reason, fallbackSign) {
		w.t.Errorf("no signal in %q", v.Reason)
	}
	if before != "" {
		if after := w.state(); after != before {
			w.t.Errorf("something changed:\nbefore\n%s\nafter\n%s", before, after)
		}
	}
	if safefile.Exists(filepath.Join(w.home, ".claude", "continuation-prompt.md")) {
		w.t.Error("a hand-off was written although nothing was saved")
	}
}

// committedFiles are the paths of the newest commit.
func (w *world) committedFiles() string {
	w.t.Helper()
	return strings.ReplaceAll(w.git("show", "--format=", "--name-only", "HEAD"), "\n", " ")
}

func TestCommitsNotesAndSavesWork(t *testing.T) {
	w := newWorld(t).repo()
	w.origin("work")
	w.dirty()
	w.write("buildguide.md", "- [x] one\n- [ ] two ``` <b>\n- [ ] three\n")
	w.write(".claude/current-build.local.md", "---\nfeature: \"login\"\nphase: build\niteration: 3\n---\n")
	v := w.block()
	w.expect(v, true, "yes", "")
	if got := w.committedFiles(); got != "CLAUDE.md buildguide.md" {
		t.Errorf("committed %s", got)
	}
	body := w.git("show", "-s", "--format=%B", "HEAD")
	for _, want := range []string{"checkpoint: auto-checkpoint\n\nAuto-checkpoint triggered by context threshold.\n", "45%", "90,000 of 200,000", "\nCo-Authored-By: "} {
		if !strings.Contains(body, want) {
			t.Errorf("commit message lacks %q:\n%s", want, body)
		}
	}
	for _, want := range []string{"## Last Session\n\n- Time: 2026-03-04 05:07:07 UTC", "- Branch: `work`", "feature `login`, phase `build`, iteration `3` (active)", "- Next: ```` two ``` <b> ````", "\n\n## Next Steps\n\n- more\n"} {
		if !strings.Contains(w.read("CLAUDE.md"), want) {
			t.Errorf("CLAUDE.md lacks %q:\n%s", want, w.read("CLAUDE.md"))
		}
	}
	if got := w.git("status", "--porcelain", "--untracked-files=all"); got != " M code.go\n?? .claude/current-build.local.md\n?? \"new file.txt\"" {
		t.Errorf("status after:\n%s", got)
	}
	ref := "refs/gauntlet/checkpoints/session-1/1"
	if w.git("show", ref+":code.go") != strings.TrimSpace(w.read("code.go")) || w.git("show", ref+":new file.txt") != "new" {
		t.Error("the snapshot does not contain the work")
	}
	if w.git("rev-parse", ref+"^") != w.git("rev-parse", "HEAD") || w.git("rev-parse", "origin/work") != w.git("rev-parse", "HEAD") {
		t.Error("snapshot or remote are not where HEAD is")
	}
	prompt := w.readHome(".claude/continuation-prompt.md")
	if prompt != v.Reason+"\n" || prompt != w.readHome(".claude/continuations/session-1.md") {
		t.Error("hand-off files and reason differ")
	}
	for _, want := range []string{"project: project", "next open item of buildguide.md: two ``` <b>", "````text\n", ref} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
	if got := w.read(".claude/auto-continue.local.md"); !strings.HasPrefix(got, "---\nactive: true\niteration: 1\nthreshold: 40\nlast_percent: 45\nlast_compact: 2026-03-04T05:07:07Z\n---\n") {
		t.Errorf("iteration file:\n%s", got)
	}
	for line := range strings.Lines(w.readHome(".claude/auto-continue.log")) {
		if _, err := time.Parse("[2006-01-02 15:04:05] ", line[:22]); err != nil {
			t.Errorf("log line %q: %v", line, err)
		}
	}
	// Again, five points later: one more commit, the next snapshot, the next iteration.
	w.use = &event.ContextUse{Tokens: 100_000, Window: 200_000}
	w.expect(w.block(), true, "yes", "")
	if !strings.Contains(w.read(".claude/auto-continue.local.md"), "iteration: 2\n") || w.git("rev-parse", "--verify", "refs/gauntlet/checkpoints/session-1/2") == "" {
		t.Error("the second checkpoint is not the second")
	}
	if got := w.git("rev-list", "--count", "HEAD"); got != "3" {
		t.Errorf("%s commits", got)
	}
}

func TestNothingToSave(t *testing.T) {
	w := newWorld(t).repo()
	w.origin("work")
	before := w.git("rev-parse", "HEAD")
	v := w.block()
	w.expect(v, false, "no", "no_changes")
	if w.git("rev-parse", "HEAD") != before || w.git("status", "--porcelain") != "" || w.git("for-each-ref", "refs/gauntlet") != "" {
		t.Error("something was made although there was nothing to save")
	}
	if !strings.Contains(v.SystemMessage, "nothing") || !strings.Contains(v.Reason, "nothing to save") {
		t.Errorf("it does not say so: %s\n%s", v.SystemMessage, v.Reason)
	}
}

func TestStagedStaysStaged(t *testing.T) {
	w := newWorld(t).repo()
	w.dirty()
	w.git("add", "new file.txt")
	w.write("code.go", "package code\n\nvar Staged = 1\n")
	w.git("add", "code.go")
	w.write("code.go", "package code\n\nvar Staged = 1\nvar Unstaged = 2\n")
	w.write("kept.txt", "stash me\n")
	staged, unstaged := w.git("diff", "--cached"), w.git("diff")
	w.expect(w.block(), true, "no", "")
	if got := w.committedFiles(); got != "CLAUDE.md" {
		t.Errorf("committed %s", got)
	}
	if w.git("diff", "--cached") != staged || w.git("diff") != unstaged {
		t.Errorf("what was staged changed:\n%s", w.git("status"))
	}
}

func TestPartlyStagedNotes(t *testing.T) {
	w := newWorld(t).repo()
	w.write("CLAUDE.md", "# Project, staged\n\n## Last Session\n\nold\n\n## Next Steps\n\n- more\n")
	w.git("add", "CLAUDE.md")
	w.write("CLAUDE.md", "# Project, staged\n\n## Last Session\n\nold\n\n## Next Steps\n\n- more\n- unstaged\n")
	w.expect(w.block(), true, "no", "")
	head, index, tree := w.git("show", "HEAD:CLAUDE.md"), w.git("show", ":CLAUDE.md"), w.read("CLAUDE.md")
	if strings.Contains(head, "staged") {
		t.Errorf("what was staged is in the commit:\n%s", head)
	}
	for name, doc := range map[string]string{"commit": head, "index": index, "work tree": tree} {
		if !strings.Contains(doc, "- Context: 45%") || strings.Contains(doc, "\nold\n") {
			t.Errorf("%s has no new section:\n%s", name, doc)
		}
	}
	if !strings.Contains(index, "# Project, staged") || strings.Contains(index, "- unstaged") || !strings.Contains(tree, "- unstaged") {
		t.Errorf("staged and unstaged changes are not what they were:\n%s\n%s", index, tree)
	}
}

func TestStagedNotesNewAndRemoved(t *testing.T) {
	t.Run("new", func(t *testing.T) {
		w := newWorld(t).repo()
		w.git("rm", "-q", "CLAUDE.md")
		w.git("commit", "-q", "-m", "without")
		w.write("CLAUDE.md", "mine\n")
		w.git("add", "CLAUDE.md")
		w.expect(w.block(), true, "no", "")
		if strings.Contains(w.git("show", "HEAD:CLAUDE.md"), "mine") || !strings.HasPrefix(w.git("show", ":CLAUDE.md"), "mine\n") {
			t.Errorf("the staged file is in the commit, or no longer staged:\n%s", w.git("status"))
		}
	})
	t.Run("removed", func(t *testing.T) {
		w := newWorld(t).repo()
		w.git("rm", "-q", "--cached", "CLAUDE.md")
		w.expect(w.block(), true, "no", "")
		if got := w.git("diff", "--cached", "--name-status"); got != "D\tCLAUDE.md" {
			t.Errorf("the staged removal is gone: %s", got)
		}
	})
}

func TestNewNotes(t *testing.T) {
	w := newWorld(t)
	w.git("init", "-q")
	w.write("a.txt", "a\n")
	w.write("s.txt", "s\n")
	w.git("add", "a.txt")
	w.git("commit", "-q", "-m", "first")
	w.git("add", "s.txt")
	w.expect(w.block(), true, "no", "")
	if got := w.committedFiles(); got != "CLAUDE.md" {
		t.Errorf("committed %s", got)
	}
	if got := w.git("status", "--porcelain"); got != "A  s.txt" {
		t.Errorf("status %q", got)
	}
	doc := w.read("CLAUDE.md")
	for _, want := range []string{"# project\n\n## Current Focus\n", "\n## Last Session\n\n- Time", "\n## Next Steps\n"} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
}

func TestByteExactness(t *testing.T) {
	for name, tc := range map[string]struct{ doc, before, after string }{
		"CRLF":        {"# P\r\n\r\n## Last Session\r\nold\r\n\r\n## N\r\nx\r\n", "# P\r\n\r\n## Last Session\r\n\r\n- Time", "\r\n\r\n## N\r\nx\r\n"},
		"BOM":         {"\ufeff## Last Session\nold", "\ufeff## Last Session\n\n- Time", "its threshold."},
		"fence":       {"```\n## Last Session\n```\n\n## Last Session 2020\nold\n~~~\n## N\n~~~\n# E\n", "```\n## Last Session\n```\n\n## Last Session 2020\n\n- Time", "threshold.\n\n# E\n"},
		"comment":     {"<!--\n## Last Session\n-->\nx\n", "<!--\n## Last Session\n-->\nx\n\n## Last Session\n\n- Time", "threshold.\n"},
		"two":         {"## Last Session\na\n## Last Session\nb\n", "## Last Session\n\n- Time", "\n\n## Last Session\nb\n"},
		"no UTF-8":    {"\xff\n## Last Session\nold\n## \xfe\n", "\xff\n## Last Session\n\n- Time", "\n\n## \xfe\n"},
		"no section":  {"text", "text\n\n## Last Session\n\n- Time", "threshold."},
		"empty":       {"", "## Last Session\n\n- Time", "threshold.\n"},
		"huge":        {strings.Repeat("a line of text\n", 700_000) + "## Last Session\nold\n", strings.Repeat("a line of text\n", 700_000) + "## Last Session\n\n- Time", "threshold.\n"},
		"odd newline": {"a\r\nb\n## Last Session\nold\n# e\r\n", "a\r\nb\n## Last Session\n\n- Time", "threshold.\n\n# e\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).repo()
			w.write("CLAUDE.md", tc.doc)
			w.git("-c", "core.autocrlf=false", "commit", "-qam", "notes")
			w.dirty()
			v := w.block()
			w.expect(v, true, "no", "")
			got := w.read("CLAUDE.md")
			if !strings.HasPrefix(got, tc.before) || !strings.HasSuffix(got, tc.after) {
				t.Errorf("got\n%.2000q", got)
			}
			if two := strings.Contains(v.SystemMessage, "CLAUDE.md:"); two != (name == "two") {
				t.Errorf("warning about a second section: %s", v.SystemMessage)
			}
			if w.git("status", "--porcelain", "CLAUDE.md") != "" {
				t.Error("CLAUDE.md is not wholly committed")
			}
		})
	}
}

func TestMessageTemplate(t *testing.T) {
	w := newWorld(t).repo().dirty()
	w.conf.Message = "wip {percent}% {tokens}/{window} on {branch}\n\n# for {session}"
	w.conf.CoAuthor = "Robot <robot@example.com>\nX: y"
	w.block()
	if got := w.git("show", "-s", "--format=%B"); got != "wip 45% 90000/200000 on main\n\n# for session-1\n\nCo-Authored-By: Robot <robot@example.com> X: y" {
		t.Errorf("got %q", got)
	}
}

func TestHostileNames(t *testing.T) {
	w := newWorld(t).repo()
	w.id = "../../evil\n`x`"
	for _, n := range []string{"-rf", "a\nb", "## Last Session", "quote\"'`", "ünï", ":(top)x", "sp ace"} {
		w.write(n, "x")
	}
	w.git("checkout", "-q", "-b", "b`$(touch${IFS}pwned)`")
	w.write(".claude/current-build.local.md", "feature: ```\nphase: $(touch pwned)\n")
	w.expect(w.block(), true, "no", "")
	if safefile.Exists(filepath.Join(w.root, "pwned")) || safefile.Exists(filepath.Join(w.home, "evil.md")) {
		t.Error("text was evaluated")
	}
	if got := len(strings.Split(w.git("ls-tree", "-r", "--name-only", w.git("for-each-ref", "--format=%(refname)", "refs/gauntlet")), "\n")); got != 10 {
		t.Errorf("%d files in the snapshot", got)
	}
	if n := strings.Count(w.read("CLAUDE.md"), "\n## "); n != 2 {
		t.Errorf("%d headings:\n%s", n, w.read("CLAUDE.md"))
	}
}

func TestWorkMode(t *testing.T) {
	w := newWorld(t).repo()
	w.origin("work")
	w.conf.Commit = "work"
	w.write(".gitignore", "ignored\n")
	w.write("ignored", "x")
	w.dirty()
	w.git("add", "new file.txt")
	w.git("mv", "code.go", "moved.go")
	v := w.block()
	w.expect(v, true, "yes", "")
	if got := w.committedFiles(); got != ".gitignore CLAUDE.md code.go moved.go new file.txt" && got != ".gitignore CLAUDE.md moved.go new file.txt" {
		t.Errorf("committed %s", got)
	}
	if got := w.git("status", "--porcelain"); got != "" {
		t.Errorf("left over:\n%s", got)
	}
	if w.git("for-each-ref", "refs/gauntlet") != "" {
		t.Error("a snapshot too")
	}
}

func TestWorkModeRefusesSecrets(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	w := newWorld(t).repo()
	w.conf.Commit = "work"
	w.write("known.txt", "token "+secret+"\nold\n")
	w.git("add", ".")
	w.git("commit", "-qm", "a secret that is in the history already")
	w.write("known.txt", "token "+secret+"\nnew\n")
	w.write("dir/con fig.txt", "a\nb\ntoken = "+secret+"\n")
	before := w.state()
	v := w.block()
	w.fallback(before, v, "secrets_found")
	for _, text := range []string{v.Reason, v.SystemMessage, v.Message, w.readHome(".claude/auto-continue.log")} {
		if strings.Contains(text, secret) {
			t.Errorf("the secret itself is shown: %s", text)
		}
	}
	if !strings.Contains(v.SystemMessage, "dir/con fig.txt:3") || strings.Contains(v.SystemMessage, "known.txt") {
		t.Errorf("the place is not named: %s", v.SystemMessage)
	}
}

func TestReadOnlyGitDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("runs as root: permissions do not bind, the directory is replaced by a file instead")
	}
	w := newWorld(t).repo().dirty()
	w.writeAt(filepath.Join(w.root, ".git"), "gauntlet", "a file where our directory should be")
	w.fallback(w.state(), w.block(), "git_failed")
}

func TestManyChanges(t *testing.T) {
	w := newWorld(t).repo()
	for i := range 30 {
		w.write(fmt.Sprintf("dir/f%02d", i), "x")
	}
	w.block()
	if !strings.Contains(w.read("CLAUDE.md"), "- Changed: 30 files: `dir/f00`, ") || !strings.Contains(w.read("CLAUDE.md"), " and 20 more\n") {
		t.Error(w.read("CLAUDE.md"))
	}
}
