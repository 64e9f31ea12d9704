package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Environment identifies the variables that can change how a command ends: all of them but
// those that differ between any two calls of one client.
func Environment(environ []string) string {
	var kept []string
	for _, v := range environ {
		if name, _, _ := strings.Cut(v, "="); !volatile(name) {
			kept = append(kept, v)
		}
	}
	slices.Sort(kept)
	h := sha256.New()
	for _, v := range slices.Compact(kept) {
		fmt.Fprintf(h, "%d:%s", len(v), v)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// volatile reports whether a variable says where a process runs, how its output is shown or
// which client started it.
func volatile(name string) bool {
	switch name {
	case "PWD", "OLDPWD", "SHLVL", "_", "TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "PAGER", "GIT_PAGER", "GH_PAGER", "GIT_EDITOR", "WINDOWID":
		return true
	}
	return slices.ContainsFunc(clientVars(), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// clientVars begin the names of the variables that clients set for their own children, some
// for hooks and some for the commands of their model.
func clientVars() []string {
	return []string{"CLAUDECODE", "CLAUDE_", "CODEX_", "GEMINI_", "QWEN_", "COPILOT_", "OPENCODE", "CURSOR_", "DROID_", "FACTORY_", "AI_AGENT"}
}
