package gate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/proof"
	"gauntlet/internal/safefile"
	"gauntlet/internal/tasks"
)

// ownDir is Gauntlet's configuration: a check's settings are in its key already.
const ownDir = config.Dir

// lockFiles pin what a check's tools load from outside the tree; those at the project root
// belong to every key.
func lockFiles() []string {
	return []string{
		"go.sum", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb",
		"deno.lock", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.txt", "Cargo.lock", "Gemfile.lock",
		"composer.lock", "mix.lock", "rebar.lock", "pubspec.lock", "packages.lock.json", "paket.lock", "gradle.lockfile", "Package.resolved", "Podfile.lock",
		"Cartfile.resolved", "stack.yaml.lock", "cabal.project.freeze", "conan.lock", "shard.lock", "cpanfile.snapshot", "renv.lock", "Manifest.toml",
		"conda-lock.yml", "pixi.lock", "MODULE.bazel.lock", "buf.lock", ".terraform.lock.hcl", "flake.lock", "devbox.lock", "mise.lock",
	}
}

// versionFiles choose which version a tool's shim starts.
func versionFiles() []string {
	return []string{
		".tool-versions", "mise.toml", ".mise.toml", ".nvmrc", ".node-version", ".python-version", ".ruby-version",
		"rust-toolchain", "rust-toolchain.toml", "go.mod", "go.work", "global.json", "package.json", ".sdkmanrc",
	}
}

// Tree is the project's content in which a check's inputs are searched.
type Tree struct {
	Root  string     // of the project
	Files []git.File // by path, relative to the root
	// IsOutput reports what checks leave behind; nil: nothing.
	IsOutput func(path string) bool
}

// find is the file at the root, by name.
func (t Tree) find(name string) (git.File, bool) {
	i, ok := slices.BinarySearchFunc(t.Files, name, byPath)
	if !ok {
		return git.File{}, false
	}
	return t.Files[i], true
}

// Versions is a digest of what chooses the versions of tools.
func (t Tree) Versions() string {
	var b strings.Builder
	for _, name := range versionFiles() {
		if f, ok := t.find(name); ok {
			fmt.Fprintf(&b, "%s %x ", name, f.ID)
		}
	}
	return b.String()
}

// Subject is everything the outcome of a check may depend on, except for the output of its
// tools and the base commit, which the caller adds.
func (j Job) Subject(t Tree) proof.Subject {
	c := j.Check
	s := proof.Subject{Gate: j.Name, Dir: relativeTo(t.Root, j.Dir), Command: c.Command, Env: c.Env, Others: map[string]string{}}
	s.Settings = append(s.Settings,
		"timeout="+c.Limit().String(), fmt.Sprint("error_exit_codes=", c.CouldNotRunCodes()), "error_patterns="+strings.Join(c.ErrorPatterns, "\n"),
		"report="+c.ReportFormat(), "report_file="+c.ReportFile, "new_only="+c.NewOnly)
	if j.UsesChanged() {
		s.Settings = append(s.Settings, "changed_files="+strings.Join(j.Changed, "\x00"))
	}
	s.Files = j.inputs(t)
	if len(c.Inputs) > 0 {
		listed := Tree{Files: s.Files}
		for p, mark := range j.unlisted(t.Root, func(p string) bool { _, ok := listed.find(p); return ok }) {
			s.Others[p] = mark
		}
	}
	if j.Entry != "." || len(c.Inputs) > 0 { // what the command runs is an input, wherever it is
		for _, part := range tasks.Of(t.Root).Judge(c.Command, s.Dir, nil) {
			if f, ok := t.find(part.Path); ok && !j.DependsOn(part.Path) {
				s.Others[part.Path] = f.ID
			}
		}
	}
	for _, name := range lockFiles() {
		if f, ok := t.find(name); ok {
			if !j.DependsOn(name) {
				s.Others[name] = f.ID
			}
		} else if path := filepath.Join(t.Root, name); (t.IsOutput == nil || !t.IsOutput(name)) && safefile.Exists(path) { // ignored by git
			s.Others[name] = fingerprint(path)
		}
	}
	return s
}

// inputs are the files of a tree that the outcome may depend on.
func (j Job) inputs(t Tree) []git.File {
	if len(j.Check.Inputs) == 0 && len(j.Exclude) == 0 && len(j.Also) == 0 && !config.HasMeta(j.Entry) && (j.Own == "" || config.Under(j.Own, j.Entry)) {
		// A whole directory, as nearly always: it is one range of the list.
		files := t.below(j.Entry)
		own := Tree{Files: files}.below(ownDir)
		if len(own) == 0 {
			return files
		}
		first, _ := slices.BinarySearchFunc(files, own[0].Path, byPath)
		return slices.Concat(files[:first], files[first+len(own):])
	}
	var files []git.File
	for _, f := range t.Files {
		if j.DependsOn(f.Path) {
			files = append(files, f)
		}
	}
	return files
}

// below are the files in a directory, or the one file of that name.
func (t Tree) below(dir string) []git.File {
	if dir == "." {
		return t.Files
	}
	if i, ok := slices.BinarySearchFunc(t.Files, dir, byPath); ok {
		return t.Files[i : i+1]
	}
	first, _ := slices.BinarySearchFunc(t.Files, dir+"/", byPath)
	end, _ := slices.BinarySearchFunc(t.Files, dir+"0", byPath) // what follows the slash
	return t.Files[first:end]
}

func byPath(f git.File, path string) int { return strings.Compare(f.Path, path) }

func relativeTo(root, dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}

// UsesBase reports whether the command uses the base branch.
func (j Job) UsesBase() bool {
	return j.Check != nil && strings.Contains(j.Check.Command, "BASE_BRANCH")
}

// DependsOn reports whether the outcome may depend on a file.
func (j Job) DependsOn(p string) bool {
	if j.Check == nil {
		return j.Covers(p)
	}
	if config.Under(p, ownDir) && !slices.ContainsFunc(j.Check.Inputs, func(in string) bool {
		return config.Under(strings.TrimPrefix(filepath.ToSlash(in), "./"), ownDir)
	}) {
		return false
	}
	if len(j.Check.Inputs) == 0 {
		return j.Covers(p) || j.Own != "" && config.Under(p, j.Own) && !config.Matches(j.Exclude, p)
	}
	if config.Matches(j.Check.Inputs, p) {
		return true
	}
	// Inputs may also be written relative to the entry point.
	if !config.HasMeta(j.Entry) && j.Entry != "." && config.Under(p, j.Entry) && len(p) > len(j.Entry) {
		return config.Matches(j.Check.Inputs, p[len(j.Entry)+1:])
	}
	return false
}

// Environ is the environment that the job's command gets.
func (j Job) Environ(environ []string) []string { return checkEnviron(environ, j.Check.Env, j.Dir) }
