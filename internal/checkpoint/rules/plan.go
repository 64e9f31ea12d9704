package rules

import (
	"path"
	"slices"
	"strings"
)

// ParsePlan reads the file names from the "Files to Change" table of an implementation
// plan. Without such a table there are no names.
func ParsePlan(text string) []string {
	var files []string
	inSection, column := false, -1
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if title, isHeading := heading(line); isHeading {
			inSection = strings.Contains(strings.ToLower(title), "files to change")
			column = -1
			continue
		}
		if !inSection || !strings.HasPrefix(line, "|") {
			continue
		}
		cells := tableCells(line)
		switch {
		case isRule(cells):
		case column < 0:
			column = fileColumn(cells)
		case column < len(cells):
			files = append(files, cellFiles(cells[column])...)
		}
		if len(files) > 1000 {
			break
		}
	}
	return files
}

// heading is the title of a markdown heading, or of a line that is only bold.
func heading(line string) (string, bool) {
	if strings.HasPrefix(line, "#") {
		return strings.Trim(line, "# "), true
	}
	if len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**") {
		return strings.Trim(line, "*: "), true
	}
	return "", false
}

func tableCells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	line = strings.ReplaceAll(line, `\|`, "\x00")
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "\x00", "|"))
	}
	return cells
}

// isRule reports whether the line is the |---|:--| line under a table's head.
func isRule(cells []string) bool {
	return !slices.ContainsFunc(cells, func(c string) bool { return strings.Trim(c, "-: ") != "" || !strings.Contains(c, "-") })
}

// fileColumn is the column that contains the files: the one whose head says so, else the
// first.
func fileColumn(head []string) int {
	for i, c := range head {
		c = strings.ToLower(c)
		if strings.Contains(c, "file") || strings.Contains(c, "path") {
			return i
		}
	}
	return 0
}

// cellFiles are the names in a cell: in backticks when there are any, else
// words that look like paths.
func cellFiles(cell string) []string {
	var candidates []string
	if parts := strings.Split(cell, "`"); len(parts) > 2 {
		for i := 1; i < len(parts); i += 2 {
			candidates = append(candidates, parts[i])
		}
	} else {
		if _, target, isLink := strings.Cut(cell, "]("); isLink {
			cell = strings.TrimSuffix(strings.TrimSpace(target), ")")
		}
		candidates = strings.FieldsFunc(cell, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	}
	var out []string
	for _, c := range candidates {
		c = strings.TrimSpace(strings.Trim(c, "*\"'"))
		if i := strings.IndexByte(c, ':'); i > 0 {
			c = c[:i] // file.py:42
		}
		if c == "" || !strings.ContainsAny(c, "./") && !knownName(c) {
			continue
		}
		directory := strings.HasSuffix(c, "/")
		c = path.Clean(strings.TrimPrefix(c, "./"))
		if c == "." || c == "/" || strings.HasPrefix(c, "..") {
			continue
		}
		if directory {
			c += "/"
		}
		out = append(out, c)
	}
	return out
}

// knownName reports whether a file is commonly named without an extension.
func knownName(name string) bool {
	return slices.Contains([]string{
		"Makefile", "Dockerfile", "Justfile", "justfile", "Procfile", "Rakefile", "Gemfile", "LICENSE", "Jenkinsfile", "Pipfile", "Vagrantfile",
	}, name)
}

// drifted reports whether nothing of the plan was touched.
func drifted(plan *Plan, roots naming, touched func(g globs) bool) bool {
	if plan == nil || plan.Slug == "" || len(plan.Files) == 0 {
		return false
	}
	patterns := make([]string, 0, len(plan.Files))
	for _, f := range plan.Files {
		patterns = append(patterns, roots.file(f, ""))
	}
	return !touched(newGlobs(patterns))
}
