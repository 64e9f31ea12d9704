// Package npm keeps pinned npm packages in a cache outside the work tree, for
// the tests and benchmarks that drive other people's programs. It imports
// nothing of the product.
package npm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrUnreachable means that npm is missing or its registry does not answer: the only reason
// for which driving a package may be skipped.
var ErrUnreachable = errors.New("npm or its registry cannot be reached")

// Package is one pinned package.
type Package struct{ Name, Version string }

func (p Package) String() string { return p.Name + "@" + p.Version }

// Dir is where the package is kept between runs, with its node_modules inside.
func (p Package) Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache for npm packages: %w", err)
	}
	name := strings.ReplaceAll(strings.TrimPrefix(p.Name, "@"), "/", "-")
	return filepath.Join(cache, "gauntlet-e2e", name+"-"+p.Version), nil
}

// Ensure installs the package unless it is there. It is installed beside its place and
// renamed, so that concurrent runs, or one that was killed, never see a part of it. Extra
// arguments go to npm install.
func (p Package) Ensure(extra ...string) error {
	dir, err := p.Dir()
	if err != nil {
		return err
	}
	if v, err := p.Installed(); err == nil && v == p.Version {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("cache for npm packages: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".installing-")
	if err != nil {
		return fmt.Errorf("cache for npm packages: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := os.WriteFile(filepath.Join(tmp, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return fmt.Errorf("cache for npm packages: %w", err)
	}
	fmt.Fprintln(os.Stderr, "installing", p, "from npm")
	install := exec.Command(npm, append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error", p.String()}, extra...)...)
	install.Dir = tmp
	if out, err := install.CombinedOutput(); err != nil {
		// The registry is queried to distinguish them, because npm's messages are not
		// stable.
		if exec.Command(npm, "view", p.String(), "version").Run() != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnreachable, p, err)
		}
		return fmt.Errorf("npm install %s: %w\n%s", p, err, out)
	}
	if err := os.Rename(tmp, dir); err != nil {
		if v, installedErr := p.Installed(); installedErr == nil && v == p.Version {
			return nil // another run was faster
		}
		return fmt.Errorf("cache for npm packages: %w", err)
	}
	return nil
}

// Installed is the version in the package on disk.
func (p Package) Installed() (string, error) {
	dir, err := p.Dir()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(p.Name), "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &manifest); err != nil {
		return "", fmt.Errorf("%s: %w", p, err)
	}
	return manifest.Version, nil
}
