package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"gauntlet/internal/buildinfo"
)

// linux makes deb, rpm and apk packages with nfpm.
func (r *release) linux(ctx context.Context) error {
	for _, t := range r.targets {
		if t.goos != "linux" {
			continue
		}
		config := filepath.Join(r.out, "build", "nfpm-"+t.goarch+".yaml")
		if err := write(config, []byte(r.nfpm(t))); err != nil {
			return err
		}
		for _, format := range []string{"deb", "rpm", "apk"} {
			cmd := exec.CommandContext(ctx, "go", "tool", "-modfile="+filepath.Join(r.root, "tools", "nfpm", "go.mod"),
				"nfpm", "package", "--config", config, "--packager", format, "--target", r.out)
			cmd.Dir = r.root
			cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.at.Unix()))
			if text, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s for %s: %w\n%s", format, t.goarch, err, text)
			}
		}
	}
	return nil
}

// nfpm is nfpm's description of the package.
func (r *release) nfpm(t target) string {
	share := filepath.Join(r.out, "build", "share")
	files := ""
	for _, program := range programs {
		files += entry(r.bin(t, program), "/usr/bin/"+program, 0o755)
	}
	files += entry(filepath.Join(share, "man", "man1", "gauntlet.1"), "/usr/share/man/man1/gauntlet.1", 0o644) +
		entry(filepath.Join(share, "completions", "gauntlet.bash"), "/usr/share/bash-completion/completions/gauntlet", 0o644) +
		// Debian has a directory of its own for packages.
		entry(filepath.Join(share, "completions", "_gauntlet"), "/usr/share/zsh/vendor-completions/_gauntlet", 0o644) + "    packager: deb\n" +
		entry(filepath.Join(share, "completions", "_gauntlet"), "/usr/share/zsh/site-functions/_gauntlet", 0o644) + "    packager: rpm\n" +
		entry(filepath.Join(share, "completions", "_gauntlet"), "/usr/share/zsh/site-functions/_gauntlet", 0o644) + "    packager: apk\n" +
		entry(filepath.Join(share, "completions", "gauntlet.fish"), "/usr/share/fish/vendor_completions.d/gauntlet.fish", 0o644) +
		entry(filepath.Join(r.root, "LICENSE"), "/usr/share/doc/gauntlet/LICENSE", 0o644) +
		entry(filepath.Join(r.root, "README.md"), "/usr/share/doc/gauntlet/README.md", 0o644)
	return fmt.Sprintf(`name: gauntlet
arch: %s
platform: linux
version: %q
section: devel
priority: optional
maintainer: Gauntlet maintainers <maintainers@%s>
description: %s.
homepage: %s
license: Apache-2.0
mtime: %s
depends: [git]
contents:
%s`, t.goarch, r.version, "users.noreply.github.com", description, buildinfo.Home, r.at.Format("2006-01-02T15:04:05Z07:00"), files)
}

func entry(from, to string, mode int) string {
	return fmt.Sprintf("  - src: %q\n    dst: %s\n    file_info: {mode: 0%o}\n", from, to, mode)
}
