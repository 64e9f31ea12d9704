package fleet

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"gauntlet/fleet/postgres"
)

// names decides how machines and people appear outside this machine: as a hash that only
// the key can make, unless the user wants them in plain text.
type names struct {
	plain   bool
	key     []byte // the team's salt, or a key of this machine
	machine string
	person  string
	home    string
}

// origin is the sender.
func (n names) origin() postgres.Origin {
	if n.plain {
		return postgres.Origin{Machine: n.machine, Person: n.person}
	}
	return postgres.Origin{Machine: n.hash("machine", n.machine), Person: n.hash("person", n.person)}
}

func (n names) hash(kind, name string) string {
	if name == "" {
		return ""
	}
	h := hmac.New(sha256.New, n.key)
	h.Write([]byte(kind + "\x00" + name))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// line is a record as it is sent: without what the person asked for, and paths below the home
// directory, which contains its owner's name, begin with a tilde.
func (n names) line(b []byte) []byte {
	if fields := map[string]json.RawMessage{}; bytes.Contains(b, []byte(`"prompt"`)) && json.Unmarshal(b, &fields) == nil {
		delete(fields, "prompt")
		if without, err := json.Marshal(fields); err == nil {
			b = without
		}
	}
	if n.plain || len(n.home) < 2 {
		return b
	}
	quoted, err := json.Marshal(n.home)
	if err != nil {
		return b
	}
	return bytes.ReplaceAll(b, bytes.Trim(quoted, `"`), []byte("~"))
}
