package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// pages are the texts that people read.
func pages(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, glob := range []string{"*.md", "docs/*.md", "fleet/*.md", "packaging/*.md", "packaging/*/*.md", "packaging/*/commands/*", "packaging/*/skills/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", glob))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	if len(out) < 15 {
		t.Fatalf("only %d pages found", len(out))
	}
	return out
}

func TestLinksInTheDocumentation(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", page, target)
			}
		}
	}
}

// Commands and flags in the documentation exist.
func TestCommandsInTheDocumentation(t *testing.T) {
	typed := regexp.MustCompile("(?:^|[\\s`(\"!])gauntlet ([a-z][^`\\n|#;&<>()'\"]*)")
	seen := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range codeIn(string(text)) {
			for _, m := range typed.FindAllStringSubmatch(code, -1) {
				if strings.Contains(m[1], ": ") {
					continue // a message of the program, not a command
				}
				seen++
				if problem := unknownIn(strings.Fields(m[1])); problem != "" {
					t.Errorf("%s: gauntlet %s: %s", page, m[1], problem)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d commands found: the pages are read wrongly", seen)
	}
}

// codeIn is the text in code font: blocks, indented lines and spans.
func codeIn(text string) []string {
	var out []string
	fenced := false
	span := regexp.MustCompile("`[^`]+`")
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(line, "    "):
			out = append(out, line)
		default:
			out = append(out, span.FindAllString(line, -1)...)
		}
	}
	return out
}

// unknownIn finds the first word of a command line that the program does not know.
func unknownIn(args []string) string {
	root := System(os.Exit).root(nil)
	root.InitDefaultCompletionCmd(args...)
	var words []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			break
		}
		words = append(words, strings.TrimRight(a, ".,:"))
	}
	words = current(words)
	if words[0] == "help" || words[0] == "more" {
		return ""
	}
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err.Error()
	}
	if cmd == root {
		return "there is no such command"
	}
	if cmd.HasSubCommands() && !cmd.Runnable() && len(rest) > 0 && !placeholder(rest[0]) {
		return "there is no " + cmd.Name() + " " + rest[0]
	}
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimRight(a, ".,:]}…"), "=")
		if a = strings.TrimLeft(name, "[{"); len(a) > 1 && a[0] == '-' && !hasFlag(cmd, a) {
			return cmd.CommandPath() + " has no " + a
		}
	}
	return ""
}

// placeholder reports whether a word stands for one of several words, or any word.
func placeholder(word string) bool { return strings.ContainsAny(word, "|[…") }

func hasFlag(cmd *cobra.Command, flag string) bool {
	cmd.InitDefaultHelpFlag()
	if long, ok := strings.CutPrefix(flag, "--"); ok {
		return cmd.Flags().Lookup(long) != nil
	}
	return cmd.Flags().ShorthandLookup(flag[1:2]) != nil
}
