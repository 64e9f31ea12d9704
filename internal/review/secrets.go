package review

import (
	"bytes"
	"strings"

	"gauntlet/internal/redact"
)

// withoutSecrets is a diff that may be sent to a reviewer: files whose names suggest
// secrets are left out, and what looks like a secret elsewhere is replaced. What is left
// out is listed.
func withoutSecrets(diff []byte, values redact.Values) (clean []byte, leftOut []string) {
	var b bytes.Buffer
	for _, section := range sections(diff) {
		secret := ""
		for name := range parseDiff(section) {
			if redact.SecretFile(name) {
				secret = name
			}
		}
		if secret != "" {
			leftOut = append(leftOut, redact.Line(secret, 200))
			continue
		}
		b.WriteString(values.String(string(section)))
	}
	return b.Bytes(), leftOut
}

// sections splits a diff, one section per file. A line inside a hunk begins with a sign, so
// only a header begins with its own word.
func sections(diff []byte) [][]byte {
	var out [][]byte
	start := 0
	for i := 0; i < len(diff); {
		end := bytes.IndexByte(diff[i:], '\n')
		if end < 0 {
			break
		}
		i += end + 1
		if bytes.HasPrefix(diff[i:], []byte("diff --git ")) {
			out = append(out, diff[start:i])
			start = i
		}
	}
	if start < len(diff) {
		out = append(out, diff[start:])
	}
	return out
}

// leftOutNote names the files that were not sent.
func leftOutNote(names []string) string {
	return "not sent to the reviewer, because their names suggest secrets: " + strings.Join(names, ", ")
}
