package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gauntlet/internal/git"
	"gauntlet/internal/safefile"
)

// InputKey names everything a check's result depends on: its configuration, its
// command, the environment it declares, and the content of its entry point or
// of its declared inputs. Equal keys, equal result. files are those of the
// snapshot, relative to the project root.
func (j Job) InputKey(root string, files []git.TreeEntry, base string) string {
	h := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(h, "%d:%s,", len(p), p)
		}
	}
	c := j.Check
	put("gauntlet-1", j.ID, j.Dir, c.Command, base, c.FixText, fmt.Sprint(c.Limit()))
	for _, k := range slices.Sorted(maps.Keys(c.Env)) {
		put(k, c.Env[k])
	}
	put("inputs")
	put(c.Inputs...)
	put("files")
	listed := map[string]bool{}
	for _, f := range files {
		if j.dependsOn(f.Path) {
			put(f.Path, f.Mode, f.OID)
			listed[f.Path] = true
		}
	}
	put("others")
	others := j.unlisted(root, func(p string) bool { return listed[p] })
	for _, p := range slices.Sorted(maps.Keys(others)) {
		put(p, others[p])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (j Job) dependsOn(p string) bool {
	if len(j.Check.Inputs) == 0 {
		return j.Covers(p)
	}
	if Matches(j.Check.Inputs, p) {
		return true
	}
	// Inputs may also be written as seen from the entry point.
	if !hasMeta(j.Entry) && j.Entry != "." && under(p, j.Entry) && len(p) > len(j.Entry) {
		return Matches(j.Check.Inputs, p[len(j.Entry)+1:])
	}
	return false
}

// Record is a result of a check and what it was a result of.
type Record struct {
	Key    string `json:"key"`
	Result Result `json:"result"`
}

// Cache remembers the last results of every check of a work tree, newest first.
type Cache struct {
	path    string
	records map[string][]Record
	changed bool
}

const (
	maxCache = 16 << 20
	// maxRecords is how many results of one check are kept: work goes back and
	// forth between a few states, and what passed in one of them still does.
	maxRecords = 8
)

// OpenCache reads the cache at path; whatever is wrong with it, it is empty then.
func OpenCache(path string) *Cache {
	c := &Cache{path: path, records: map[string][]Record{}}
	f, err := safefile.Open("", path)
	if err != nil {
		return c
	}
	defer f.Close() //nolint:errcheck // read only
	b, err := io.ReadAll(io.LimitReader(f, maxCache))
	if err != nil || json.Unmarshal(b, &c.records) != nil || c.records == nil {
		c.records = map[string][]Record{}
	}
	return c
}

// Lookup returns the job's pass on the same inputs. A failure is never reused:
// its cause may lie outside the tree and be gone.
func (c *Cache) Lookup(j Job, key string) (Result, bool) {
	i := slices.IndexFunc(c.records[j.ID], func(r Record) bool { return r.Key == key })
	if i < 0 || key == "" {
		return Result{}, false
	}
	res := c.records[j.ID][i].Result
	if res.Status != Pass {
		return Result{}, false
	}
	res.Cached = true
	if _, err := os.Stat(res.LogPath); errors.Is(err, fs.ErrNotExist) {
		res.LogPath = ""
	}
	return res, true
}

// Store remembers a result. What could not judge is forgotten.
func (c *Cache) Store(key string, r Result) {
	c.changed = true
	kept := slices.DeleteFunc(c.records[r.ID], func(old Record) bool { return old.Key == key || old.Result.Status != Pass })
	if key != "" && (r.Status == Pass || r.Status == Fail) {
		kept = append([]Record{{Key: key, Result: r}}, kept...)
	}
	c.records[r.ID] = kept[:min(len(kept), maxRecords)]
}

// Save writes the cache, if anything changed.
func (c *Cache) Save() error {
	if !c.changed || c.path == "" {
		return nil
	}
	b, err := json.Marshal(c.records)
	if err != nil {
		return fmt.Errorf("result cache: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fmt.Errorf("result cache: %w", err)
	}
	return safefile.Write(c.path, b, 0o600)
}
