//go:build unix

package fleet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"gauntlet/test/fleettest"
)

// pipeline runs the shell steps of the workflow that ci init wrote, as GitHub would for an
// event: bash -e, the job's variables, secrets only where the workflow passes them.
func (m *machine) pipeline(event string, secrets map[string]string) string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.repo, ".github/workflows/gauntlet.yml"))
	if err != nil {
		m.t.Fatal(err)
	}
	var doc struct {
		Jobs map[string]struct {
			Steps []struct {
				If  string            `yaml:"if"`
				Run string            `yaml:"run"`
				Env map[string]string `yaml:"env"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		m.t.Fatal(err)
	}
	values := strings.NewReplacer("${{ matrix.name }}", "test", "${{ github.event.pull_request.head.repo.fork && '--no-cache' || '' }}", "",
		"${{ secrets.GAUNTLET_SIGNING_KEY }}", secrets["GAUNTLET_SIGNING_KEY"], "${{ secrets.GAUNTLET_REMOTE_AUTH }}", secrets["GAUNTLET_REMOTE_AUTH"])
	temp := m.t.TempDir()
	var all strings.Builder
	for _, step := range doc.Jobs["gate"].Steps {
		if step.Run == "" || step.If == "github.event_name == 'push'" && event != "push" {
			continue
		}
		cmd := exec.Command("bash", "-e", "-c", step.Run)
		cmd.Dir = m.repo
		cmd.Env = []string{
			"HOME=" + m.home, "PATH=" + filepath.Dir(m.bin) + ":" + os.Getenv("PATH"), "CI=true", "RUNNER_TEMP=" + temp,
			"GITHUB_PATH=" + filepath.Join(temp, "path"), "GAUNTLET_INSTALL=gauntlet version",
		}
		for k, v := range step.Env {
			cmd.Env = append(cmd.Env, k+"="+values.Replace(v))
		}
		out, err := cmd.CombinedOutput()
		all.Write(out)
		if err != nil {
			m.t.Fatalf("%s: %v\n%s", step.Run, err, out)
		}
	}
	return all.String()
}

// What CI passed on the base branch is proved for a colleague with the same content; a pull
// request publishes nothing.
func TestPipelinePublishes(t *testing.T) {
	address, _ := fleettest.StartNginx(t)
	ci, dev := newMachine(t, "ci", "remote: {url: "+address+"}\n"), newMachine(t, "dev", "remote: {url: "+address+"}\n")
	keys := newMachine(t, "keys", "")
	line := keys.key()
	key, err := os.ReadFile(filepath.Join(keys.home, ".local/state/gauntlet/signing.pem"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*machine{ci, dev} {
		m.must(m.bin, "ci", "init")
		m.write(m.repo, ".gauntlet/allowed_signers", line+"\n")
		m.must("git", "add", "-A")
		m.must("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "all")
		m.must("git", "remote", "add", "origin", "/nowhere")
		m.must("git", "update-ref", "refs/remotes/origin/main", "HEAD^")
	}
	if out := ci.pipeline("pull_request", nil); strings.Contains(out, "published") {
		t.Errorf("a pull request published: %s", out)
	}
	if got := dev.judge(); got.Gates[0].Cached {
		t.Fatalf("what a pull request ran is believed: %+v", got)
	}
	dev.forget()
	ci.forget()
	if out := ci.pipeline("push", nil); !strings.Contains(out, "nothing is published") {
		t.Errorf("without a key: %s", out)
	}
	ci.forget()
	if out := ci.pipeline("push", map[string]string{"GAUNTLET_SIGNING_KEY": strings.TrimSpace(string(key))}); !strings.Contains(out, "1 proof published") {
		t.Errorf("with a key: %s", out)
	}
	got := dev.judge()
	if !got.Gates[0].Cached || got.Gates[0].Proof == nil || got.Gates[0].Proof.Source != "remote" {
		t.Fatalf("CI's pass is not believed: %+v", got)
	}
}
