package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var fastPaths = section{
	title: "Hook fast paths",
	method: "`gauntlet stop-hook` when there is nothing to judge, beside an empty Go program started the same way with the same bytes on stdin. " +
		"This is what every stop of every agent pays. The second row does nothing either, but is linked with what the page is built with.",
	measure: func(b *bench, t *table) error {
		bare := filepath.Join(b.dir, "bare")
		if err := os.MkdirAll(bare, 0o755); err != nil {
			return err
		}
		if err := b.do(bare, "git", "init", "-q"); err != nil {
			return err
		}
		with, err := b.repository("fast", 10, project(false, "true"))
		if err != nil {
			return err
		}
		failing, err := b.repository("failing", 10, project(false, "false"))
		if err != nil {
			return err
		}
		if err := b.touch(failing)(0); err != nil {
			return err
		}
		again := func(dir string) string {
			return strings.Replace(event(dir, "/nowhere.jsonl", 1, ""), `"stop_hook_active":false`, `"stop_hook_active":true`, 1)
		}
		if out, err := b.hook(failing, event(failing, "/nowhere.jsonl", 1, "")).Output(); err != nil || !strings.Contains(string(out), `"decision":"block"`) {
			return fmt.Errorf("the first stop was not blocked: %s (%w)", out, err)
		}
		off := filepath.Join(b.dir, "off")
		if err := write(off, ".gauntlet/config.yml", "entry_points: []\nstop_hook:\n  enabled: false\ncheckpoint: {}\n"); err != nil {
			return err
		}
		stop := event(bare, "/nowhere.jsonl", 1, "")
		path := func(status, name, dir, input string, env ...string) subject {
			return subject{
				name:  "`" + status + "`" + name,
				steps: func(int) []*exec.Cmd { return one(b.hook(dir, input, env...)) },
				check: printed(`"status":"`+status+`"`, 0),
			}
		}
		rows, err := b.race(200,
			subject{name: "empty Go program", steps: func(int) []*exec.Cmd {
				cmd := b.command(bare, b.empty)
				cmd.Stdin = strings.NewReader(stop)
				return one(cmd)
			}},
			subject{name: "empty, with `net/http` and `html/template` linked", steps: func(int) []*exec.Cmd {
				cmd := b.command(bare, b.linked)
				cmd.Stdin = strings.NewReader(stop)
				return one(cmd)
			}},
			path("stop_hook_active", ", inside a review", bare, stop, "GAUNTLET_STOP_HOOK_ACTIVE=1"),
			path("invalid_input", "", bare, "this is not JSON"),
			path("subagent", "", bare, strings.Replace(stop, `"Stop"`, `"SubagentStop","agent_id":"a1","agent_type":"Explore"`, 1)),
			path("no_config", "", bare, stop),
			path("stop_hook_active", ", second stop of a turn", with, again(with)),
			path("stop_hook_active", ", second stop after a block, which is recorded", failing, again(failing)),
			path("stop_hook_disabled", ", configuration read", off, event(off, "/nowhere.jsonl", 1, "")),
		)
		if err != nil {
			return err
		}
		t.add(rows...)
		for _, r := range rows[2:7] {
			ratio := float64(r.median) / float64(rows[0].median)
			b.promise(t, ratio <= 2, r.name+" takes at most twice an empty Go program", "%.2f×", ratio)
		}
		return nil
	},
}

// contest is gauntlet and its peers on one repository, after one staged change each round.
func (b *bench) contest(dir string, exit int) []subject {
	said := "Status: Passed"
	if exit != 0 {
		said = "Status: Failed"
	}
	subjects := []subject{{
		name: "`gauntlet run`", before: b.touch(dir), check: printed(said, exit),
		steps: func(int) []*exec.Cmd { return one(b.command(dir, b.gauntlet, "run")) },
	}}
	if b.lefthook == "" {
		return subjects
	}
	peerSays := func(stdout string, got int) error {
		if got != exit {
			return fmt.Errorf("exit %d, want %d: %s", got, exit, stdout)
		}
		return nil
	}
	return append(subjects,
		subject{
			name: "`lefthook run pre-commit`", before: b.touch(dir), check: peerSays,
			steps: func(int) []*exec.Cmd { return one(b.command(dir, b.lefthook, "run", "pre-commit")) },
		},
		subject{
			name: "`prek run`", before: b.touch(dir), check: peerSays,
			steps: func(int) []*exec.Cmd { return one(b.command(dir, b.prek, "run")) },
		},
	)
}

