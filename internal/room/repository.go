package room

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gauntlet/internal/safefile"
)

// repository makes the room a work tree of the project's repository with a HEAD and an index
// of its own: a check may ask git, and what it writes there is not the user's.
func (r *Room) repository() error {
	gitDir := filepath.Join(r.dir, "git")
	files := map[string]string{
		"HEAD": "ref: refs/heads/unborn\n", "commondir": r.common() + "\n", "gitdir": filepath.Join(r.tree, ".git") + "\n",
	}
	if head, ok := r.house.Repo.HeadCommit(); ok {
		files["HEAD"] = head + "\n"
	}
	for name, text := range files {
		if err := put(gitDir, name, []byte(text)); err != nil {
			return err
		}
	}
	index, err := safefile.Read(r.house.Repo.GitDir, filepath.Join(r.house.Repo.GitDir, "index"), maxIndex)
	if err == nil {
		err = put(gitDir, "index", index)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return put(r.tree, ".git", []byte("gitdir: "+gitDir+"\n"))
}

const maxIndex = 256 << 20

// common is the repository's shared directory as the check sees it.
func (r *Room) common() string {
	if r.own {
		return filepath.Join(r.dir, "common") // the project's own path is the room's
	}
	return r.house.Repo.CommonDir
}

// put writes a file if it has another content.
func put(dir, name string, data []byte) error {
	path := filepath.Join(dir, name)
	if have, err := safefile.Read(dir, path, int64(len(data))+1); err == nil && string(have) == string(data) {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return safefile.WriteNew(dir, path, data, 0o600)
}
