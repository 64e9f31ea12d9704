package house

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// linters hold a part of the rules in the editor and in CI.
var linters = []string{"contextcheck", "depguard", "errcheck", "errorlint", "exhaustive", "forbidigo", "gochecknoinits", "noctx", "nolintlint"}

// TestLintersKnowTheRules compares .golangci.yml with the rules: the linters are on, and
// depguard knows the rings.
func TestLintersKnowTheRules(t *testing.T) {
	data, err := os.ReadFile("../../.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range linterProblems(string(data)) {
		t.Error(p)
	}
	for name, broken := range map[string]string{
		"a linter is off":              strings.Replace(string(data), "    - exhaustive\n", "", 1),
		"a room may import a surface":  strings.Replace(string(data), "{pkg: gauntlet/internal/ui,", "{pkg: gauntlet/internal/uix,", 1),
		"a leaf is not on its ring":    strings.Replace(string(data), "safefile,", "", 1),
		"a rule is without its reason": strings.Replace(string(data), ", desc: ring 0 is leaves}", "}", 1),
	} {
		if len(linterProblems(broken)) == 0 {
			t.Errorf("not caught: %s", name)
		}
	}
}

func linterProblems(config string) (out []string) {
	enabled, _, _ := strings.Cut(config, "  settings:")
	for _, l := range linters {
		if !strings.Contains(enabled, "    - "+l+"\n") {
			out = append(out, ".golangci.yml: the linter "+l+" is off")
		}
	}
	files := regexp.MustCompile(`files: \["\*\*/internal/\{([a-z,]+)\}/`).FindAllStringSubmatch(config, -1)
	if len(files) < 5 {
		return append(out, ".golangci.yml: depguard does not name the rooms of the rings 0 to 4")
	}
	for room, r := range ring {
		if room == "fleet" {
			continue // a module of its own: the main one cannot import it
		}
		if r < 5 && !strings.Contains(","+files[r][1]+",", ","+room+",") {
			out = append(out, fmt.Sprintf(".golangci.yml: depguard does not know that %s is on ring %d", room, r))
		}
		denied := regexp.MustCompile(`\{pkg: gauntlet/internal/`+room+`, desc: [^}]+\}`).FindAllString(config, -1)
		if r > 0 && len(denied) < r {
			out = append(out, fmt.Sprintf(".golangci.yml: depguard denies %s to %d of the %d rings below it, with a reason", room, len(denied), r))
		}
	}
	return out
}