var oneCheck = section{
	title:  "One trivial check",
	method: "One check, `true`, after a change to one file of ten (staged: the peers look only at the index; gauntlet also finds unstaged and untracked changes, and takes a snapshot of the tree after the run).",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("one", 10, project(false, "true"))
		if err != nil {
			return err
		}
		rows, err := b.race(40, append(b.contest(dir, 0), subject{
			name: "`gauntlet stop-hook`, the same judged at a stop", before: b.touch(dir), check: printed(`"status":"passed"`, 0),
			steps: func(round int) []*exec.Cmd { return one(b.hook(dir, event(dir, "/nowhere.jsonl", round, ""))) },
		})...)
		if err != nil {
			return err
		}
		t.add(rows...)
		b.notSlower(t, rows)
		return nil
	},
}

var tenParallel = section{
	title:  "Ten checks in parallel",
	method: "Ten checks, each `sleep 0.2`, all allowed to run beside each other (`parallel`; prek: one `priority`, `PREK_CONCURRENT_HOOKS=16`).",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("ten", 10, project(true, strings.Split(strings.Repeat("sleep 0.2|", 9)+"sleep 0.2", "|")...))
		if err != nil {
			return err
		}
		rows, err := b.race(10, b.contest(dir, 0)...)
		if err != nil {
			return err
		}
		t.add(rows...)
		b.notSlower(t, rows)
		b.promise(t, rows[0].median <= 240*time.Millisecond, "gauntlet takes at most 0.2 s + 40 ms", "%s", ms(rows[0].median))
		return nil
	},
}

var unchanged = section{
	title:  "Unchanged re-run",
	method: "One check that takes half a second, run again with nothing changed. gauntlet reuses the result of the same content; the peers keep no results and run it again.",
	measure: func(b *bench, t *table) error {
		count := filepath.Join(b.dir, "executed")
		dir, err := b.repository("again", 10, project(false, "sleep 0.5; echo x >> "+count))
		if err != nil {
			return err
		}
		touch := b.touch(dir)
		executed := func() int {
			data, _ := os.ReadFile(count)
			return len(data)
		}
		before := 0
		first := subject{
			name: "`gauntlet run`, first", before: touch, check: printed("Status: Passed", 0),
			steps: func(int) []*exec.Cmd { return one(b.command(dir, b.gauntlet, "run")) },
		}
		again := first
		again.name = "`gauntlet run`, again"
		again.before = func(int) error { before = executed(); return nil }
		again.check = func(stdout string, exit int) error {
			if executed() != before {
				return fmt.Errorf("the check was executed again: %s", stdout)
			}
			return printed("Status: Passed", 0)(stdout, exit)
		}
		subjects := []subject{first, again}
		for _, peer := range b.contest(dir, 0)[1:] {
			peer.before = nil
			subjects = append(subjects, peer)
		}
		rows, err := b.race(6, subjects...)
		if err != nil {
			return err
		}
		t.add(rows...)
		b.promise(t, true, "an unchanged re-run executes no gate", "checked in %d rounds", rows[1].rounds)
		return nil
	},
}

var largeRepository = section{
	title:  "20,000 files",
	method: "One check, `true`, after a change to one of 20,000 files; for comparison, what git alone needs for such a tree.",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("large", 20_000, project(false, "true"))
		if err != nil {
			return err
		}
		rows, err := b.race(15, append([]subject{b.gitStatus(dir)}, b.contest(dir, 0)...)...)
		if err != nil {
			return err
		}
		t.add(rows...)
		b.notSlower(t, rows)
		more := rows[1].median - rows[0].median
		b.promise(t, more <= 20*time.Millisecond, "at most `git status` plus 20 ms", "plus %s", ms(more))
		return nil
	},
}

// notSlower promises at most the time of the faster peer, if there are any.
func (b *bench) notSlower(t *table, rows []result) {
	var own, fastest result
	for _, r := range rows {
		switch {
		case r.name == "`gauntlet run`":
			own = r
		case strings.HasPrefix(r.name, "`lefthook") || strings.HasPrefix(r.name, "`prek"):
			if fastest.name == "" || r.median < fastest.median {
				fastest = r
			}
		}
	}
	if fastest.name != "" {
		b.promise(t, own.median <= fastest.median, "at most the time of the faster peer", "%s, %s takes %s", ms(own.median), fastest.name, ms(fastest.median))
	}
}

