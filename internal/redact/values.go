package redact

import (
	"slices"
	"strings"
)

// Values are secrets that are known by their value: those of environment variables with
// telling names. Programs print them in forms that no pattern matches.
type Values struct{ known []string }

// minValue is the length from which on a value is searched: shorter ones occur in any text.
const minValue = 8

// Environment collects the secrets of an environment (NAME=value).
func Environment(environ ...[]string) Values {
	var v Values
	for _, kv := range slices.Concat(environ...) {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= minValue && SecretName(name) && !placeholder(value) && !plainValue(value) {
			v.known = append(v.known, value)
		}
	}
	// The longest first: a value may contain another.
	slices.SortFunc(v.known, func(a, b string) int { return len(b) - len(a) })
	v.known = slices.Compact(v.known)
	return v
}

// SecretName reports whether the name of a variable suggests that its value is secret.
func SecretName(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"_FILE", "_PATH", "_DIR", "_SOCK", "_URL", "_NAME", "_ID", "_TYPE", "_COUNT", "_LIMIT", "_TTL", "_EXPIRES", "_HOST", "_PORT", "_USER", "_PUBLIC_KEY", "_AUTH_SOCK"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "_") {
		switch part {
		case "PASSWORD", "PASSWD", "PASS", "PGPASSWORD", "PASSPHRASE", "SECRET", "SECRETS", "TOKEN", "APIKEY", "CREDENTIAL", "CREDENTIALS", "DSN", "PAT":
			return true
		}
	}
	return strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "APIKEY") || strings.HasSuffix(name, "PASSWORD") || strings.HasSuffix(name, "TOKEN") || strings.HasSuffix(name, "SECRET")
}

// plainValue is a word, a number or a path, which other lines contain by chance.
func plainValue(v string) bool {
	if strings.HasPrefix(v, "/") && !strings.ContainsAny(v, "+=") {
		return true
	}
	digits, letters := 0, 0
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		default:
			return false
		}
	}
	return digits == 0 && letters < 16 || letters == 0 && digits < 12
}

// String is the package's String that also replaces the known values.
func (v Values) String(s string) string {
	s = Strip(s)
	for _, value := range v.known {
		s = strings.ReplaceAll(s, value, "[redacted]")
	}
	return String(s)
}
