// Package site answers "where am I?" once, for every command and every hook: project root,
// repository, memory, configuration, off switch. Commands and hooks that all use it cannot
// disagree about which project a directory belongs to. Ring 2: imports rings 0 and 1,
// trust, and agent for the variables in which clients name the directory they were started
// in.
package site

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"gauntlet/internal/agent"
	"gauntlet/internal/config"
	"gauntlet/internal/git"
	"gauntlet/internal/history"
	"gauntlet/internal/safefile"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/trust"
)

// Site is one place. Finding it costs a few stats; everything more expensive is computed on
// first use.
type Site struct {
	// Cwd is the directory that was asked about, absolute.
	Cwd string
	// Root is the project root, where .gauntlet/config.yml is; "" outside a project.
	Root string
	// Repo is the work tree of the project, or of Cwd outside a project. It is
	// valid only if InRepo; a bare repository is not a work tree.
	Repo   git.Repo
	InRepo bool
	// RepoErr is why there is no work tree.
	RepoErr error
	// Foreign names what belongs to another user here, who could have put anything into it:
	// then nothing is read as policy and nothing is written. "" when everything belongs to
	// the user who runs Gauntlet.
	Foreign string
	// StateHome is $XDG_STATE_HOME or its default; "" without a home directory.
	StateHome string
	// Memory is what sessions here remember.
	Memory session.Store

	foreign    git.Repo // the work tree of another user
	getenv     func(string) string
	sealer     seal.Sealer // of the state home; the key is read once
	loadConfig func() (*config.Loaded, error)
	disk       func() config.Policy
	trust      func() trust.Decision
}

// Find looks for the project that cwd belongs to: above cwd, above the directory
// that cwd is a symbolic link to, and above the directory that the agent was
// started in, which cd does not change.
func Find(cwd string, getenv func(string) string) *Site {
	return find(cwd, getenv, agent.ProjectDirVars())
}

// Here is Find without the agent's variables: for commands that set up or name
// the project of one directory, wherever an agent may have been started.
func Here(cwd string, getenv func(string) string) *Site {
	return find(cwd, getenv, nil)
}

func find(cwd string, getenv func(string) string, vars []string) *Site {
	if abs, err := filepath.Abs(cwd); err == nil {
		cwd = abs
	}
	if runtime.GOOS == "windows" { // names there are the same in any case: one project has one name
		cwd = realPath(cwd)
	}
	s := &Site{Cwd: cwd, StateHome: StateHome(getenv), getenv: getenv}
	s.sealer = seal.New(s.StateHome)
	s.loadConfig = sync.OnceValues(s.trusted)
	s.disk = sync.OnceValue(func() config.Policy { return config.ReadPolicy(s.Root) })
	s.trust = sync.OnceValue(s.decide)
	s.Root = projectAbove(cwd)
	for _, name := range vars {
		if dir := getenv(name); s.Root == "" && filepath.IsAbs(dir) {
			s.Root = projectAbove(dir)
		}
	}
	s.enter(workTree(s.Top(), git.UserOf(getenv)))
	return s
}

// enter looks at who owns the repository and the policy.
func (s *Site) enter(repo git.Repo, err error) {
	s.RepoErr, s.Foreign = err, ""
	if s.InRepo = err == nil; s.InRepo {
		s.Repo = repo
	}
	var owners []int
	if repo.Safe {
		owners = []int{safefile.Owner(repo.Root)}
	}
	if errors.Is(err, git.ErrForeign) {
		s.Foreign, s.foreign = err.Error(), repo
	} else if s.Root != "" {
		if foreign := config.Foreign(s.Root, owners...); foreign != "" {
			s.Foreign = foreign + " belongs to another user"
		}
	}
	top := s.Top()
	if !s.InRepo { // in a repository the git directory names the memory
		top = realPath(top)
	}
	s.Memory = session.Open(s.Repo.GitDir, top, s.sealer)
}

// Admit lets a repository of another user in, because the person who runs this command said
// so.
func (s *Site) Admit() {
	if s.foreign.Root != "" {
		s.foreign.Safe = true
		s.enter(s.foreign, nil)
	}
}

// projectAbove is the root of the project that dir is in, or that dir is a symbolic link
// into; "" if there is none.
func projectAbove(dir string) string {
	if root, ok := config.FindRoot(dir); ok {
		return root
	}
	if real := realPath(dir); real != dir {
		if root, ok := config.FindRoot(real); ok {
			return root
		}
	}
	return ""
}

// workTree is the work tree that dir is in, or that dir is a symbolic link into.
func workTree(dir string, user git.User) (git.Repo, error) {
	repo, err := user.Find(dir)
	if err != nil && !errors.Is(err, git.ErrForeign) {
		if real := realPath(dir); real != dir {
			repo, err = user.Find(real)
		}
	}
	return repo, err
}

// realPath resolves symbolic links, so that one directory has one memory under all its
// names.
func realPath(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// IsProject reports whether there is a .gauntlet/config.yml.
func (s *Site) IsProject() bool { return s.Root != "" }

// Top is the directory that work here is about: the project root, else the top
// of the work tree, else Cwd.
func (s *Site) Top() string {
	switch {
	case s.Root != "":
		return s.Root
	case s.InRepo:
		return s.Repo.Root
	}
	return s.Cwd
}

// Config is the configuration that counts here, read once: the one on disk if a person has
// allowed it, else the one allowed before, else ErrUntrusted. It is nil outside a project.
func (s *Site) Config() (*config.Loaded, error) {
	if s.Root == "" {
		return nil, nil
	}
	return s.loadConfig()
}

// Mentions reports whether one of words occurs in the configuration files. It searches the
// bytes, which avoids parsing when a setting can only have its default value.
func (s *Site) Mentions(words ...string) bool {
	return s.Root != "" && config.Mentions(s.Trust().Policy, s.getenv, words...)
}

// Dir is the first of dirs that is a directory: the one an event names, else the
// one the process was started in.
func Dir(dirs ...string) string {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); dir != "" && err == nil && info.IsDir() {
			return dir
		}
	}
	return dirs[len(dirs)-1]
}

// StateHome is $XDG_STATE_HOME, or its default; "" without a home directory.
func StateHome(getenv func(string) string) string {
	dir, err := history.Dir(getenv)
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(dir))
}
