package main

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestNumbered: dpkg and rpm refuse a version that begins with a letter, as a hash may.
func TestNumbered(t *testing.T) {
	for in, want := range map[string]string{"1.2.3": "1.2.3", "0.9.0-3-gabc": "0.9.0-3-gabc", "abc1234": "0.0.0-abc1234", "1abc234-dirty": "0.0.0-1abc234-dirty", "devel": "0.0.0-devel"} {
		if got := numbered(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

// TestManifestsHaveTheirSums: no manifest is written for archives that were not built.
func TestManifestsHaveTheirSums(t *testing.T) {
	r := &release{version: "0.9.0", out: t.TempDir(), targets: targets()[:1], sums: map[string]string{}}
	if err := r.manifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.winget(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(r.out); len(left) > 0 {
		t.Errorf("written without sums: %v", left)
	}
	r.targets = targets()
	for i, target := range r.targets {
		r.sums[r.archiveName(target)] = strings.Repeat(string(rune('a'+i)), 64)
	}
	if err := r.manifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.winget(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"gauntlet.rb":                           `sha256 "` + strings.Repeat("d", 64) + `"`,
		"gauntlet.json":                         "gauntlet_0.9.0_windows_amd64.zip",
		"GauntletGates.Gauntlet.installer.yaml": "InstallerSha256: " + strings.Repeat("E", 64),
		"GauntletGates.Gauntlet.yaml":           "PackageVersion: 0.9.0\n",
	} {
		if data, err := os.ReadFile(filepath.Join(r.out, name)); err != nil || !strings.Contains(string(data), want) || strings.Contains(string(data), `sha256 ""`) {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
}

// TestInstallScript installs from a release on disk, and nothing that the release does not
// list.
func TestInstallScript(t *testing.T) {
	for _, c := range []string{"sh", "curl", "tar"} {
		if _, err := exec.LookPath(c); err != nil || runtime.GOOS == "windows" {
			t.Skipf("SKIPPED LOUDLY: %s is missing", c)
		}
	}
	dist := t.TempDir()
	archive := filepath.Join(dist, "gauntlet_0.9.0_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
	pack(t, archive, "#!/bin/sh\necho gauntlet 0.9.0\n")
	sum, err := digest(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(dist, "checksums.txt"), []byte(sum+"  "+filepath.Base(archive)+"\n")); err != nil {
		t.Fatal(err)
	}
	install := func() (string, string, error) {
		home := t.TempDir()
		cmd := exec.Command("sh", filepath.Join("..", "install.sh"))
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GAUNTLET_URL=file://" + dist}
		out, err := cmd.CombinedOutput()
		return filepath.Join(home, ".local", "bin", "gauntlet"), string(out), err
	}
	if bin, out, err := install(); err != nil || !strings.Contains(out, "Installed gauntlet 0.9.0") {
		t.Errorf("%v: %s", err, out)
	} else if _, err := os.Stat(bin); err != nil {
		t.Error(err)
	}
	pack(t, archive, "#!/bin/sh\necho something else\n")
	bin, out, err := install()
	if err == nil || !strings.Contains(out, "nothing was installed") {
		t.Errorf("a changed archive: %v: %s", err, out)
	}
	if _, err := os.Stat(bin); err == nil {
		t.Error("a changed archive was installed")
	}
}

func pack(t *testing.T, name, program string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for _, p := range programs {
		if err := w.WriteHeader(&tar.Header{Name: p, Mode: 0o755, Size: int64(len(program))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(program)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}
