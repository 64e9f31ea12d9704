package replay

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// Bounds of a search for session logs.
const (
	maxFiles   = 100_000
	maxSession = 512 << 20 // larger logs are a gap
)

// Find lists the session logs among files and directories, sorted. A missing path is an
// error: nothing would be replayed in its place.
func Find(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		_ = fs.WalkDir(safefile.FS(p), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || len(out) >= maxFiles {
				return nil //nolint:nilerr // what cannot be walked holds nothing to be read
			}
			if d.Type().IsRegular() && isLog(name) {
				out = append(out, filepath.Join(p, filepath.FromSlash(name)))
			}
			return nil
		})
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// isLog recognises session logs by their names. Logs of sub-agents belong to the
// session that started them.
func isLog(name string) bool {
	base := path.Base(name)
	if ext := path.Ext(base); ext != ".jsonl" && ext != ".json" {
		return false
	}
	return !strings.HasPrefix(base, "agent-") && !slices.Contains(strings.Split(name, "/"), "subagents") &&
		!slices.Contains([]string{"settings.json", "package.json", "tsconfig.json"}, base)
}
