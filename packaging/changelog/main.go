// Command changelog makes a release out of the files in changelog/unreleased: it moves them
// to changelog/VERSION and writes their section into CHANGELOG.md.
//
//	go run ./packaging/changelog -version 0.3.0 -date 2026-11-16
//
// A file has a kind in its first line (added, changed, fixed, removed, security), a blank
// line, and what a user should know. summary.md, without a kind, opens the section.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	version := flag.String("version", "", "the release, as 0.3.0")
	date := flag.String("date", "", "its day, as 2026-11-16")
	dir := flag.String("dir", ".", "the repository")
	flag.Parse()
	if err := release(*dir, *version, *date); err != nil {
		fmt.Fprintln(os.Stderr, "changelog:", err)
		os.Exit(1)
	}
}

// kinds are the parts of a section, in their order.
var kinds = []string{"security", "added", "changed", "fixed", "removed"}

func release(root, version, date string) error {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) || !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(date) {
		return fmt.Errorf("version %q and date %q: want -version 0.3.0 -date 2026-11-16", version, date)
	}
	from, to := filepath.Join(root, "changelog", "unreleased"), filepath.Join(root, "changelog", version)
	section, err := sectionOf(from, version, date)
	if err != nil {
		return err
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: choose the next version", to)
	}
	page := filepath.Join(root, "CHANGELOG.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(text), "\n## ")
	if !found {
		return fmt.Errorf("%s has no section: it begins with one `## VERSION - DATE`", page)
	}
	if err := os.WriteFile(page, []byte(head+"\n"+section+"\n## "+rest), 0o644); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// sectionOf is the section of a release, from its files.
func sectionOf(dir, version, date string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", fmt.Errorf("%s has no files: nothing to release", dir)
	}
	summary, byKind := "", map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if filepath.Base(file) == "summary.md" {
			summary = strings.TrimSpace(string(data)) + "\n\n"
			continue
		}
		kind, text, _ := strings.Cut(string(data), "\n")
		kind, text = strings.TrimSpace(kind), strings.Join(strings.Fields(text), " ")
		if !slices.Contains(kinds, kind) || text == "" {
			return "", fmt.Errorf("%s:1: %q is not a kind: write one of %s, a blank line, and a text", file, kind, strings.Join(kinds, ", "))
		}
		byKind[kind] = append(byKind[kind], "- "+text+"\n")
	}
	out := "## " + version + " - " + date + "\n\n" + summary
	for _, kind := range kinds {
		if len(byKind[kind]) > 0 {
			out += "### " + strings.ToUpper(kind[:1]) + kind[1:] + "\n" + strings.Join(byKind[kind], "") + "\n"
		}
	}
	return strings.TrimRight(out, "\n") + "\n", nil
}