func (b *bench) gitStatus(dir string) subject {
	return subject{
		name: "`git status`", steps: func(int) []*exec.Cmd {
			return one(b.command(dir, "git", "status", "--porcelain=v2", "-z", "--untracked-files=all"))
		},
	}
}

var oneGigabyte = section{
	title:  "A gate that prints 1 GB",
	method: "One check that prints 1,000,000,000 bytes and fails; the programs' own output goes to a reader that throws it away.",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("loud", 10, project(false, `yes "a line of the kind that a test runner prints" | head -c 1000000000; exit 1`))
		if err != nil {
			return err
		}
		rows, err := b.race(1, b.contest(dir, 1)...)
		if err != nil {
			return err
		}
		t.add(rows...)
		b.promise(t, rows[0].peakMB <= 25, "gauntlet stays within 25 MB", "%.1f MB", rows[0].peakMB)
		return nil
	},
}

const checkpointConfig = "checkpoint:\n  min_turn_seconds: 0\n  categories:\n    - name: source\n      paths: [\"src/**\"]\n" +
	"      actions:\n        - {id: tests, run: make test, evidence: [make test]}\n"

// checkpointStop is a stop that ends in a checkpoint; every round is a new session.
func (b *bench) checkpointStop(name, dir, transcript string, session int) subject {
	return subject{
		name: name, check: printed(`"status":"checkpoint"`, 0),
		steps: func(round int) []*exec.Cmd {
			return one(b.hook(dir, event(dir, transcript, session+round, "")))
		},
	}
}

var checkpointLarge = section{
	title:  "Checkpoint on a large project",
	method: "A stop that ends in a `checkpoint` verdict, in a repository of 20,000 files with a 50 MB transcript, beside `git status` of the same tree.",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("owing", 20_000, map[string]string{".gauntlet/config.yml": checkpointConfig, ".gitignore": "gauntlet_logs/\n"})
		if err != nil {
			return err
		}
		if err := b.touch(dir)(0); err != nil {
			return err
		}
		transcript, err := b.transcript("50mb.jsonl", dir, 50<<20, 100, 1000)
		if err != nil {
			return err
		}
		rows, err := b.race(25, b.gitStatus(dir), b.checkpointStop("`gauntlet stop-hook`", dir, transcript, 1000))
		if err != nil {
			return err
		}
		t.add(rows...)
		more := rows[1].median - rows[0].median
		b.promise(t, more <= 15*time.Millisecond, "at most `git status` plus 15 ms", "plus %s", ms(more))
		return nil
	},
}

var checkpointTranscripts = section{
	title:  "Checkpoint with large transcripts",
	method: "The same verdict in a repository of ten files, with transcripts of different sizes; the last contains one line of 20 MB in the judged turn.",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("transcripts", 10, map[string]string{".gauntlet/config.yml": checkpointConfig, ".gitignore": "gauntlet_logs/\n"})
		if err != nil {
			return err
		}
		if err := b.touch(dir)(0); err != nil {
			return err
		}
		var subjects []subject
		for i, c := range []struct {
			name string
			size int64
			line int
		}{{"100 KB", 100 << 10, 100}, {"50 MB", 50 << 20, 100}, {"1 GB", 1 << 30, 100}, {"a line of 20 MB", 100 << 10, 20 << 20}} {
			transcript, err := b.transcript(fmt.Sprintf("t%d.jsonl", i), dir, c.size, c.line, 1000)
			if err != nil {
				return err
			}
			subjects = append(subjects, b.checkpointStop(c.name, dir, transcript, 10_000*(i+1)))
		}
		rows, err := b.race(15, subjects...)
		if err != nil {
			return err
		}
		t.add(rows...)
		ratio := float64(rows[2].median) / float64(rows[0].median)
		b.promise(t, ratio <= 2, "the size of the transcript does not matter: 1 GB takes at most twice 100 KB", "%.2f×", ratio)
		b.promise(t, rows[3].peakMB <= 64, "a line of 20 MB costs at most 64 MB", "%.1f MB", rows[3].peakMB)
		return nil
	},
}

