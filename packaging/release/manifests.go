package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/buildinfo"
)

func sortByName(files []packed) {
	slices.SortFunc(files, func(a, b packed) int { return strings.Compare(a.name, b.name) })
}

func (r *release) url(t target) string {
	return buildinfo.Home + "/releases/download/v" + r.version + "/" + r.archiveName(t)
}

// manifests writes what Homebrew and Scoop read.
func (r *release) manifests(context.Context) error {
	if len(r.targets) < len(targets()) {
		return nil // the sums of some archives would be missing
	}
	if err := write(filepath.Join(r.out, "gauntlet.rb"), []byte(r.formula())); err != nil {
		return err
	}
	scoop, err := r.scoop()
	if err != nil {
		return err
	}
	return write(filepath.Join(r.out, "gauntlet.json"), scoop)
}

// formula is the Homebrew formula for the tap.
func (r *release) formula() string {
	var b strings.Builder
	fmt.Fprintf(&b, "class Gauntlet < Formula\n  desc %q\n  homepage %q\n  version %q\n  license \"Apache-2.0\"\n", description, buildinfo.Home, r.version)
	for _, system := range []struct{ block, goos string }{{"on_macos", "darwin"}, {"on_linux", "linux"}} {
		fmt.Fprintf(&b, "\n  %s do\n", system.block)
		for _, cpu := range []struct{ block, goarch string }{{"on_arm", "arm64"}, {"on_intel", "amd64"}} {
			t := target{goos: system.goos, goarch: cpu.goarch}
			fmt.Fprintf(&b, "    %s do\n      url %q\n      sha256 %q\n    end\n", cpu.block, r.url(t), r.sums[r.archiveName(t)])
		}
		b.WriteString("  end\n")
	}
	b.WriteString(`
  def install
    bin.install "gauntlet", "gauntlet-fleet"
    man1.install "man/man1/gauntlet.1"
    bash_completion.install "completions/gauntlet.bash" => "gauntlet"
    zsh_completion.install "completions/_gauntlet"
    fish_completion.install "completions/gauntlet.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gauntlet version")
  end
end
`)
	return b.String()
}

// scoop is the Scoop manifest for the bucket.
func (r *release) scoop() ([]byte, error) {
	type build struct {
		URL  string `json:"url"`
		Hash string `json:"hash"`
	}
	builds := map[string]build{}
	for name, goarch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		t := target{goos: "windows", goarch: goarch}
		builds[name] = build{r.url(t), r.sums[r.archiveName(t)]}
	}
	data, err := json.MarshalIndent(map[string]any{
		"version": r.version, "description": description, "homepage": buildinfo.Home, "license": "Apache-2.0",
		"architecture": builds, "bin": []string{"gauntlet.exe", "gauntlet-fleet.exe"},
		"checkver": "github",
		"autoupdate": map[string]any{"architecture": map[string]any{
			"64bit": map[string]string{"url": buildinfo.Home + "/releases/download/v$version/gauntlet_$version_windows_amd64.zip"},
			"arm64": map[string]string{"url": buildinfo.Home + "/releases/download/v$version/gauntlet_$version_windows_arm64.zip"},
		}},
	}, "", "  ")
	return append(data, '\n'), err
}
