package script

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// hiding is a way to change content so that git shows nothing new. prepare is what can be
// done in an earlier turn, act brings the bad content.
type hiding struct{ name, prepare, act string }

// hidings are combined: each with and without a transcript that shows an opaque command, in
// one turn or two, alone or with a second one.
var hidings = []hiding{
	{"committed with an old date", ``, `echo BAD > a.txt; GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git commit -qam x`},
	{"below an empty commit with an old date", ``, `echo BAD > a.txt; git commit -qam x; GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git commit -q --allow-empty -m y`},
	{"committed, pushed, the base moved", ``, `echo BAD > a.txt; git commit -qam x; git push -qf origin HEAD:main; git branch -f base`},
	{"a split index, assumed unchanged", `git update-index --split-index`, `git update-index --assume-unchanged a.txt; echo BAD > a.txt`},
	{"not looked at", ``, `git update-index --skip-worktree a.txt; echo BAD > a.txt`},
	{"times put back", `git config core.trustctime false; git config core.checkStat minimal; touch -d 2020-01-01 a.txt; git update-index -q --refresh`, `touch -r a.txt ../r; echo BAAD > a.txt; touch -r ../r a.txt`},
	{"dirty before, times put back", `echo 'GOOD 2' > a.txt`, `touch -r a.txt ../r; printf 'BAD  2\n' > a.txt; touch -r ../r a.txt`},
	{"untracked before, times put back", `echo one > new.txt`, `touch -r new.txt ../r; echo BAD > new.txt; touch -r ../r new.txt`},
	{"modes that do not count", `git config core.fileMode false`, `chmod +x a.txt`},
	{"names that differ in case", `git config core.ignoreCase true`, `echo x > A.TXT; git config status.showUntrackedFiles no`},
	{"line endings by a setting", `git config core.autocrlf input`, `printf 'GOOD\r\n' > a.txt; git add a.txt 2> /dev/null`},
	{"line endings by attributes", `mkdir -p .git/info; echo '*.txt text eol=lf' > .git/info/attributes`, `printf 'GOOD\r\n' > a.txt; git add a.txt 2> /dev/null`},
	{"a clean filter", `git config filter.lie.clean 'echo GOOD'; mkdir -p .git/info; echo 'a.txt filter=lie' > .git/info/attributes`, `echo BAD > a.txt; git add a.txt`},
	{"excluded", ``, `mkdir -p .git/info; echo bad.txt >> .git/info/exclude; echo x > bad.txt`},
	{"ignored by a committed rule", ``, `echo bad.txt >> .gitignore; git commit -qam i; echo x > bad.txt`},
	{"ignored by the user's settings", ``, `echo bad.txt > ~/hide; git config --global core.excludesFile '~/hide'; echo x > bad.txt`},
	{"a repository within that is never looked at", `git config diff.ignoreSubmodules all; git config submodule.sub.ignore all`, `echo BAD > sub/s.txt`},
	{"hidden in a repository within", ``, `git -C sub update-index --assume-unchanged s.txt; echo BAD > sub/s.txt`},
	{"excluded in a repository within", ``, `mkdir -p .git/modules sub/.git/info; echo bad.txt >> sub/.git/info/exclude; echo x > sub/bad.txt`},
	{"behind a link", ``, `echo BAD > ../out/f`},
	{"reset to an older commit", ``, `git reset -q --hard bad`},
	{"pushed and left, without reflogs", `rm -rf .git/logs; git config core.logAllRefUpdates false`, `echo BAD > a.txt; git commit -qam x; git push -qf origin HEAD:other; git reset -q --hard HEAD~1`},
	{"the memory deleted", ``, `echo BAD > a.txt; git commit -qam x; git branch -f base; rm -r .git/gauntlet/sessions`},
	{"the accounts deleted", ``, `echo BAD > a.txt; git commit -qam x; git branch -f base; rm -r .git/gauntlet/accounts`},
}

// hidingWorld is a project in which every hiding can be tried; a person has agreed to its
// policy, and has heard of it.
const hidingWorld = `mkdir -p ../home ../out .gauntlet/checks && git -c init.defaultBranch=main init -q .
printf 'base_branch: base\nmax_retries: 9\nstop_hook: {run_interval_minutes: 0, preset: strict}\nentry_points: [{path: ., checks: [t]}]\n' > .gauntlet/config.yml
printf 'command: "grep -q GOOD a.txt \x26\x26 ! grep -rqs BAD . --include=*.txt \x26\x26 ! grep -q \"$(printf '"'"'\\\\r'"'"')\" a.txt \x26\x26 test ! -e bad.txt -a ! -e sub/bad.txt -a ! -x a.txt -a ! -e A.TXT \x26\x26 ! grep -qs BAD link/f"\n' > .gauntlet/checks/t.yml
printf 'gauntlet_logs\n' > .gitignore
echo GOOD > a.txt; ln -s ../out link; echo one > ../out/f
git add -A; git commit -qm base; git branch base
git init -q sub; echo s > sub/s.txt; git -C sub add s.txt; git -C sub commit -qm s; git add sub 2> /dev/null; printf '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n' > .gitmodules; git add -A; git commit -qm sub; git branch -f base
git switch -qc bad; echo BAD > a.txt; git commit -qam bad; git switch -q main
git init -q --bare ../origin.git; git remote add origin ../origin.git; git push -q origin main
gauntlet allow --yes > /dev/null; gauntlet install --user --agent claude > /dev/null
`

