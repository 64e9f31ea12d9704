package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/redact"
)

const (
	toolPrefix  = "tool-"
	toolTimeout = 10 * time.Second
	maxToolText = 64 << 10
)

// ToolAsk is where and with which environment the versions of tools are queried.
type ToolAsk struct {
	Dir     string   // where the check runs
	Environ []string // its environment
	// Versions is a digest of the files that choose the version of a tool (.tool-versions,
	// go.mod, …): the file of a shim does not identify it.
	Versions string
}

// Tools is a digest of the output of each command, and its first line. It is remembered as
// long as the program that the command names is the same file, so that a query costs one
// stat.
func (l Ledger) Tools(ctx context.Context, commands []string, ask ToolAsk) map[string]string {
	if len(commands) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, command := range commands {
		out[command] = l.tool(ctx, command, ask)
	}
	return out
}

func (l Ledger) tool(ctx context.Context, command string, ask ToolAsk) string {
	name := ""
	if id, ok := program(command, ask); ok && l.dir != "" {
		name = toolPrefix + digest("with its first line", command, id, ask.Versions)[:32]
		var text string
		if data, ok := l.open(name); ok && json.Unmarshal(data, &text) == nil {
			return text
		}
	}
	stdout, stderr, res := proc.Output(ctx, proc.Cmd{
		Args: []string{"sh", "-c", command}, Dir: ask.Dir, Env: ask.Environ, Timeout: toolTimeout, Contain: true,
	}, maxToolText)
	line, _, _ := strings.Cut(strings.TrimSpace(string(stdout)+"\n"+string(stderr)), "\n")
	text := digest(fmt.Sprint(res.ExitCode), string(stdout), string(stderr)) + " " + redact.Line(line, 200)
	if name != "" && res.OK() {
		_ = l.write(name, text) // queried again next time
	}
	return text
}

// Version is the version that Tools found for a command: go1.26.8, node v22.1.0; "" if its
// output has none.
func Version(command, found string) string {
	words := strings.Fields(found)
	for _, w := range words[min(1, len(words)):] {
		w = strings.Trim(w, "(),;:")
		digit := strings.IndexAny(w, "0123456789")
		switch {
		case digit < 0 || !strings.Contains(w[digit:], "."):
		case digit > 0 && w[:digit] != "v":
			return w
		default:
			return filepath.Base(strings.Fields(command)[0]) + " " + w
		}
	}
	return ""
}

// program identifies the file that a command runs.
func program(command string, ask ToolAsk) (string, bool) {
	fields := strings.Fields(command)
	if len(fields) == 0 {
		return "", false
	}
	path := proc.LookIn(fields[0], ask.Environ, ask.Dir)
	if path == "" {
		return "", false
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	return fmt.Sprint(path, st.Size(), st.ModTime().UnixNano(), inode(st)), true
}
