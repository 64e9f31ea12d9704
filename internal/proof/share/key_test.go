package share

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gauntlet/test/remotetest"
)

func TestKeyIsMadeOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gauntlet", "signing.pem")
	first, made, err := MakeKey(t.Context(), file)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	again, made, err := MakeKey(t.Context(), file)
	if err != nil || made || again.Line() != first.Line() {
		t.Errorf("again: %v %v", made, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	// A file that is not a key is never replaced.
	write(t, file, "precious")
	if _, _, err := MakeKey(t.Context(), file); err == nil || read(t, file) != "precious" {
		t.Errorf("replaced: %v", err)
	}
}

// Two processes that make the key at once must end with one key, which is the one printed.
func TestConcurrentCallsMakeOneKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signing.pem")
	var wg sync.WaitGroup
	lines := make([]string, 20)
	for i := range lines {
		wg.Go(func() {
			pub, _, err := MakeKey(t.Context(), file)
			if err != nil {
				t.Error(err)
			}
			lines[i] = pub.Line()
		})
	}
	wg.Wait()
	for _, l := range lines {
		if l != lines[0] {
			t.Fatal("two different keys were printed")
		}
	}
}

func TestAnSSHKeySigns(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("SKIPPED: ssh-keygen is not installed, so signing with an SSH key was not tested")
	}
	fake := &remotetest.Server{}
	d := newDesk(t, serve(t, fake))
	d.opts.Environ = os.Environ()
	file := filepath.Join(t.TempDir(), "id")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	d.remote().Key = file
	d.add(pass(0))
	d.publish()
	if a := d.ask(keyOf(0)); len(a.Hits) != 1 {
		t.Errorf("one's own SSH key: %+v", a)
	}
	words := strings.Fields(read(t, file+".pub"))
	other := newDesk(t, serve(t, fake)).trusts("dev " + words[0] + " " + words[1])
	if a := other.ask(keyOf(0)); len(a.Hits) != 1 {
		t.Errorf("with a line: %+v", a)
	}
	// A key with a passphrase is an error: no question, nothing lost.
	if out, err := exec.Command("ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	d.opts.Environ = append(os.Environ(), "DISPLAY=:9", "SSH_ASKPASS=/bin/true", "SSH_AUTH_SOCK=")
	d.add(pass(1))
	if n, err := d.outbox().Publish(t.Context(), d.opts); n != 0 || err == nil || d.waits() != 1 {
		t.Errorf("%d %v, %d wait", n, err, d.waits())
	}
}

// Git's key is found wherever git finds it, and in every form that git takes.
func TestKeyOfGitSigns(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("SKIPPED: ssh-keygen is not installed, so signing with an SSH key was not tested")
	}
	home := t.TempDir()
	file := filepath.Join(home, "id")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	public := strings.TrimSpace(read(t, file+".pub"))
	write(t, filepath.Join(home, "work.inc"), "[user]\n\tsigningkey = ~/id\n")
	for name, c := range map[string]struct{ global, local, configured string }{
		"global":        {"[user]\n\tsigningkey = " + file + "\n", "", ""},
		"included":      {"[include]\n\tpath = work.inc\n", "", ""},
		"the project's": {"", "[user]\n\tsigningkey = " + file + ".pub\n", ""},
		"remote.key":    {"", "", "~/id"},
		"in ssh-agent":  {"[user]\n\tsigningkey = key::" + public + "\n", "", ""},
	} {
		fake := &remotetest.Server{}
		d := newDesk(t, serve(t, fake))
		if err := os.Remove(KeyFile(d.opts.StateHome)); err != nil {
			t.Fatal(err)
		}
		d.opts.Config.Root = t.TempDir()
		d.opts.Getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
		d.opts.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
		if name == "in ssh-agent" {
			d.opts.Environ = append(d.opts.Environ, "SSH_AUTH_SOCK="+agentWith(t, file))
		}
		write(t, filepath.Join(home, ".gitconfig"), c.global)
		if out, err := exec.Command("git", "init", "-q", d.opts.Config.Root).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		write(t, filepath.Join(d.opts.Config.Root, ".git", "config"), c.local)
		d.remote().Key = c.configured
		d.add(pass(0))
		if n, err := d.outbox().Publish(t.Context(), d.opts); n != 1 || err != nil {
			t.Errorf("%s: %d %v", name, n, err)
			continue
		}
		words := strings.Fields(public)
		if a := newDesk(t, serve(t, fake)).trusts("dev " + words[0] + " " + words[1]).ask(keyOf(0)); len(a.Hits) != 1 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// agentWith starts an ssh-agent that has the key, and returns its socket.
func agentWith(t *testing.T, key string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent") // short: the length of a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.Process.Kill(); _ = agent.Wait() })
	for {
		add := exec.Command("ssh-add", "-q", key)
		add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
		out, err := add.CombinedOutput()
		if err == nil {
			return socket
		}
		if _, missing := os.Stat(socket); missing == nil && !strings.Contains(string(out), "connecting") {
			t.Fatalf("%v %s", err, out)
		}
	}
}

func TestKeysThatCannotSign(t *testing.T) {
	d := newDesk(t, serve(t, &remotetest.Server{}))
	if err := os.Remove(KeyFile(d.opts.StateHome)); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	d.opts.Config.Root = home
	d.opts.Environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	d.add(pass(0))
	for name, c := range map[string]struct{ key, git, want string }{
		"none":             {"", "", "run `gauntlet proofs key`"},
		"gone":             {filepath.Join(home, "gone"), "", "remote.key"},
		"a gpg key of git": {"", "[user]\n\tsigningkey = 0A1B2C3D\n", "run `gauntlet proofs key`"},
		"an option of git": {"", "[user]\n\tsigningkey = -oProxyCommand=x\n", "run `gauntlet proofs key`"},
		"a missing file":   {"", "[user]\n\tsigningkey = /no/such/key\n", "run `gauntlet proofs key`"},
	} {
		d.remote().Key = c.key
		write(t, filepath.Join(home, ".gitconfig"), c.git)
		if n, err := d.outbox().Publish(t.Context(), d.opts); n != 0 || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d %v", name, n, err)
		}
	}
	if d.waits() != 1 {
		t.Errorf("%d wait", d.waits())
	}
	if _, err := ownPublic("", t.TempDir()); err == nil {
		t.Error("a key out of nothing")
	}
	broken := filepath.Join(home, "k")
	write(t, broken, "x")
	write(t, broken+".pub", "only-one-word")
	if _, err := ownPublic(broken, ""); err == nil {
		t.Error("a public key of one word")
	}
}
