package share

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"time"

	"gauntlet/internal/proof/remote"
	"gauntlet/internal/safefile"
	"gauntlet/internal/text"
)

// Outage remembers between processes that a server did not answer, so that not every stop
// waits for it: the remote cache, and what runs checks elsewhere.
type Outage struct {
	dir, file string // "" without a state home: then nothing is remembered
	limit     int    // failures in a row after which the server is left alone
	now       func() time.Time
}

// NewOutage is what is remembered of a server, named by its address.
func NewOutage(stateHome, server string, limit int, now func() time.Time) Outage {
	o := Outage{limit: limit, now: now}
	if stateHome != "" {
		sum := sha256.Sum256([]byte(server))
		o.dir = filepath.Join(stateHome, "gauntlet", "remote")
		o.file = filepath.Join(o.dir, hex.EncodeToString(sum[:8])+".json")
	}
	return o
}

// Lasts reports whether the server is left alone now.
func (o Outage) Lasts() bool { return o.read().Open(o.now()) }

// Learn remembers whether the server answered. It is true once per outage: from now on the
// server is left alone.
func (o Outage) Learn(answered bool) bool { return o.learn(o.read(), answered) }

func (o Outage) learn(was remote.Breaker, answered bool) bool {
	next, tripped := was.After(!answered, o.limit, o.now())
	if next != was {
		o.write(next)
	}
	return tripped
}

// Pause is how long a server is left alone, in words.
func (Outage) Pause() string { return text.Count(int(remote.Pause.Minutes()), "minute") }

func (o Outage) read() (b remote.Breaker) {
	if o.file == "" {
		return b
	}
	kept, err := safefile.Read(o.dir, o.file, 4<<10)
	if err != nil || json.Unmarshal(kept, &b) != nil {
		return remote.Breaker{}
	}
	return b
}

// write remembers how the server answered; if that fails the server is queried again next
// time.
func (o Outage) write(b remote.Breaker) {
	kept, err := json.Marshal(b)
	if err == nil && o.file != "" && safefile.MakeDir(o.dir, 0o700) == nil {
		_ = safefile.Put(o.dir, o.file, kept, 0o600)
	}
}
