package meaning

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gauntlet/internal/content"
	"gauntlet/internal/gate"
	"gauntlet/internal/safefile"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
)

// maxSettings is the size of the largest file in which a path is searched.
const maxSettings = 256 << 10

// leadsBack reports whether something by which a check could reach the work tree from a room
// elsewhere names a path of it: its command, what that resolves to, a variable that they
// use, a link, or a file that is not code.
func (l Lab) leadsBack(j gate.Job, judge []tasks.Part, a *content.Account) bool {
	root := []byte(l.House.Repo.Root)
	text := j.Check.Command
	for _, p := range judge {
		text += "\n" + p.Text
	}
	for _, v := range j.Check.Env {
		text += "\n" + v
	}
	for _, kv := range l.Env.Environ {
		name, value, _ := strings.Cut(kv, "=")
		if name != "PWD" && strings.Contains(value, string(root)) && strings.Contains(text, name) {
			return true
		}
	}
	if strings.Contains(text, string(root)) {
		return true
	}
	for _, f := range a.Files {
		at := filepath.Join(l.House.Repo.Root, filepath.FromSlash(f.Path))
		switch {
		case f.Mode == content.Link:
			if to, err := os.Readlink(at); err != nil || strings.HasPrefix(to, string(root)) || filepath.IsAbs(to) {
				return true
			}
		case f.Mode != content.Repository && tool.Language(f.Path) == "":
			if data, err := safefile.Read(l.House.Repo.Root, at, maxSettings); err == nil && bytes.Contains(data, root) {
				return true
			}
		}
	}
	return l.linksBack()
}

// linksBack reports whether dependencies that git ignores lead to the work tree by its path,
// as an editable install does.
func (l Lab) linksBack() bool {
	back, left := false, 20_000
	root := l.House.Repo.Root
	err := fs.WalkDir(safefile.FS(l.Root), ".", func(p string, d fs.DirEntry, err error) error {
		name := filepath.Join(l.Root, filepath.FromSlash(p))
		switch ext := path.Ext(p); {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read leads nowhere
		case p == ".git":
			return fs.SkipDir
		case left == 0 || back:
			return fs.SkipAll
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			back = err == nil && strings.HasPrefix(to, root)
		case ext == ".pth" || ext == ".egg-link":
			data, err := safefile.Read(root, name, maxSettings)
			back = err == nil && bytes.Contains(data, []byte(root))
		}
		left--
		return nil
	})
	return back || left == 0 || err != nil
}
