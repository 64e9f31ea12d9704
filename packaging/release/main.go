// Command release builds everything a release consists of: archives with
// checksums, npm packages, Linux packages, install scripts, lists of modules (SBOM), and
// manifests for Homebrew, Scoop and winget. The same sources give the same bytes.
//
//	go run ./packaging/release -version 1.2.3 -out dist
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is one platform, with its names in Go and in npm.
type target struct{ goos, goarch, npmOS, npmCPU string }

func targets() []target {
	return []target{
		{"linux", "amd64", "linux", "x64"},
		{"linux", "arm64", "linux", "arm64"},
		{"darwin", "amd64", "darwin", "x64"},
		{"darwin", "arm64", "darwin", "arm64"},
		{"windows", "amd64", "win32", "x64"},
		{"windows", "arm64", "win32", "arm64"},
	}
}

func (t target) name() string { return t.goos + "_" + t.goarch }

func (t target) exe(program string) string {
	if t.goos == "windows" {
		return program + ".exe"
	}
	return program
}

// programs are the programs of a release: gauntlet, and gauntlet-fleet for what is too
// heavy for a hook.
var programs = []string{"gauntlet", "gauntlet-fleet"}

// moduleOf is the directory of the module that a program belongs to, below the root.
func moduleOf(program string) string {
	if program == "gauntlet-fleet" {
		return "fleet"
	}
	return "."
}

// release is one build.
type release struct {
	version string
	root    string // of the sources
	out     string
	at      time.Time // the modification time of every file
	targets []target
	sums    map[string]string // archive → SHA-256
	cache   string            // Go's build cache for the programs; "" for the usual one
}

func main() {
	version := flag.String("version", "", "the version, without a leading v")
	out := flag.String("out", "dist", "where everything goes; must not exist or be empty")
	only := flag.String("only", "", "build for these platforms alone, as in linux_amd64,darwin_arm64")
	flag.Parse()
	ctx := context.Background()
	r, err := newRelease(ctx, *version, *out, *only)
	if err == nil {
		err = r.make(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func newRelease(ctx context.Context, version, out, only string) (*release, error) {
	if version != "" {
		version = numbered(version)
	}
	if version == "" || strings.HasPrefix(version, "v") || strings.ContainsAny(version, " /\\") {
		return nil, fmt.Errorf("-version %q: give it as 1.2.3", version)
	}
	if left, err := os.ReadDir(out); err == nil && len(left) > 0 {
		return nil, fmt.Errorf("%s is not empty; remove it first", out)
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	r := &release{version: version, root: root, out: out, at: sourceTime(ctx, root), targets: targets(), sums: map[string]string{}}
	if only != "" {
		wanted := strings.Split(only, ",")
		r.targets = slices.DeleteFunc(r.targets, func(t target) bool { return !slices.Contains(wanted, t.name()) })
		if len(r.targets) == 0 {
			return nil, fmt.Errorf("-only %s: no such platform", only)
		}
	}
	return r, nil
}

// make does everything, in order.
func (r *release) make(ctx context.Context) error {
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"build", r.build},
		{"man page and completions", r.words},
		{"archives", r.archives},
		{"npm packages", r.npm},
		{"Linux packages", r.linux},
		{"Homebrew formula and Scoop manifest", r.manifests},
		{"install scripts, list of modules, winget", r.extras},
		{"checksums", r.checksums},
	} {
		fmt.Fprintln(os.Stderr, "release:", step.name)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// sourceTime is SOURCE_DATE_EPOCH, or the time of the newest commit.
func sourceTime(ctx context.Context, root string) time.Time {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		seconds, _ = output(ctx, root, "git", "log", "-1", "--format=%ct")
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		n = 1767225600 // 2026-01-01
	}
	return time.Unix(n, 0).UTC()
}

func (r *release) bin(t target, program string) string {
	return filepath.Join(r.out, "build", t.name(), t.exe(program))
}

// build compiles every program for every platform; nothing of this machine
// (paths, revision, build id) goes into them.
func (r *release) build(ctx context.Context) error {
	for _, t := range r.targets {
		for _, program := range programs {
			cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
				"-ldflags", "-s -w -buildid= -X gauntlet/internal/buildinfo.version="+r.version, "-o", r.bin(t, program), "./cmd/"+program)
			cmd.Dir = filepath.Join(r.root, moduleOf(program))
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.goos, "GOARCH="+t.goarch, "GOFLAGS=", "GOAMD64=v1")
			if r.cache != "" {
				cmd.Env = append(cmd.Env, "GOCACHE="+r.cache)
			}
			if text, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s for %s: %w\n%s", program, t.name(), err, text)
			}
		}
	}
	return nil
}

// words makes the man page and the completions, by running the program on the build
// machine.
func (r *release) words(ctx context.Context) error {
	for name, args := range map[string][]string{
		"man/man1/gauntlet.1":       {"man"},
		"completions/gauntlet.bash": {"completion", "bash"},
		"completions/_gauntlet":     {"completion", "zsh"},
		"completions/gauntlet.fish": {"completion", "fish"},
		"completions/gauntlet.ps1":  {"completion", "powershell"},
	} {
		program := []string{"go", "run", "-trimpath", "-ldflags", "-X gauntlet/internal/buildinfo.version=" + r.version, "./cmd/gauntlet"}
		for _, t := range r.targets {
			if t.goos == runtime.GOOS && t.goarch == runtime.GOARCH {
				program = []string{r.bin(t, "gauntlet")}
			}
		}
		cmd := exec.CommandContext(ctx, program[0], append(program[1:], args...)...)
		cmd.Dir = r.root
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := write(filepath.Join(r.out, "build", "share", filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return nil
}

// checksums lists every file of the release with its SHA-256, as sha256sum does.
func (r *release) checksums(context.Context) error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		if !f.Type().IsRegular() {
			continue
		}
		sum, err := digest(filepath.Join(r.out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, f.Name())
	}
	return write(filepath.Join(r.out, "checksums.txt"), []byte(b.String()))
}

func digest(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
