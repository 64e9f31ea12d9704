package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

// DeniedFile lists keys of remote proofs that no longer count, one per line.
const DeniedFile = "denied_proofs"

// loadSigners reads whose remote proofs count and which of them do not; without the first
// file only the user's own count.
func (l *loader) loadSigners() {
	remote := l.out.Settings.Remote
	if remote.URL == "" {
		return
	}
	signers, _ := l.optional(remote.Signers)
	list, readable := l.optional(DeniedFile)
	if !readable {
		return // the deny list is unknown, so the proofs of others do not count
	}
	l.out.Signers = signers
	keys, bad := parseDenied(list)
	l.out.Denied = keys
	for _, n := range bad {
		l.out.Warnings = append(l.out.Warnings, fmt.Sprintf("%s:%d: not the key of a proof (64 hexadecimal digits); the line is ignored", path.Join(l.gates, DeniedFile), n))
	}
}

// optional reads a file of the policy that may be missing.
func (l *loader) optional(name string) (data []byte, readable bool) {
	name = path.Clean(filepath.ToSlash(name))
	if _, ok := l.policy[name]; !ok {
		return nil, true
	}
	data, fail := l.policy.read(name, path.Join(l.gates, name))
	if fail != nil {
		l.out.Warnings = append(l.out.Warnings, fail.Error()+"; remote proofs of others do not count")
		return nil, false
	}
	return data, true
}

// parseDenied reads the keys of a deny list, and the numbers of the invalid lines. The first
// word of a line is the key: what follows says why, and must not make the key count again.
func parseDenied(text []byte) (keys []string, bad []int) {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(strings.ToLower(line))
		switch {
		case len(words) == 0:
		case IsProofKey(words[0]):
			keys = append(keys, words[0])
		default:
			bad = append(bad, n)
		}
	}
	return keys, bad
}

// IsProofKey reports whether s is the key of a proof: a SHA-256 in hexadecimal.
func IsProofKey(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// Deny adds a key to the deny list of the project at root. added is false when it was
// already listed.
func Deny(root, key string) (added bool, err error) {
	file := filepath.Join(root, Dir, DeniedFile)
	text, err := safefile.Read(root, file, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if keys, _ := parseDenied(text); slices.Contains(keys, key) {
		return false, nil
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return true, safefile.WriteIn(root, file, append(text, key+"\n"...), os.FileMode(0o644))
}
