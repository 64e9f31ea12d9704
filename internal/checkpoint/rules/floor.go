package rules

import (
	"path"
	"slices"
	"strings"
)

// otherCode is how changed files that no category lists are shown.
const otherCode = "other code"

// unlisted reports whether a file is code that no category lists; what a category excludes
// was thought of. With a preset it calls
// for what every change calls for: the files are the floor, whatever they are named.
func (s *settings) unlisted(name string) bool {
	return s.floor && isCode(name) && !s.ignore.match(name) && !slices.ContainsFunc(s.categories, func(c *category) bool { return c.paths.match(name) })
}

// testData reports whether a file lies beside tests: together with tests it does not make a
// change more than one of tests.
func testData(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(dir string) bool {
		return slices.Contains([]string{"test", "tests", "testdata", "__tests__", "fixtures", "spec"}, dir)
	})
}

// isCode reports whether a change to a file may change what the project does. Hidden files
// are settings of tools; pictures, documents and archives are read by people.
func isCode(name string) bool {
	base := strings.ToLower(path.Base(name))
	if strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return false
	}
	switch ext := path.Ext(base); ext {
	case ".txt":
		return base == "cmakelists.txt" || strings.HasPrefix(base, "requirements") || strings.HasPrefix(base, "constraints")
	case "":
		return !slices.Contains([]string{"license", "licence", "copying", "notice", "authors", "contributors", "codeowners", "readme", "changelog", "changes", "todo", "version"}, base)
	default:
		return !slices.Contains([]string{
			".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".icns", ".bmp", ".tiff", ".psd", ".svg", ".mp3", ".mp4", ".wav", ".ogg", ".webm", ".mov",
			".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".md", ".markdown", ".rst", ".adoc", ".org", ".woff", ".woff2", ".ttf", ".otf", ".eot",
			".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".tar", ".log", ".bak", ".orig", ".rej", ".swp", ".patch", ".diff",
		}, ext)
	}
}
