package transcript

import (
	"bytes"
	"io"
	"strings"
)

const (
	clientHead  = 64 << 10 // the first line may contain the client's instructions
	clientTail  = 64 << 10
	clientLines = 20
)

// clientVersion is the version of the client that wrote a log, "" if unknown. Some clients
// write it on every line, and a resumed session continues with a newer client: so the
// newest lines are read before the first.
func clientVersion(f io.ReaderAt, size int64) string {
	tail := make([]byte, min(size, clientTail))
	n, _ := f.ReadAt(tail, size-int64(len(tail)))
	lines := bytes.Split(tail[:n], []byte("\n"))
	for i := len(lines) - 1; i >= max(0, len(lines)-clientLines); i-- {
		if v := field(lines[i], "version"); v != nil && field(lines[i], "sessionId") != nil {
			if s := versionText(v); s != "" {
				return s
			}
		}
	}
	head := make([]byte, min(size, clientHead))
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF { //nolint:errorlint // ReadAt's own
		return ""
	}
	first, _, _ := bytes.Cut(head[:n], []byte("\n"))
	for _, v := range [][]byte{path(first, "payload", "cli_version"), path(first, "data", "copilotVersion")} {
		if s := versionText(v); s != "" {
			return s
		}
	}
	return ""
}

// versionText is a version that looks like one: it is shown to people.
func versionText(raw []byte) string {
	s := text(raw)
	if s == "" || len(s) > 40 || strings.Trim(s, "0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-_") != "" || strings.Trim(s, "0123456789") == s {
		return ""
	}
	return s
}
