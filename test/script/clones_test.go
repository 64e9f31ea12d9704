package script

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile is a repository that tries to run code, or to write files, on the machine of a
// person who clones it, or unpacks it as an archive with its .git (archive), and never
// allows its policy. Whatever it contains: nothing of it runs, no file outside it is
// written, there is an answer in time, and the person sees that nothing was judged.
type hostile struct {
	name, script string
	archive      bool
	// env is added to the victim's environment, after the PATH.
	env []string
	// quiet: there is nothing to be judged.
	quiet bool
}

// pwn must never run: it creates a file outside the repository.
const pwn = `printf '#!/bin/sh\ntouch %s/PWNED\nexec cat\n' "$BASE" > evil.sh; chmod +x evil.sh; `

var hostiles = []hostile{
	{name: "a check", script: pwn + `echo "command: $PWD/evil.sh" > .gauntlet/checks/t.yml`},
	{name: "a check with a library to preload", script: pwn + `printf 'command: make\nenv: {LD_PRELOAD: ./evil.so, BASH_ENV: ./evil.sh}\n' > .gauntlet/checks/t.yml`},
	{name: "a tool that is asked for its version", script: pwn + `printf 'command: make\ntools: ["sh ./evil.sh"]\n' > .gauntlet/checks/t.yml`},
	{name: "tests of the checkpoint", script: pwn + `printf 'checkpoint: {min_turn_seconds: 0, tests: {command: ./evil.sh}}\n' >> .gauntlet/config.yml`},
	{name: "autonomy", script: pwn + `printf 'autonomy: {enabled: true, commit: work}\n' >> .gauntlet/config.yml; mkdir .git/hooks 2> /dev/null; cp evil.sh .git/hooks/pre-commit`, archive: true},
	{name: "a file system monitor", script: pwn + `git config core.fsmonitor ./evil.sh`, archive: true},
	{name: "hooks", script: pwn + `git config core.hooksPath .; for h in post-index-change reference-transaction pre-commit post-checkout; do cp evil.sh $h; done`, archive: true},
	{name: "a clean filter", script: pwn + `git config filter.x.clean ./evil.sh; git config filter.x.process ./evil.sh; echo '* filter=x' > .gitattributes`, archive: true},
	{name: "a diff driver and a textconv", script: pwn + `git config diff.external ./evil.sh; git config diff.x.textconv ./evil.sh; git config diff.x.command ./evil.sh; echo '* diff=x' > .gitattributes`, archive: true},
	{name: "settings that include others", script: pwn + `git config include.path ../more; printf '[core]\n\tfsmonitor = ./evil.sh\n\tsshCommand = ./evil.sh\n\tpager = ./evil.sh\n' > more`, archive: true},
	{name: "a credential helper, a signer, an editor", script: pwn + `git config credential.helper ./evil.sh; git config gpg.program ./evil.sh; git config commit.gpgSign true; git config core.editor ./evil.sh; git config core.askPass ./evil.sh`, archive: true},
	{name: "alternates and their command", script: pwn + `git config core.alternateRefsCommand ./evil.sh; mkdir -p .git/objects/info; echo "$BASE/nowhere" > .git/objects/info/alternates`, archive: true},
	{name: "a submodule with a command for an address", script: pwn + `printf '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c ./evil.sh\n\tupdate = !./evil.sh\n' > .gitmodules; cp .gitmodules .git/modules.txt; git config submodule.x.url 'ext::sh -c ./evil.sh'`, archive: true},
	{name: "a git of its own in a relative PATH", script: `printf '#!/bin/sh\ntouch %s/PWNED\n' "$BASE" > git; chmod +x git; mkdir -p node_modules/.bin; cp git node_modules/.bin/git; cp git node_modules/.bin/sh`, env: []string{".", "node_modules/.bin", "./bin"}},
	{name: "the git directory of a project that was allowed", script: pwn + `cp evil.sh run.sh; rm -rf .git; echo "gitdir: $BASE/allowed/.git" > .git`, archive: true},
	{name: "the common directory of a project that was allowed", script: pwn + `cp evil.sh run.sh; echo "$BASE/allowed/.git" > .git/commondir`, archive: true},
	{name: "a work tree of a project that was allowed", script: pwn + `cp evil.sh run.sh; git config core.worktree "$BASE/allowed"`, archive: true},
	{name: "the policy a link to one that was allowed", script: pwn + `cp evil.sh run.sh; rm -rf .gauntlet; ln -s "$BASE/allowed/.gauntlet" .gauntlet`},
	{name: "anchors upon anchors", script: `{ echo 'a0: &a0 [x, x, x, x, x, x, x, x, x]'; for i in 1 2 3 4 5 6 7 8 9; do p=$((i-1)); echo "a$i: &a$i [*a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p]"; done; echo 'entry_points: *a9'; } > .gauntlet/config.yml`},
	{name: "a policy of links in a circle", script: `ln -s ../checks .gauntlet/checks/loop; ln -s ../.. .gauntlet/up; ln -s loop.yml .gauntlet/checks/loop.yml`},
	{name: "a policy of many files", script: `for i in $(seq 3000); do echo 'command: "true"' > .gauntlet/checks/c$i.yml; done`},
	{name: "logs outside", script: `mkdir "$HOME/mine"; echo keep > "$HOME/mine/previous"; printf 'log_dir: %s\ndebug_log: {enabled: true}\n' "$HOME/mine" >> .gauntlet/config.yml`},
	{name: "logs through a link", script: `mkdir -p "$HOME/mine"; ln -s "$HOME/mine" gauntlet_logs`},
	{name: "memory through a link", script: `mkdir "$HOME/mine"; ln -s "$HOME/mine" .git/gauntlet`, archive: true},
	{name: "a repository without a policy that has notes", script: `rm -rf .gauntlet; mkdir -p .git/gauntlet/autonomy .git/gauntlet/sessions; printf '{"head":"%s","notes":"%s/PWNED","rel":"CLAUDE.md","existed":true,"mode":420,"after":""}' "$(git rev-parse HEAD)" "$BASE" > .git/gauntlet/autonomy/undo.json; echo x > .git/gauntlet/autonomy/notes-before; echo '{}' > .git/gauntlet/off`, archive: true, quiet: true},
	{name: "names that are commands", script: `echo 'command: "true"' > '.gauntlet/checks/$(touch PWNED).yml'; echo x > '; touch PWNED ;'; echo x > '--upload-pack=touch PWNED'; git checkout -q -b -- '$(touch${IFS}PWNED)' 2> /dev/null; git add -A`},
}

