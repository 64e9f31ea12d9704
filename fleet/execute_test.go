//go:build unix

package fleet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/fleet/reapi"
	"gauntlet/fleet/reapi/reapitest"
)

func TestExecuteReportsHowItEnded(t *testing.T) {
	address := (&reapitest.Farm{}).Start(t)
	m := newMachine(t, "m")
	result := filepath.Join(t.TempDir(), "result.json")
	job, err := json.Marshal(reapi.Job{Command: "echo out; exit 7", Root: t.TempDir(), TimeoutSec: 10})
	if err != nil {
		t.Fatal(err)
	}
	m.in = string(job)
	if code := m.run("execute", "--farm", address, "--plaintext", "--result", result); code != 0 || m.out.String() != "out\n" {
		t.Fatalf("exit %d: %s%s", code, m.out.String(), m.err.String())
	}
	b, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var res reapi.Result
	if err := json.Unmarshal(b, &res); err != nil || res.ExitCode != 7 || res.Worker == "" {
		t.Errorf("%+v, %v", res, err)
	}
	if code := m.run("execute", "--farm", "127.0.0.1:1", "--plaintext", "--result", result); code != ExitDown {
		t.Errorf("no server: exit %d: %s", code, m.err.String())
	}
	m.in = "{"
	if code := m.run("execute", "--farm", address, "--result", result); code != 2 || !strings.Contains(m.err.String(), "job on standard input") {
		t.Errorf("half a job: exit %d: %s", code, m.err.String())
	}
}
