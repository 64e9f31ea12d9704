package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

const ignoreFile = ".gitignore"

// ignoreLogs plans the line of .gitignore that keeps the logs out of git; no file when
// there is nothing to do.
func ignoreLogs(root, logDir string) (File, string) {
	if filepath.IsAbs(logDir) {
		rel, err := filepath.Rel(root, logDir)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			return File{}, "" // outside the project: git does not see it
		}
		logDir = rel
	}
	directory := filepath.ToSlash(logDir)
	path := filepath.Join(root, ignoreFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{Path: ignoreFile, Action: Create, Text: ignoreLine(directory) + "\n"}, ""
	}
	data, readErr := safefile.Read(root, path, maxRead)
	if err != nil || readErr != nil || !info.Mode().IsRegular() && !ignores(string(data), directory) {
		return File{}, ignoreFile + " cannot be read or is a link, so add this line yourself: " + ignoreLine(directory)
	}
	text := string(data)
	if ignores(text, directory) {
		return File{Path: ignoreFile, Action: Keep}, ""
	}
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	added := ignoreLine(directory) + eol
	if text != "" && !strings.HasSuffix(text, "\n") {
		added = eol + added
	}
	return File{Path: ignoreFile, Action: Append, Text: added}, ""
}

// ignoreLine is anchored: a directory of that name elsewhere is not Gauntlet's.
func ignoreLine(directory string) string {
	var b strings.Builder
	b.WriteByte('/')
	for _, r := range directory {
		if strings.ContainsRune(`*?[]\ `, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String() + "/"
}

// ignores reports whether the text has a line for the directory already, however it
// is written. A line that takes it out again counts too: it was a decision.
func ignores(text, directory string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		line = strings.TrimPrefix(line, "!")
		line = strings.TrimPrefix(line, "**/")
		line = strings.TrimSuffix(strings.TrimSuffix(line, "/**"), "/*")
		line = strings.ReplaceAll(strings.Trim(line, "/"), `\`, "")
		if line != "" && (line == directory || strings.HasPrefix(directory, line+"/")) {
			return true
		}
	}
	return false
}
