//go:build unix

package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"gauntlet/fleet/reapi/reapitest"
)

// onFarm is a machine whose check runs on a farm.
func onFarm(t *testing.T, address, command string) *machine {
	t.Helper()
	m := newMachine(t, "m", "remote: {farm: {address: \""+address+"\", plaintext: true}}\n")
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: |\n  "+command+"\nrunner: remote\nplatform: {pool: small}\nenv: {WHERE: farm}\ntimeout: 20\n")
	return m
}

func TestCheckRunsOnAFarm(t *testing.T) {
	farm := &reapitest.Farm{}
	address := farm.Start(t)
	m := onFarm(t, address, `grep -q GOOD a.txt && test "$WHERE$PLATFORM_pool" = farmsmall`)
	got := m.judge()
	if got.Status != "passed" || !strings.Contains(got.Gates[0].Where, "worker-1") || len(got.Warnings) != 0 {
		t.Fatalf("%+v", got)
	}
	if again := m.judge(); !again.Gates[0].Cached || !strings.Contains(again.Gates[0].Message, " on worker-1 of ") {
		t.Errorf("the farm's result is not a proof that names the worker: %+v", again)
	}
	m.write(m.repo, "a.txt", "BAD\n")
	if got := m.judge(); got.Status != "failed" || got.Gates[0].Where == "" {
		t.Errorf("%+v", got)
	}
}

// A farm that says that it ran the command has to prove it.
func TestFarmThatRunsNothing(t *testing.T) {
	farm := &reapitest.Farm{Idle: true}
	m := onFarm(t, farm.Start(t), "grep -q GOOD a.txt")
	for range 2 {
		if got := m.judge(); got.Status != "infrastructure_error" || !strings.Contains(got.Gates[0].Message, "could not run: its runner did not prove that it ran the command") {
			t.Errorf("%+v", got)
		}
	}
}

// The farm that REAPI_FARM names.
func TestCheckRunsOnTheGivenFarm(t *testing.T) {
	address := os.Getenv("REAPI_FARM")
	if address == "" {
		t.Skip("SKIPPED: REAPI_FARM names no farm, so only the small one of the tests was used")
	}
	m := onFarm(t, address, `grep -q GOOD a.txt && test "$WHERE" = farm`)
	if got := m.judge(); got.Status != "passed" || !strings.HasSuffix(got.Gates[0].Where, address) || len(got.Warnings) != 0 {
		t.Fatalf("%+v", got)
	}
	if again := m.judge(); !again.Gates[0].Cached {
		t.Errorf("the farm's result is not a proof: %+v", again)
	}
	m.write(m.repo, "a.txt", "BAD\n")
	if got := m.judge(); got.Status != "failed" || got.Gates[0].Where == "" {
		t.Errorf("%+v", got)
	}
}