var autonomousCheckpoint = section{
	title: "Autonomous checkpoint",
	method: "A stop past the context threshold: CLAUDE.md rewritten, committed, the work saved as a snapshot, pushed to a bare repository on the same disk, hand-off files written; " +
		"beside `git add`, `git commit` and `git push` of one file by hand.",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("auto", 100, map[string]string{
			".gauntlet/config.yml": "autonomy:\n  enabled: true\n", "CLAUDE.md": "# Project\n\n## Last Session\n\nNone.\n", ".gitignore": "gauntlet_logs/\n.claude/\n",
		})
		if err != nil {
			return err
		}
		origin := filepath.Join(b.dir, "origin.git")
		for _, args := range [][]string{{"init", "-q", "--bare", origin}, {"remote", "add", "origin", origin}, {"switch", "-q", "-c", "feature"}, {"push", "-q", "-u", "origin", "feature"}} {
			if err := b.do(dir, "git", args...); err != nil {
				return err
			}
		}
		transcript, err := b.transcript("auto.jsonl", dir, 100<<10, 100, 100_000)
		if err != nil {
			return err
		}
		n := 0
		rows, err := b.race(15,
			subject{
				name:   "`git add`, `commit`, `push`",
				before: func(int) error { n++; return write(dir, "note.txt", fmt.Sprintf("note %d\n", n)) },
				steps: func(int) []*exec.Cmd {
					return []*exec.Cmd{
						b.command(dir, "git", "add", "note.txt"), b.command(dir, "git", "commit", "-q", "-m", "note"), b.command(dir, "git", "push", "-q", "origin", "feature"),
					}
				},
			},
			subject{
				name: "`gauntlet stop-hook`",
				before: func(int) error {
					n++
					// Notes that a person edited in between, as in a real session.
					if err := write(dir, "CLAUDE.md", fmt.Sprintf("# Project\n\nNote %d.\n\n## Last Session\n\nNone.\n", n)); err != nil {
						return err
					}
					return write(dir, "src/d000/f00000.txt", fmt.Sprintf("work %d\n", n))
				},
				steps: func(round int) []*exec.Cmd { return one(b.hook(dir, event(dir, transcript, 500_000+round, ""))) },
				check: func(stdout string, exit int) error {
					for _, want := range []string{`"status":"context_checkpoint"`, `"committed":true`, `"pushed":"yes"`} {
						if err := printed(want, 0)(stdout, exit); err != nil {
							return err
						}
					}
					return nil
				},
			},
		)
		if err != nil {
			return err
		}
		t.add(rows...)
		return nil
	},
}

var workflowState = section{
	title:  "Workflow state",
	method: "`gauntlet state` commands beside an empty Go program followed by the one git call that prints HEAD.",
	measure: func(b *bench, t *table) error {
		dir, err := b.repository("state", 10, map[string]string{".gitignore": ".claude/state/\n"})
		if err != nil {
			return err
		}
		record := `{"version":1,"command":"implement","feature":"f","state":{"current_phase":"phase-1","completed_phases":[],"pending_phases":["phase-2"]},` +
			`"phases":{"phase-1":{"status":"in_progress","context_summary":"Half of it is done."}}}`
		save := func(int) []*exec.Cmd {
			cmd := b.command(dir, b.gauntlet, "state", "save", "implement", "--feature", "f", "--strict")
			cmd.Stdin = strings.NewReader(record)
			return one(cmd)
		}
		for _, cmd := range save(0) {
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("state save: %w\n%s", err, out)
			}
		}
		rows, err := b.race(60,
			subject{name: "empty Go program + `git rev-parse HEAD`", steps: func(int) []*exec.Cmd {
				return []*exec.Cmd{b.command(dir, b.empty), b.command(dir, "git", "rev-parse", "HEAD")}
			}},
			subject{name: "empty Go program", steps: func(int) []*exec.Cmd { return one(b.command(dir, b.empty)) }},
			subject{name: "`gauntlet state load`", check: printed("phase-1", 0), steps: func(int) []*exec.Cmd {
				return one(b.command(dir, b.gauntlet, "state", "load", "implement", "--feature", "f", "--strict"))
			}},
			subject{name: "`gauntlet state save`", steps: save},
			subject{name: "`gauntlet state phase`", steps: func(round int) []*exec.Cmd {
				return one(b.command(dir, b.gauntlet, "state", "phase", "implement", "phase-1", "--feature", "f", "--status", "in_progress", "--summary", fmt.Sprint("round ", round), "--strict"))
			}},
		)
		if err != nil {
			return err
		}
		t.add(rows...)
		limit := rows[0].median + 2*rows[1].median
		b.promise(t, rows[2].median <= limit, "load takes at most three empty Go programs plus that git call", "%s, limit %s", ms(rows[2].median), ms(limit))
		return nil
	},
}
