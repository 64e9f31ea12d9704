//go:build release

package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"gauntlet/internal/buildinfo"
	"gauntlet/test/e2e/npm"
)

const version = "0.9.0"

// built is a release for this machine, made once.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gauntlet-release-")
	if err == nil {
		built = filepath.Join(dir, "dist")
		var r *release
		if r, err = newRelease(context.Background(), version, built, host()); err == nil {
			err = r.make(context.Background())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func host() string { return runtime.GOOS + "_" + runtime.GOARCH }

// sh runs a command and returns its output; env is added to the machine's.
func sh(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func must(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := sh(t, dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func wantVersion(t *testing.T, program string) {
	t.Helper()
	if out := must(t, "", nil, program, "version"); !strings.HasPrefix(out, "gauntlet "+version+" ") {
		t.Errorf("%s says %q", program, out)
	}
}

// The same sources give the same bytes, also in another directory and with nothing
// cached.
func TestReproducible(t *testing.T) {
	again := filepath.Join(t.TempDir(), "dist")
	r, err := newRelease(t.Context(), version, again, host())
	if err != nil {
		t.Fatal(err)
	}
	r.root, r.cache = copyOf(t, r.root), t.TempDir()
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(filepath.Join(built, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(again, "checksums.txt"))
	if err != nil || !bytes.Equal(first, second) || len(first) == 0 {
		t.Errorf("%v\n%s\nand\n%s", err, first, second)
	}
}

// copyOf is the sources in a directory of another name, without what was built.
func copyOf(t *testing.T, root string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		from, to := filepath.Join(root, e.Name()), filepath.Join(dir, e.Name())
		switch {
		case e.Name() == ".git" || e.Name() == "bin" || e.Name() == "dist":
		case e.IsDir():
			err = os.CopyFS(to, os.DirFS(from))
		case e.Type().IsRegular():
			var b []byte
			if b, err = os.ReadFile(from); err == nil {
				err = os.WriteFile(to, b, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestArchive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: the archive is unpacked with tar here")
	}
	dir := t.TempDir()
	must(t, dir, nil, "tar", "-xzf", filepath.Join(built, "gauntlet_"+version+"_"+host()+".tar.gz"))
	wantVersion(t, filepath.Join(dir, "gauntlet"))
	for _, name := range []string{"README.md", "LICENSE", "completions/_gauntlet", "man/man1/gauntlet.1", "gauntlet-fleet"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if out := must(t, "", nil, filepath.Join(dir, "gauntlet"), "version", "--check"); !strings.Contains(out, "a release archive") {
		t.Errorf("version --check:\n%s", out)
	}
	must(t, built, nil, "sha256sum", "-c", "--quiet", "checksums.txt")
}

// npm links the program itself; if its scripts do not run, it links a script that passes
// everything on.
func TestNPM(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("SKIPPED LOUDLY: npm is not installed, the npm packages were not tried")
	}
	platform, err := filepath.Glob(filepath.Join(built, "npm-gauntlet-*-*-"+version+".tgz"))
	if err != nil || len(platform) != 1 {
		t.Fatalf("%v, %v", platform, err)
	}
	for _, scripts := range []bool{true, false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
			t.Fatal(err)
		}
		args := []string{"install", "--offline", "--no-audit", "--no-fund", fmt.Sprintf("--ignore-scripts=%v", !scripts), filepath.Join(built, "npm-gauntlet-"+version+".tgz"), platform[0]}
		must(t, dir, []string{"npm_config_cache=" + t.TempDir()}, "npm", args...)
		program := filepath.Join(dir, "node_modules", ".bin", "gauntlet")
		head, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if native := !bytes.HasPrefix(head, []byte("#!")); native != scripts {
			t.Errorf("scripts %v: the program itself is in place: %v", scripts, native)
		}
		wantVersion(t, program)
		if _, err := sh(t, dir, nil, program, "no-such-command"); err == nil || err.Error() != "exit status 2" {
			t.Errorf("scripts %v: the exit code is lost: %v", scripts, err)
		}
		want := "npm, in a project"
		if out := must(t, dir, nil, program, "version", "--check"); !strings.Contains(out, want) {
			t.Errorf("scripts %v: version --check:\n%s", scripts, out)
		}
	}
}

func TestDeb(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("SKIPPED LOUDLY: dpkg is not installed, the deb was not tried")
	}
	root := t.TempDir()
	for _, d := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "", nil, "dpkg", "--root="+root, "--force-not-root", "--force-depends", "--no-triggers", "-i", filepath.Join(built, "gauntlet_"+version+"_"+runtime.GOARCH+".deb"))
	wantInstalled(t, root)
}

// The rpm is installed in a root of its own, with the real rpm.
func TestRpm(t *testing.T) {
	file := packageFile(t, "*.rpm")
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("SKIPPED LOUDLY: rpm is not installed (Debian: rpm), the package was not tried")
	}
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: rpm installs into another root for root only, the package was not tried")
	}
	root := t.TempDir()
	must(t, "", nil, "rpm", "--root", root, "--nodeps", "-i", file)
	wantInstalled(t, root)
	must(t, "", nil, "rpm", "--root", root, "-e", "gauntlet")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/gauntlet")); err == nil {
		t.Error("the program is still there after it was removed")
	}
}

// The apk is unpacked: it is a tar archive, and apk itself exists on Alpine only.
func TestApk(t *testing.T) {
	root := t.TempDir()
	must(t, "", nil, "tar", "-xzf", packageFile(t, "*.apk"), "-C", root)
	wantInstalled(t, root)
	info, err := os.ReadFile(filepath.Join(root, ".PKGINFO"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pkgname = gauntlet\n", "pkgver = " + version + "\n", "depend = git\n"} {
		if !strings.Contains(string(info), want) {
			t.Errorf(".PKGINFO has no %q:\n%s", want, info)
		}
	}
}

func packageFile(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(built, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", pattern, found, err)
	}
	return found[0]
}

// wantInstalled checks the files of every Linux package.
func wantInstalled(t *testing.T, root string) {
	t.Helper()
	wantVersion(t, filepath.Join(root, "usr/bin/gauntlet"))
	for _, name := range []string{"usr/bin/gauntlet-fleet", "usr/share/man/man1/gauntlet.1", "usr/share/bash-completion/completions/gauntlet", "usr/share/doc/gauntlet/LICENSE"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
}

// `go install` of the published module, through a proxy made of files.
func TestGoInstall(t *testing.T) {
	root := must(t, "", nil, "go", "list", "-m", "-f", "{{.Dir}}")
	src := filepath.Join(t.TempDir(), "src")
	must(t, strings.TrimSpace(root), nil, "sh", "scripts/publish-module.sh", src)
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(buildinfo.Module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(src, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list": []byte("v" + version + "\n"), "v" + version + ".info": []byte(`{"Version":"v` + version + `"}`), "v" + version + ".mod": mod, "v" + version + ".zip": moduleZip(t, src),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cache := strings.TrimSpace(must(t, "", nil, "go", "env", "GOMODCACHE"))
	bin := filepath.Join(t.TempDir(), "go", "bin")
	must(t, t.TempDir(), []string{
		"GOBIN=" + bin, "GOPROXY=file://" + proxy + ",file://" + filepath.Join(cache, "cache", "download"),
		"GONOSUMDB=*", "GOFLAGS=-modcacherw -trimpath", "GOMODCACHE=" + t.TempDir(), "CGO_ENABLED=0",
	}, "go", "install", buildinfo.Module+"/cmd/gauntlet@v"+version)
	if out := must(t, "", nil, filepath.Join(bin, "gauntlet"), "version", "--check"); !strings.HasPrefix(out, "gauntlet v"+version) || !strings.Contains(out, "go install "+buildinfo.Module) {
		t.Errorf("version --check:\n%s", out)
	}
}

func moduleZip(t *testing.T, src string) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	err := filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if _, nested := os.Stat(filepath.Join(name, "go.mod")); d.IsDir() && nested == nil && name != src {
			return filepath.SkipDir // a nested module is not part of this one
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel, _ := filepath.Rel(src, name)
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		w, err := zw.Create(buildinfo.Module + "@v" + version + "/" + filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// project is a repository whose gate fails while app.txt contains BUG.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"app.txt": "fine\n", ".gitignore": "gauntlet_logs\n",
		".gauntlet/config.yml":        "entry_points: [{path: ., checks: [no-bug]}]\n",
		".gauntlet/checks/no-bug.yml": "command: \"! grep BUG app.txt\"\n",
	} {
		if err := write(filepath.Join(dir, filepath.FromSlash(name)), []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, dir)
	return dir
}

func commit(t *testing.T, dir string) {
	t.Helper()
	id := []string{"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=d@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=d@example.com"}
	must(t, dir, nil, "git", "init", "-q", "-b", "main")
	must(t, dir, nil, "git", "add", "-A")
	must(t, dir, id, "git", "commit", "-q", "--no-verify", "-m", "x")
}

// The action's own steps, run as a runner runs them.
func TestAction(t *testing.T) {
	raw, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs struct {
			Steps []struct {
				Run string            `yaml:"run"`
				Env map[string]string `yaml:"env"`
			} `yaml:"steps"`
		} `yaml:"runs"`
	}
	if err := yaml.Unmarshal(raw, &action); err != nil || len(action.Runs.Steps) != 2 {
		t.Fatalf("%+v, %v", action, err)
	}
	base, temp := t.TempDir(), t.TempDir()
	if err := os.Symlink(built, filepath.Join(base, "v"+version)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(temp, "path")
	env := []string{"RUNNER_TEMP=" + temp, "GITHUB_PATH=" + path, "VERSION=" + version, "BASE_URL=file://" + base, "HOME=" + t.TempDir(), "CI=true"}
	must(t, temp, env, "bash", "-c", action.Runs.Steps[0].Run)
	added, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "PATH="+strings.TrimSpace(string(added))+":"+os.Getenv("PATH"), "ARGS=run --all")
	dir := project(t)
	must(t, dir, env, "bash", "-c", action.Runs.Steps[1].Run)
	if err := os.WriteFile(filepath.Join(dir, "app.txt"), []byte("BUG\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := sh(t, dir, env, "bash", "-c", action.Runs.Steps[1].Run); err == nil || !strings.Contains(out, "no-bug") {
		t.Errorf("a failing gate does not fail the step: %v\n%s", err, out)
	}
	// The inputs that a person sets reach the steps as variables, never as text of the
	// script.
	for _, s := range action.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("an input stands in a script:\n%s", s.Run)
		}
	}
}

// .pre-commit-hooks.yaml, run with a real runner.
func TestPreCommitHook(t *testing.T) {
	prek := npm.Package{Name: "@j178/prek", Version: "0.5.3"}
	if err := prek.Ensure(); err != nil {
		t.Skipf("SKIPPED LOUDLY: prek could not be installed, the pre-commit hook was not run: %v", err)
	}
	cached, err := prek.Dir()
	if err != nil {
		t.Fatal(err)
	}
	hooks := t.TempDir()
	definition, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(hooks, ".pre-commit-hooks.yaml"), definition); err != nil {
		t.Fatal(err)
	}
	commit(t, hooks)
	rev := strings.TrimSpace(must(t, hooks, nil, "git", "rev-parse", "HEAD"))
	dir := project(t)
	config := fmt.Sprintf("repos:\n- repo: %s\n  rev: %s\n  hooks: [{id: gauntlet-system}]\n", hooks, rev)
	if err := write(filepath.Join(dir, ".pre-commit-config.yaml"), []byte(config)); err != nil {
		t.Fatal(err)
	}
	must(t, dir, nil, "git", "add", "-A")
	bin := filepath.Dir((&release{out: built}).bin(target{goos: runtime.GOOS, goarch: runtime.GOARCH}, "gauntlet"))
	env := []string{"HOME=" + t.TempDir(), "PREK_HOME=" + t.TempDir(), "PATH=" + bin + ":" + os.Getenv("PATH")}
	runner := filepath.Join(cached, "node_modules", ".bin", "prek")
	must(t, dir, env, filepath.Join(bin, "gauntlet"), "allow", "--yes")
	must(t, dir, env, runner, "run", "--all-files")
	if err := os.WriteFile(filepath.Join(dir, "app.txt"), []byte("BUG\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, dir, nil, "git", "add", "-A")
	if out, err := sh(t, dir, env, runner, "run", "--all-files"); err == nil || !strings.Contains(out, "no-bug") {
		t.Errorf("a failing gate does not fail the hook: %v\n%s", err, out)
	}
}