func TestHostileClones(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("mkfifo"); err != nil {
		t.Skip("SKIPPED LOUDLY: hostile repositories are made with a Unix shell")
	}
	for _, h := range hostiles {
		t.Run(strings.ReplaceAll(h.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newVictim(t, h)
			before := listing(t, w.home)
			for range 2 { // the first stop of a session, and one more
				w.hook("hook", "prompt", `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"go"}`)
				v := w.stop()
				t.Logf("%s %s: %s", v.Decision, v.Status, v.SystemMessage)
				if v.Decision != "approve" || !h.quiet && v.Status != "untrusted" && v.Status != "no_config" {
					t.Errorf("%+v", v)
				}
				w.hook("hook", "tool", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"make"}}`)
				w.hook("hook", "session-start", `{"hook_event_name":"SessionStart","session_id":"s","source":"startup"}`)
			}
			for _, c := range []string{
				"list", "validate", "config", "allow", "run", "check", "review", "detect", "doctor", "proofs", "proofs show t", "proofs forget", "owed", "explain", "log", "stats",
				"state", "state list", "ship check", "snapshots", "baseline show", "baseline create", "replay --history", "replay --commits 1", "ci init --dry-run", "reviewers", "handoff", "auto",
				"init --dry-run --diff", "init --suggest", "init --json", "install --dry-run", "clean --dry-run", "observe t", "enforce t", "config migrate",
			} {
				w.look(strings.Fields(c)...) // showing it is harmless, whatever it contains
			}
			w.unharmed(before)
		})
	}
}

// TestHostileClones would prove nothing if the victim's commands were never run: once
// allowed, they run.
func TestAllowedPolicyRuns(t *testing.T) {
	t.Parallel()
	h := hostiles[0]
	w := newVictim(t, h)
	w.look("allow", "--yes")
	if v := w.stop(); v.Status != "passed" {
		t.Errorf("%+v", v)
	}
	if !fileExists(filepath.Join(w.base, "PWNED")) {
		t.Error("the check did not run")
	}
}

// victim is a person with an allowed project, who now has another one.
type victim struct {
	t                *testing.T
	base, home, repo string
	env              []string
}

func newVictim(t *testing.T, h hostile) *victim {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &victim{t: t, base: base, home: filepath.Join(base, "home"), repo: filepath.Join(base, "repo")}
	path := strings.Join(append(slices.Clone(h.env), os.Getenv("PATH")), ":")
	w.env = []string{
		"HOME=" + w.home, "XDG_STATE_HOME=" + filepath.Join(base, "state"), "BASE=" + base, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8", "GAUNTLET_SLOTS=0", "GAUNTLET_AHEAD=0", "GAUNTLET_WATCH=off",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com",
	}
	honest := append(slices.Clone(w.env), "PATH="+os.Getenv("PATH"))
	w.env = append(w.env, "PATH="+path)
	w.run(honest, base, `mkdir -p home allowed/.gauntlet/checks && cd allowed && git -c init.defaultBranch=main init -q
printf 'stop_hook: {run_interval_minutes: 0}\nentry_points: [{path: ., checks: [t]}]\n' > .gauntlet/config.yml
echo 'command: ./run.sh' > .gauntlet/checks/t.yml
git add -A && git commit -qm base && gauntlet allow --yes > /dev/null`)
	origin := filepath.Join(base, "repo")
	if !h.archive {
		origin = filepath.Join(base, "origin")
	}
	w.run(honest, base, `mkdir -p `+origin+`/.gauntlet/checks && cd `+origin+` && git -c init.defaultBranch=main init -q
printf 'stop_hook: {run_interval_minutes: 0}\nentry_points: [{path: ., checks: [t]}]\n' > .gauntlet/config.yml
echo 'command: "true"' > .gauntlet/checks/t.yml; echo x > file
git add -A && git commit -qm base
`+h.script+`
true`)
	if !h.archive {
		w.run(honest, base, `cd origin && git add -A && git commit -q --allow-empty -m hostile && cd .. && git clone -q origin repo`)
	}
	w.run(honest, base, `rm -f PWNED; echo changed >> repo/file; echo new > repo/new.txt`)
	return w
}

func (w *victim) run(env []string, dir, script string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s\n%s", err, script, out)
	}
}

// call runs gauntlet in the hostile repository.
func (w *victim) call(stdin string, args ...string) ([]byte, error) {
	gauntlet, err := exec.LookPath("gauntlet")
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.t.Context(), gauntlet, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.repo, w.env, strings.NewReader(stdin)
	cmd.WaitDelay = 20 * time.Second
	return cmd.Output()
}

func (w *victim) hook(name, event, payload string) {
	w.t.Helper()
	if _, err := w.call(payload, name, event, "--agent", "claude"); err != nil {
		w.t.Errorf("%s %s: %v", name, event, err)
	}
}

func (w *victim) look(args ...string) { _, _ = w.call("", args...) }

func (w *victim) stop() (v trickVerdict) {
	w.t.Helper()
	out, err := w.call(`{"hook_event_name":"Stop","session_id":"s","stop_hook_active":false}`, "stop-hook", "--agent", "claude")
	if err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		w.t.Fatalf("%v: %q", err, out)
	}
	return v
}

// unharmed checks that nothing ran, and that the home is unchanged.
func (w *victim) unharmed(before []string) {
	w.t.Helper()
	for _, dir := range []string{w.base, w.repo, filepath.Join(w.base, "allowed")} {
		if fileExists(filepath.Join(dir, "PWNED")) {
			w.t.Errorf("code of the hostile repository ran, or it wrote a file: %s", dir)
		}
	}
	if after := listing(w.t, w.home); !slices.Equal(before, after) {
		w.t.Errorf("written into the home:\n%q\nbefore:\n%q", after, before)
	}
}

// listing is every file below a directory with its size.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			b, _ := os.ReadFile(path)
			out = append(out, path+": "+string(b))
		} else {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