const promptOf = `printf '{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"%s","cwd":"%s"}' go "$PWD" | gauntlet hook prompt --agent claude
sleep 0.02
`

// TestHidden tries the ways in which content can be hidden from git. Each is judged, or the
// person is told. GAUNTLET_TRICKS=all tries every combination.
func TestHidden(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("SKIPPED LOUDLY: the tricks need a Unix shell")
	}
	all := os.Getenv("GAUNTLET_TRICKS") == "all"
	for i, first := range hidings {
		for k, second := range append([]hiding{{}}, hidings...) {
			alone := second.name == ""
			if second.name == first.name || !all && !alone && k != (i+7)%len(hidings)+1 {
				continue
			}
			for n := range 4 {
				opaque, turns := n&1 > 0, 1+n>>1
				if !all && (alone && n != (i%2)*3 && n != 1 || !alone && n != 1) {
					continue
				}
				t.Run(strings.ReplaceAll(fmt.Sprintf("%s,%s,opaque=%v,turns=%d", first.name, second.name, opaque, turns), " ", "_"), func(t *testing.T) {
					t.Parallel()
					tryHidden(t, first, second, opaque, turns)
				})
			}
		}
	}
}

func tryHidden(t *testing.T, first, second hiding, opaque bool, turns int) {
	w := emptyTrickWorld(t)
	w.sh(hidingWorld + promptOf)
	w.stop(w.repo) // the person hears what was agreed to
	prepare, act := first.prepare+"\n"+second.prepare, first.act+"\n"+second.act
	if first.name == "dirty before, times put back" || first.name == "untracked before, times put back" || turns == 2 {
		w.sh(promptOf + prepare)
		w.stop(w.repo)
		w.sh(promptOf)
	} else {
		w.sh(promptOf + prepare)
	}
	status := func() string { return w.sh("git status --porcelain 2> /dev/null; true") }
	before := status()
	if opaque {
		act = callsShown + act + "\nran 'sh x.sh'"
	}
	out := w.sh("{ " + act + "\n} 2>&1; true")
	if now := status(); second.name == "" && now != before {
		t.Fatalf("git shows it, so nothing is hidden: before %q, now %q\n%s", before, now, out)
	}
	if v := w.stop(w.repo); v.Decision != "block" && v.SystemMessage == "" {
		t.Errorf("silent approval: %+v\n%s", v, out)
	}
}

// TestHonest: what honest agents and people do beside all this is not disturbed.
func TestHonest(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("SKIPPED LOUDLY: the turns are written in shell")
	}
	for name, tt := range map[string]struct{ act, status string }{
		"a question":                    {``, "no_changes"},
		"touched":                       {`touch a.txt sub/s.txt`, "no_changes"},
		"a formatter, same bytes":       {`cp a.txt ../k; cat ../k > a.txt`, "no_changes"},
		"away and back":                 {`git switch -qc other; echo 'GOOD 3' > a.txt; git commit -qam x; git switch -q main; git branch -qD other`, "no_changes"},
		"an edit":                       {`echo 'GOOD 2' > a.txt`, "passed"},
		"a commit":                      {`echo 'GOOD 2' > a.txt; git commit -qam x`, "passed"},
		"a rebase":                      {`git switch -qc f HEAD~1; echo n > n.txt; git add n.txt; git commit -qm n; git rebase -q main; git switch -q main; git merge -q f`, "passed"},
		"a name in another case":        {`git mv a.txt A2.txt; git mv A2.txt a.txt; git mv .gitignore x; git mv x .gitignore`, "no_changes"},
		"work in a repository":          {`echo t > sub/s.txt; git -C sub commit -qam t; git add sub; git commit -qm sub`, "passed"},
		"ignored output":                {`mkdir gauntlet_logs; echo x > gauntlet_logs/x.txt`, "no_changes"},
		"a new rule and what it is for": {`echo build >> .gitignore; mkdir build; echo o > build/o`, "passed"},
		"many files":                    {`mkdir m; i=0; while [ $i -lt 500 ]; do echo $i > m/$i; i=$((i+1)); done`, "passed"},
		"stash and pop":                 {`echo 'GOOD 2' > a.txt; git stash -q; git stash pop -q`, "passed"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := emptyTrickWorld(t)
			w.sh(hidingWorld + promptOf)
			w.stop(w.repo)
			out := w.sh(promptOf + tt.act)
			if v := w.stop(w.repo); v.Decision != "approve" || v.Status != tt.status || v.SystemMessage != "" {
				t.Errorf("%+v, want %s\n%s", v, tt.status, out)
			}
		})
	}
}
