package history

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"

	"gauntlet/internal/safefile"
)

// tail is how much of the newest segment is searched for a session's last verdict.
const tail = 1 << 20

// Last finds the newest verdict of a session near the end of the spool. It is
// for displays that may miss one, and reads a bounded amount.
func Last(dir, session string) (Record, bool) {
	names, err := Segments(dir)
	if err != nil || len(names) == 0 {
		return Record{}, false
	}
	f, err := safefile.Open(dir, filepath.Join(dir, names[len(names)-1]))
	if err != nil {
		return Record{}, false
	}
	defer f.Close() //nolint:errcheck // read only
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		if _, err := f.Seek(-tail, io.SeekEnd); err != nil {
			return Record{}, false
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, tail))
	if err != nil {
		return Record{}, false
	}
	lines := bytes.Split(b, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		var r Record
		if json.Unmarshal(lines[i], &r) == nil && r.Type == Verdict && r.Session == session {
			return r, true
		}
	}
	return Record{}, false
}
