package gate

import (
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
)

// changedFiles is what the paths of the changed files stand for in a command.
const changedFiles = "${CHANGED_FILES}"

// UsesChanged reports whether the command is given the changed files.
func (j Job) UsesChanged() bool {
	return j.Check != nil && strings.Contains(j.Check.Command, changedFiles)
}

// See makes the changed paths that the job's entry points see, relative to the root, those
// that its command is given. It reports whether one is left that the command can be given.
func (j *Job) See(root string, paths []string) bool {
	j.Changed = []string{}
	for _, p := range paths {
		if j.Covers(p) {
			j.Changed = append(j.Changed, p)
		}
	}
	return len(j.existing(root)) > 0
}

// existing are the changed paths that are files in a copy of the project.
func (j Job) existing(root string) []string {
	var out []string
	for _, p := range j.Changed {
		if info, err := os.Lstat(config.Absolute(root, p)); err == nil && !info.IsDir() {
			out = append(out, p)
		}
	}
	return out
}

// withChanged puts the changed files into a command, each quoted and relative to the
// command's directory; root and dir are where the command sees them. No name can be read as
// a flag, or as anything but one word.
func (j Job) withChanged(command, root, dir string) string {
	if !strings.Contains(command, changedFiles) {
		return command
	}
	var words []string
	for _, p := range j.existing(root) {
		rel := relativeTo(dir, config.Absolute(root, p))
		if strings.HasPrefix(rel, "-") {
			rel = "./" + rel
		}
		words = append(words, "'"+strings.ReplaceAll(rel, "'", `'\''`)+"'")
	}
	return strings.ReplaceAll(command, changedFiles, strings.Join(words, " "))
}

// maxArgument is how long a command may be to be passed as an argument on every system.
const maxArgument = 30_000

// shellArgs are the arguments that run a command, from a file if it is too long for an
// argument; remove removes that file.
func shellArgs(command string) (args []string, remove func(), err error) {
	if len(command) <= maxArgument {
		return []string{"sh", "-c", command}, func() {}, nil
	}
	dir, remove, err := safefile.TempDir("", "gauntlet-command-")
	if err != nil {
		return nil, nil, err
	}
	script := filepath.Join(dir, "command")
	if err := safefile.Write(script, []byte(command), 0o600); err != nil {
		remove()
		return nil, nil, err
	}
	return []string{"sh", script}, remove, nil
}
