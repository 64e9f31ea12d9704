package attest

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// Signer is one line of an allowed_signers file.
type Signer struct {
	Principals  []string
	Key         PublicKey
	ValidAfter  time.Time // zero: always
	ValidBefore time.Time // zero: for ever
}

// Name is the signer's name in messages.
func (s Signer) Name() string {
	if len(s.Principals) == 0 {
		return s.Key.Fingerprint()
	}
	return s.Principals[0]
}

// Valid reports whether the signer's signatures count at t.
func (s Signer) Valid(t time.Time) bool {
	return (s.ValidAfter.IsZero() || !t.Before(s.ValidAfter)) && (s.ValidBefore.IsZero() || t.Before(s.ValidBefore))
}

// Signers are the keys whose signatures count.
type Signers []Signer

// ParseSigners reads OpenSSH's allowed_signers format. An invalid line is skipped and
// reported in a warning: a typo never admits an unknown key, and never stops a gate.
func ParseSigners(file string, text []byte) (Signers, []string) {
	var out Signers
	var warnings []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<10)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, ok, err := parseSigner(line)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %v; the line is ignored", file, n, err))
		}
		if ok {
			out = append(out, s)
		}
	}
	if err := lines.Err(); err != nil {
		warnings = append(warnings, fmt.Sprintf("%s: %v; what follows is ignored", file, err))
	}
	return out, warnings
}

// parseSigner reads "principals [options] type base64 [comment]". ok is false without an
// error for a line that is not about proofs.
func parseSigner(line string) (s Signer, ok bool, err error) {
	words := splitQuoted(line)
	if len(words) < 3 {
		return s, false, fmt.Errorf("want `principals [options] key-type base64-key`")
	}
	s.Principals = strings.Split(strings.Trim(words[0], `"`), ",")
	words = words[1:]
	if _, err := ParsePublicKey(words[0], words[1]); err != nil && len(words) > 2 {
		use, err := s.options(words[0])
		if err != nil || !use {
			return s, false, err
		}
		words = words[1:]
	}
	s.Key, err = ParsePublicKey(words[0], words[1])
	return s, err == nil, err
}

// options reads the comma-separated options of a line; use is false when they
// restrict it to namespaces other than Gauntlet's.
func (s *Signer) options(list string) (use bool, err error) {
	use = true
	for _, o := range splitOutsideQuotes(list, ',') {
		name, value, _ := strings.Cut(o, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "namespaces":
			use = matchesAny(value, Namespace)
		case "valid-after":
			s.ValidAfter, err = parseTime(value)
		case "valid-before":
			s.ValidBefore, err = parseTime(value)
		case "cert-authority":
			return false, fmt.Errorf("certificate authorities are not supported")
		default:
			return false, fmt.Errorf("unknown option %q", cut([]byte(name)))
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
	}
	return use, nil
}

func matchesAny(patterns, name string) bool {
	for _, p := range strings.Split(patterns, ",") {
		if ok, err := path.Match(p, name); err == nil && ok {
			return true
		}
	}
	return false
}

// parseTime reads OpenSSH's YYYYMMDD[Z] and YYYYMMDDHHMM[SS][Z].
func parseTime(s string) (time.Time, error) {
	zone := time.Local
	digits, utc := strings.CutSuffix(s, "Z")
	if utc {
		zone = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(layout) {
			return time.ParseInLocation(layout, digits, zone)
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 20270131 or 202701311200Z", cut([]byte(s)))
}

// splitQuoted splits a line at blanks outside double quotes.
func splitQuoted(line string) []string {
	var out []string
	for _, w := range splitOutsideQuotes(strings.ReplaceAll(line, "\t", " "), ' ') {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

func splitOutsideQuotes(s string, sep byte) []string {
	var out []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == sep && !quoted:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// Has reports whether a line names the key.
func (list Signers) Has(key PublicKey) bool {
	return slices.ContainsFunc(list, func(s Signer) bool { return s.is(key) })
}

// Find returns the first signer with this key whose signatures count at all the times.
func (list Signers) Find(key PublicKey, at ...time.Time) (Signer, bool) {
	for _, s := range list {
		if s.is(key) && !slices.ContainsFunc(at, func(t time.Time) bool { return !s.Valid(t) }) {
			return s, true
		}
	}
	return Signer{}, false
}

func (s Signer) is(key PublicKey) bool {
	return s.Key.Type == key.Type && bytes.Equal(s.Key.Blob, key.Blob)
}