func TestUnreachableFarmRunsTheCheckLocally(t *testing.T) {
	address := (&reapitest.Farm{Refuse: status.Error(codes.Unimplemented, "cache only")}).Start(t)
	silent := (&reapitest.Farm{Silent: true}).Start(t)
	for name, address := range map[string]string{"no Execute": address, "no server": "127.0.0.1:1", "silent": silent} {
		m := onFarm(t, address, "grep -q GOOD a.txt")
		got := m.judge()
		if got.Status != "passed" || got.Gates[0].Where != "" || !strings.Contains(strings.Join(got.Warnings, "\n"), "test ran here: the build farm did not run it") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// The helper is missing.
	m := onFarm(t, address, "grep -q GOOD a.txt")
	alone := filepath.Join(t.TempDir(), "gauntlet")
	text, err := os.ReadFile(m.bin)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(alone, text, 0o755); err != nil {
		t.Fatal(err)
	}
	m.bin = alone
	if got := m.judge(); got.Status != "passed" || !strings.Contains(strings.Join(got.Warnings, "\n"), "gauntlet-fleet is not installed") {
		t.Errorf("%+v", got)
	}
}

// A silent farm is waited for once and reported once, however many checks and runs there are.
func TestSilentFarmIsLeftAlone(t *testing.T) {
	farm := &reapitest.Farm{Silent: true}
	address := farm.Start(t)
	m := onFarm(t, address, "grep -q GOOD a.txt")
	m.write(m.repo, ".gauntlet/config.yml", "entry_points: [{path: ., checks: [test, second]}]\nremote: {farm: {address: \""+address+"\", plaintext: true}}\n")
	m.write(m.repo, ".gauntlet/checks/second.yml", "command: grep -q GOOD a.txt\nrunner: remote\nplatform: {pool: small}\n")
	warnings := ""
	for i := range 3 {
		m.write(m.repo, "a.txt", strings.Repeat("GOOD\n", i+1))
		got := m.judge()
		if got.Status != "passed" || len(got.Gates) != 2 || got.Gates[0].Where+got.Gates[1].Where != "" || got.Gates[0].Cached {
			t.Errorf("run %d: %+v", i, got)
		}
		warnings += strings.Join(got.Warnings, "\n")
	}
	if strings.Count(warnings, "ran here") != 1 || !strings.Contains(warnings, "the farm does not answer; checks of this runner run here for 10 minutes") {
		t.Errorf("warnings: %s", warnings)
	}
	if n := farm.Lookups(); n > 2 { // of the two checks of the first run
		t.Errorf("the farm was called %d times", n)
	}
}

// A host that cannot be reached is left alone, too. Another one is used at once.
func TestUnreachableHostIsLeftAlone(t *testing.T) {
	m := newMachine(t, "m", "")
	m.write(m.repo, "tried.sh", "mkdir -p \"$HOME\"; echo x >> \"$HOME/tried\"; exit 255\n")
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: grep -q GOOD a.txt\nrunner: {exec: [sh, tried.sh]}\n")
	warnings := ""
	for i := range 3 {
		m.write(m.repo, "a.txt", strings.Repeat("GOOD\n", i+1))
		got := m.judge()
		if got.Status != "passed" || got.Gates[0].Where != "" || got.Gates[0].Cached {
			t.Errorf("run %d: %+v", i, got)
		}
		warnings += strings.Join(got.Warnings, "\n")
	}
	tried, err := os.ReadFile(filepath.Join(m.home, "tried"))
	if err != nil || string(tried) != "x\n" || strings.Count(warnings, "sh could not start it") != 1 {
		t.Errorf("tried %q, %v, warnings: %s", tried, err, warnings)
	}
	// One that never gets to read the tree did not start the check.
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: grep -q GOOD a.txt\ntimeout: 5\nrunner: {exec: [sh, -c, sleep 60]}\n")
	m.write(m.repo, "a.txt", "GOOD, hanging\n")
	if got := m.judge(); got.Status != "passed" || !strings.Contains(strings.Join(got.Warnings, "\n"), "sh could not start it") {
		t.Errorf("hanging: %+v", got)
	}
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: sleep 60\ntimeout: 5\nrunner: {exec: [sh, -c]}\n")
	if got := m.judge(); got.Status != "failed" || got.Gates[0].Where != "sh -c" {
		t.Errorf("the check itself hangs: %+v", got)
	}
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: grep -q GOOD a.txt\nrunner: {exec: [sh, -c]}\n")
	m.write(m.repo, "a.txt", "GOOD again\n")
	if got := m.judge(); got.Status != "passed" || got.Gates[0].Where != "sh -c" {
		t.Errorf("another host: %+v", got)
	}
}

func TestStopCancelsTheJobOnTheFarm(t *testing.T) {
	farm := &reapitest.Farm{IgnoreTimeout: true}
	m := onFarm(t, farm.Start(t), "while sleep 1; do :; done")
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: while sleep 1; do :; done\nrunner: remote\ntimeout: 1\n")
	if got := m.judge(); got.Status != "failed" {
		t.Errorf("%+v", got)
	}
	if farm.Started() != 1 || len(farm.Cancelled()) != 1 {
		t.Errorf("%d jobs started, cancelled: %q", farm.Started(), farm.Cancelled())
	}
}

func TestCheckRunsThroughACommand(t *testing.T) {
	m := newMachine(t, "m", "")
	m.write(m.repo, "sub/run.sh", "cat ../a.txt; pwd\n")
	// sh -c is used instead of a machine behind ssh: it gets the script as its last
	// argument.
	m.write(m.repo, ".gauntlet/checks/test.yml", `command: |
  sh run.sh | grep GOOD && test "$WHERE" = "it's elsewhere" && ! pwd | grep -q src
working_directory: sub
runner: {exec: [sh, -c]}
env: {WHERE: "it's elsewhere"}
`)
	got := m.judge()
	if got.Status != "passed" || got.Gates[0].Where != "sh -c" {
		t.Fatalf("%+v", got)
	}
	m.write(m.repo, "a.txt", "BAD\n") // not committed: the snapshot has it
	if got := m.judge(); got.Status != "failed" {
		t.Errorf("%+v", got)
	}
	m.write(m.repo, "a.txt", "GOOD\n")
	m.write(m.repo, ".gauntlet/checks/test.yml", "command: grep -q GOOD a.txt\nrunner: {exec: [no-such-ssh, host]}\n")
	if got := m.judge(); got.Status != "passed" || !strings.Contains(strings.Join(got.Warnings, "\n"), "no-such-ssh could not start it") {
		t.Errorf("%+v", got)
	}
}

func TestRunnersAreChecked(t *testing.T) {
	m := newMachine(t, "m", "")
	for runner, want := range map[string]string{
		"remote": "needs a build farm", "elsewhere": "must be one of", "{}": "must be local, remote or", "{exec: [a], kind: local}": "must be local, remote or",
	} {
		m.write(m.repo, ".gauntlet/checks/test.yml", "command: \"true\"\nrunner: "+runner+"\n")
		if out, errs, err := m.run(m.bin, "validate"); err == nil || !strings.Contains(out+errs, want) {
			t.Errorf("%s: %v %s%s", runner, err, out, errs)
		}
	}
}
