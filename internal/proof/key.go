package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"maps"
	"runtime"
	"slices"
	"strconv"

	"gauntlet/internal/git"
)

// schema is the version of the keys. Raising it starts with an empty ledger.
const schema = "2"

// Subject is everything the outcome of a check may depend on, and nothing else:
// no absolute path, no time, no branch name.
type Subject struct {
	Epoch    int
	Gate     string // its name
	Dir      string // relative to the project root
	Command  string
	Env      map[string]string
	Settings []string          // name=value of everything else that changes the outcome
	Tools    map[string]string // output of the check's `tools`, by command
	Base     string            // commit of the base branch, only if the command uses it
	Files    []git.File        // inputs that git knows, by path
	Others   map[string]string // inputs that git ignores, and lock files, with a digest
}

// Key names a subject.
type Key struct {
	ID string `json:"id"`
	// Parts are digests by part, so that a person can be shown which of them differs.
	Parts map[string]string `json:"parts"`
	Files int               `json:"files"` // how many inputs there are
}

// The parts of a key, in the order in which a difference is reported.
const (
	PartCommand  = "command"
	PartEnv      = "env"
	PartSettings = "settings"
	PartPlatform = "platform"
	PartTools    = "tools"
	PartBase     = "base commit"
	PartFiles    = "files"
	PartOthers   = "ignored inputs and lock files"
)

// PartNames are all parts, in that order.
func PartNames() []string {
	return []string{PartCommand, PartEnv, PartSettings, PartPlatform, PartTools, PartBase, PartFiles, PartOthers}
}

// Platform is what a proof is bound to besides its content.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// Key computes the subject's key.
func (s Subject) Key() Key {
	parts := map[string]string{
		PartCommand: digest(s.Dir, s.Command), PartEnv: digestMap(s.Env), PartSettings: digest(s.Settings...),
		PartPlatform: digest(Platform()), PartTools: digestMap(s.Tools), PartBase: digest(s.Base),
		PartFiles: git.DigestFiles(s.Files), PartOthers: digestMap(s.Others),
	}
	all := []string{"gauntlet proof", schema, strconv.Itoa(s.Epoch), s.Gate}
	for _, name := range PartNames() {
		all = append(all, parts[name])
	}
	return Key{ID: digest(all...), Parts: parts, Files: len(s.Files) + len(s.Others)}
}

// Differs lists the parts in which two keys differ.
func (k Key) Differs(parts map[string]string) []string {
	var out []string
	for _, name := range PartNames() {
		if k.Parts[name] != parts[name] {
			out = append(out, name)
		}
	}
	return out
}

// put writes text so that no two lists of texts have the same encoding.
func put(h hash.Hash, buf []byte, text string) []byte {
	buf = strconv.AppendInt(buf[:0], int64(len(text)), 10)
	buf = append(buf, ':')
	buf = append(buf, text...)
	h.Write(buf)
	return buf
}

func digest(parts ...string) string {
	h := sha256.New()
	var buf []byte
	for _, p := range parts {
		buf = put(h, buf, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digestMap(m map[string]string) string {
	parts := make([]string, 0, 2*len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k, m[k])
	}
	return digest(parts...)
}
