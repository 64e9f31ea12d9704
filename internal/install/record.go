package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"gauntlet/internal/install/jsonedit"
	"gauntlet/internal/safefile"
)

// record is how a file that Gauntlet changed is restored. It contains Gauntlet's insertions
// only, never what others wrote into the file.
type record struct {
	Path    string          `json:"path"`
	After   string          `json:"after"` // hash of the content that Gauntlet left
	Created bool            `json:"created"`
	Dirs    []string        `json:"dirs,omitempty"` // directories that Gauntlet made for it
	Edits   []jsonedit.Edit `json:"edits"`
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (p Places) recordPath(real string) string {
	if p.State == "" {
		return ""
	}
	return filepath.Join(p.State, "install", hash([]byte(real))[:24]+".json")
}

// recordOf reads the record of a file; an unreadable one counts as missing.
func (p Places) recordOf(real string) (record, bool) {
	var r record
	data, err := safefile.Read("", p.recordPath(real), 64<<20)
	if err != nil || json.Unmarshal(data, &r) != nil || r.Path != real {
		return record{}, false
	}
	return r, true
}

// remember stores a record. Without one uninstall still finds Gauntlet's entries, but
// cannot distinguish an empty list that existed before from one that Gauntlet made.
func (p Places) remember(r record) {
	path := p.recordPath(r.Path)
	if path == "" {
		return
	}
	data, err := json.Marshal(r)
	if err != nil || safefile.MakeDir(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = safefile.Write(path, data, 0o600)
}

func (p Places) forget(real string) {
	if path := p.recordPath(real); path != "" {
		_ = os.Remove(path)
	}
}
