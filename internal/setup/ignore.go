package setup

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/safefile"
	"gauntlet/internal/tasks"
	"gauntlet/internal/tool"
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
	return ignoreIn(root, ignoreFile, filepath.ToSlash(logDir))
}

// ignoreOwn plans the lines of a tool's ignore file that make it leave Gauntlet's files alone.
func ignoreOwn(root string, t Trial) (File, string) {
	var own []string
	for _, file := range t.Rejects {
		if strings.HasPrefix(file, config.Dir+"/") {
			file = config.Dir
		}
		if !slices.Contains(own, file) {
			own = append(own, file)
		}
	}
	file, note := ignoreIn(root, t.Ignore, own[0])
	for _, more := range own[1:] {
		if next, _ := ignoreIn(root, t.Ignore, more); file.Action != Keep && next.Action != Keep {
			file.Text += strings.TrimLeft(next.Text, "\r\n")
		}
	}
	return file, note
}

// ignoreFileOf is the ignore file of the tool that a proposal runs; "" if none has one.
func ignoreFileOf(root string, p Proposal) string {
	for _, step := range tasks.New(safefile.FS(root)).Expand(p.Run, p.Dir) {
		for _, argv := range step.Views {
			if file := tool.Of(argv).IgnoreFile(); file != "" {
				return path.Join(p.Dir, file)
			}
		}
	}
	return ""
}

// ignoreIn plans the line of an ignore file that names a path.
func ignoreIn(root, file, name string) (File, string) {
	line := ignoreLine(name)
	if file != ignoreFile && path.Ext(path.Base(name)) != "" && !strings.HasPrefix(path.Base(name), ".") {
		line = strings.TrimSuffix(line, "/") // a file
	}
	at := filepath.Join(root, filepath.FromSlash(file))
	info, err := os.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return File{Path: file, Action: Create, Text: line + "\n"}, ""
	}
	data, readErr := safefile.Read(root, at, maxRead)
	if err != nil || readErr != nil || !info.Mode().IsRegular() && !ignores(string(data), name) {
		return File{}, file + " cannot be read or is a link, so add this line yourself: " + line
	}
	text := string(data)
	if ignores(text, name) {
		return File{Path: file, Action: Keep}, ""
	}
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	added := line + eol
	if text != "" && !strings.HasSuffix(text, "\n") {
		added = eol + added
	}
	return File{Path: file, Action: Append, Text: added}, ""
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
