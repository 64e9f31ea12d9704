package redact

import (
	"path"
	"strings"
)

// SecretFile reports whether the name of a file suggests secrets. Such files are neither
// sent to a reviewer nor committed by Gauntlet.
func SecretFile(name string) bool {
	base := path.Base(strings.ReplaceAll(name, "\\", "/"))
	lower := strings.ToLower(base)
	switch {
	case strings.HasPrefix(lower, ".env"), strings.HasSuffix(lower, ".pem"), lower == ".netrc", lower == "_netrc", lower == ".npmrc", lower == ".pypirc", lower == ".pgpass", lower == ".htpasswd":
		return true
	case strings.HasPrefix(lower, "id_"), strings.HasPrefix(lower, "credentials"):
		return !isSource(lower)
	}
	return false
}

// isSource distinguishes a program or a text about keys from a key.
func isSource(name string) bool {
	switch path.Ext(name) {
	case ".go", ".py", ".pyi", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".rb", ".rs", ".java", ".kt", ".kts", ".scala", ".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".mm",
		".cs", ".fs", ".php", ".swift", ".dart", ".ex", ".exs", ".erl", ".hs", ".lua", ".pl", ".r", ".sql", ".sh", ".vue", ".svelte", ".html", ".css", ".scss", ".md", ".mdx", ".rst", ".adoc", ".proto", ".graphql", ".snap", ".svg", ".png":
		return true
	}
	return false
}
