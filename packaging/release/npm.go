package main

import (
	"context"
	"embed"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/buildinfo"
)

//go:embed npm
var npmFiles embed.FS

// manifest is the part of a package.json that is written.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage"`
	Repository   map[string]string `json:"repository"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Scripts      map[string]string `json:"scripts,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	Files        []string          `json:"files,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"`
}

const description = "Gates that a coding agent has to pass before it may stop"

func (r *release) manifest(name string) manifest {
	return manifest{
		Name: name, Version: r.version, Description: description, License: "Apache-2.0", Homepage: buildinfo.Home,
		Repository: map[string]string{"type": "git", "url": "git+" + buildinfo.Home + ".git"},
	}
}

// npm packs one package per platform, and a small one that depends on them and
// puts the right program in place.
func (r *release) npm(context.Context) error {
	main := r.manifest(buildinfo.NPM + "/gauntlet")
	main.Bin = map[string]string{"gauntlet": "bin/gauntlet"}
	main.Scripts = map[string]string{"postinstall": "node install.js"}
	main.Optional = map[string]string{}
	for _, t := range r.targets {
		name := "gauntlet-" + t.npmOS + "-" + t.npmCPU
		main.Optional[buildinfo.NPM+"/"+name] = r.version
		m := r.manifest(buildinfo.NPM + "/" + name)
		m.OS, m.CPU, m.PreferUnplug = []string{t.npmOS}, []string{t.npmCPU}, true
		program, err := os.ReadFile(r.bin(t, "gauntlet"))
		if err != nil {
			return err
		}
		if err := r.npmPack(name, m, packed{"bin/" + t.exe("gauntlet"), program, 0o755}); err != nil {
			return err
		}
	}
	var files []packed
	for name, from := range map[string]string{"bin/gauntlet": "npm/gauntlet.js", "bin/find.js": "npm/find.js", "install.js": "npm/install.js"} {
		data, err := npmFiles.ReadFile(from)
		if err != nil {
			return err
		}
		mode := int64(0o644)
		if name == "bin/gauntlet" {
			mode = 0o755
		}
		files = append(files, packed{name, []byte(strings.ReplaceAll(string(data), "@SCOPE@", buildinfo.NPM)), mode})
	}
	return r.npmPack("gauntlet", main, files...)
}

// npmPack writes a package as `npm pack` does: everything below package/.
func (r *release) npmPack(name string, m manifest, files ...packed) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files = append(files, packed{"package.json", append(data, '\n'), 0o644})
	for _, doc := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, doc))
		if err != nil {
			return err
		}
		files = append(files, packed{doc, text, 0o644})
	}
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	sortByName(files)
	tgz, err := tarGz(files, r.at)
	if err != nil {
		return err
	}
	return write(filepath.Join(r.out, "npm-"+name+"-"+r.version+".tgz"), tgz)
}
