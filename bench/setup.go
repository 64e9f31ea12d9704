package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"gauntlet/test/e2e/npm"
)

// peers, pinned. Their native binaries are called, not npm's JavaScript shims.
var (
	lefthookPackage = npm.Package{Name: "lefthook", Version: "2.2.2"}
	prekPackage     = npm.Package{Name: "@j178/prek", Version: "0.5.3"}
)

// bench is one run of all measurements.
type bench struct {
	ctx   context.Context
	scale float64
	dir   string
	env   []string

	gauntlet, empty string
	linked          string // does nothing either, with the standard packages that the page is built with
	lefthook, prek  string // "" when they could not be installed
	peersMissing    string

	changes int
	tables  []*table
	missed  int
}

func newBench(ctx context.Context, scale float64) (*bench, error) {
	dir, err := os.MkdirTemp("", "gauntlet-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{ctx: ctx, scale: scale, dir: dir}
	err = b.prepare()
	if err == nil {
		err = b.installPeers()
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// prepare makes the home directory and the programs.
func (b *bench) prepare() error {
	dir := b.dir
	home := filepath.Join(dir, "home")
	b.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + filepath.Join(dir, "tmp"), "LANG=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "GAUNTLET_TRUST=all", "PREK_CONCURRENT_HOOKS=16",
	}
	for _, d := range []string{home, filepath.Join(dir, "tmp"), filepath.Join(dir, "bin")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := write(home, ".gitconfig", "[user]\n\tname = dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n"); err != nil {
		return err
	}
	return b.build()
}

func (b *bench) close() { _ = os.RemoveAll(b.dir) }

// build makes gauntlet and the programs that do nothing with the same flags, and installs
// them by copying, as every package does. A file that the linker itself wrote is in the page cache
// in small pieces and starts up to a millisecond later.
func (b *bench) build() error {
	bin, src := filepath.Join(b.dir, "bin"), filepath.Join(b.dir, "src")
	b.gauntlet, b.empty, b.linked = filepath.Join(bin, "gauntlet"), filepath.Join(bin, "empty"), filepath.Join(bin, "linked")
	if err := errors.Join(write(src, "empty/main.go", "package main\n\nfunc main() {}\n"), write(src, "linked/main.go", linkedSource)); err != nil {
		return err
	}
	for out, pkg := range map[string]string{
		b.gauntlet: "gauntlet/cmd/gauntlet", b.empty: filepath.Join(src, "empty", "main.go"), b.linked: filepath.Join(src, "linked", "main.go"),
	} {
		linked := out + ".linked"
		cmd := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", linked, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if msg, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, msg)
		}
		if err := b.do(b.dir, "cp", linked, out); err != nil {
			return err
		}
	}
	return nil
}

// linkedSource is a program that would serve a page if it were asked to, so that the linker
// keeps what that needs. What it takes is what no hook of a program with a page can save.
const linkedSource = `package main

import (
	"html/template"
	"net/http"
	"os"
)

func main() {
	if len(os.Args) > 1 {
		page := template.Must(template.New("").Parse(os.Args[1]))
		_ = http.ListenAndServe("", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = page.Execute(w, nil) }))
	}
}
`

func (b *bench) installPeers() error {
	for _, p := range []npm.Package{lefthookPackage, prekPackage} {
		// No install scripts: lefthook's would write into the current repository.
		if err := p.Ensure("--ignore-scripts"); errors.Is(err, npm.ErrUnreachable) {
			b.peersMissing = err.Error()
			fmt.Fprintln(os.Stderr, "bench: PEERS ARE NOT MEASURED:", err)
			return nil
		} else if err != nil {
			return err
		}
	}
	arch := cmp.Or(map[string]string{"amd64": "x64"}[runtime.GOARCH], runtime.GOARCH)
	find := func(p npm.Package, pattern string) (string, error) {
		dir, err := p.Dir()
		if err != nil {
			return "", err
		}
		pattern = strings.NewReplacer("OS", runtime.GOOS, "ARCH", arch).Replace(pattern)
		found, err := filepath.Glob(filepath.Join(dir, "node_modules", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			return "", fmt.Errorf("%s has no binary for %s/%s", p, runtime.GOOS, runtime.GOARCH)
		}
		return found[0], nil
	}
	var err error
	if b.lefthook, err = find(lefthookPackage, "lefthook-OS-ARCH/bin/lefthook"); err != nil {
		return err
	}
	b.prek, err = find(prekPackage, "@j178/prek-OS-ARCH*/prek")
	return err
}

func write(dir, name, content string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}
