package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	names "gauntlet/internal/buildinfo"
)

// numbered is a version that every packager takes: one of an untagged commit, which is only
// a hash, gets a number in front.
func numbered(version string) string {
	if regexp.MustCompile(`^[0-9]+\.[0-9]+`).MatchString(version) {
		return version
	}
	return "0.0.0-" + version
}

// extras writes what stands beside the archives: the list of what is in the programs, the
// install scripts, and the manifests for winget.
func (r *release) extras(context.Context) error {
	for _, name := range []string{"install.sh", "install.ps1"} {
		data, err := os.ReadFile(filepath.Join(r.root, "packaging", name))
		if err != nil {
			return err
		}
		if err := write(filepath.Join(r.out, name), data); err != nil {
			return err
		}
	}
	for _, program := range programs {
		data, err := r.sbom(program)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(r.out, program+".cdx.json"), data); err != nil {
			return err
		}
	}
	return r.winget()
}

// sbom is a CycloneDX document of the modules in a program, as the program itself lists them.
func (r *release) sbom(program string) ([]byte, error) {
	info, err := buildinfo.ReadFile(r.bin(r.targets[0], program))
	if err != nil {
		return nil, err
	}
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
	}
	parts := []component{{Type: "platform", Name: "go", Version: info.GoVersion}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version})
	}
	data, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{
			"timestamp": r.at.Format("2006-01-02T15:04:05Z07:00"),
			"component": component{Type: "application", Name: program, Version: r.version},
		},
		"components": parts,
	}, "", "  ")
	return append(data, '\n'), err
}

// winget writes the three manifests that winget wants; not where the archives for Windows
// were not built.
func (r *release) winget() error {
	const id = "GauntletGates.Gauntlet"
	var installers strings.Builder
	for _, cpu := range []struct{ name, goarch string }{{"x64", "amd64"}, {"arm64", "arm64"}} {
		t := target{goos: "windows", goarch: cpu.goarch}
		sum := r.sums[r.archiveName(t)]
		if sum == "" {
			return nil
		}
		fmt.Fprintf(&installers, "- Architecture: %s\n  InstallerUrl: %s\n  InstallerSha256: %s\n", cpu.name, r.url(t), strings.ToUpper(sum))
	}
	head := fmt.Sprintf("PackageIdentifier: %s\nPackageVersion: %s\n", id, r.version)
	for name, text := range map[string]string{
		"": "DefaultLocale: en-US\nManifestType: version\n",
		".installer": "InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n" +
			"- RelativeFilePath: gauntlet.exe\n  PortableCommandAlias: gauntlet\n- RelativeFilePath: gauntlet-fleet.exe\n  PortableCommandAlias: gauntlet-fleet\n" +
			"Dependencies:\n  PackageDependencies:\n  - PackageIdentifier: Git.Git\nInstallers:\n" + installers.String() + "ManifestType: installer\n",
		".locale.en-US": fmt.Sprintf("PackageLocale: en-US\nPublisher: Gauntlet maintainers\nPackageName: Gauntlet\nPackageUrl: %s\nLicense: Apache-2.0\nShortDescription: %s\nManifestType: defaultLocale\n", names.Home, description),
	} {
		var b bytes.Buffer
		b.WriteString(head + text + "ManifestVersion: 1.6.0\n")
		if err := write(filepath.Join(r.out, id+name+".yaml"), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
