package weaken

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// suppressor is a word that silences a linter or a coverage tool at its place.
type suppressor struct {
	word  string
	langs string // in which languages; "" in all
	shown string // how it is reported; "" for the word itself
	// comment: it counts only in a comment.
	comment bool
}

func suppressors() []suppressor {
	return []suppressor{
		{"nolint", "go", "//nolint", true},
		{"lint:ignore", "go", "", true},
		{"nosec", "go python", "#nosec", true},
		{"noqa", "python", "# noqa", true},
		{"type: ignore", "python", "# type: ignore", true},
		{"pyright: ignore", "python", "# pyright: ignore", true},
		{"mypy: ignore-errors", "python", "", true},
		{"pylint: disable", "python", "# pylint: disable", true},
		{"pragma: no cover", "python", "# pragma: no cover", true},
		{"eslint-disable", "node", "", true},
		{"oxlint-disable", "node", "", true},
		{"tslint:disable", "node", "", true},
		{"biome-ignore", "node shell", "", true},
		{"@ts-ignore", "node", "", true},
		{"@ts-nocheck", "node", "", true},
		{"@ts-expect-error", "node", "", true},
		{"istanbul ignore", "node", "", true},
		{"c8 ignore", "node", "", true},
		{"v8 ignore", "node", "", true},
		{"stylelint-disable", "shell node", "", true},
		{"#[allow(", "rust", "#[allow]", false},
		{"#![allow(", "rust", "#![allow]", false},
		{"@SuppressWarnings", "java", "", false},
		{"@Suppress(", "java", "@Suppress", false},
		{"noinspection", "java php node", "", true},
		{"NOSONAR", "", "", true},
		{"nosemgrep", "", "", true},
		{"rubocop:disable", "ruby", "", true},
		{"phpcs:ignore", "php", "", true},
		{"phpcs:disable", "php", "", true},
		{"@phpstan-ignore", "php", "", true},
		{"@psalm-suppress", "php", "", true},
		{"pragma warning disable", "dotnet", "#pragma warning disable", false},
		{"[SuppressMessage", "dotnet", "", false},
		{"credo:disable", "elixir", "", true},
		{"swiftlint:disable", "swift", "", true},
		{"NOLINT", "c", "", true},
		{"shellcheck disable", "shell bats", "", true},
		{"--no-verify", "shell bats", "", false},
		{"tfsec:ignore", "shell", "", true},
	}
}

// suppressions counts the words that silence a linter.
func suppressions(name, text string) map[string]int {
	lang := language(name)
	if lang == "" {
		return nil
	}
	var out map[string]int
	for _, s := range suppressors() {
		if s.langs != "" && !slices.Contains(strings.Fields(s.langs), lang) || !strings.Contains(text, s.word) {
			continue
		}
		n := 0
		for line := range strings.Lines(text) {
			if i := strings.Index(line, s.word); i >= 0 && (!s.comment || inComment(lang, line[:i])) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		if out == nil {
			out = map[string]int{}
		}
		shown := cmp.Or(s.shown, s.word)
		out[shown] += n
	}
	return out
}

// inComment reports whether a comment starts right after this beginning of a line. A word
// in the middle of a sentence, or in a string, silences nothing.
func inComment(lang, before string) bool {
	starts := []string{"//", "/*", "{/*", "*", "<!--"}
	switch lang {
	case "python", "ruby", "elixir":
		starts = []string{"#"}
	case "shell", "bats", "php":
		starts = append(starts, "#")
	}
	trimmed := strings.TrimRight(before, " \t")
	for _, s := range starts {
		rest, ok := strings.CutSuffix(trimmed, s)
		if !ok {
			// `# ruff: noqa`, `// #nosec`, `// @ts-ignore`, `/** @psalm-suppress`
			if i := strings.LastIndex(trimmed, s); i >= 0 && len(strings.Fields(trimmed[i+len(s):])) <= 1 {
				rest, ok = trimmed[:i], true
			}
		}
		if ok && balanced(rest) {
			return true
		}
	}
	return false
}

// balanced reports whether no string is open at the end.
func balanced(s string) bool {
	return strings.Count(s, `"`)%2 == 0 && strings.Count(s, "`")%2 == 0 && strings.Count(s, "'")%2 == 0
}

// isSettings reports whether it is a configuration file of tests or linters.
func isSettings(name string) bool {
	base := path.Base(name)
	switch base {
	case "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "ruff.toml", ".ruff.toml", ".flake8", ".pylintrc", ".coveragerc", "mypy.ini", ".mypy.ini", "pyrightconfig.json", "phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon",
		"package.json", "biome.json", "biome.jsonc", ".nycrc", ".nycrc.json", ".c8rc.json", ".golangci.yml", ".golangci.yaml", ".golangci.toml",
		".rubocop.yml", "codecov.yml", ".codecov.yml", "detekt.yml", ".swiftlint.yml", ".markdownlint.json", ".stylelintrc.json", ".stylelintrc":
		return true
	}
	if isTSConfig(base) {
		return true
	}
	for _, prefix := range []string{".eslintrc", "eslint.config.", "jest.config.", "vitest.config.", "vite.config.", ".oxlintrc"} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return false
}

// settings counts the rules that a configuration switches off, and reads the
// thresholds in it.
func settings(name, text string) (off int, limits map[string][]float64) {
	if !isSettings(name) {
		return 0, nil
	}
	off = strings.Count(text, `"off"`) + strings.Count(text, `'off'`) + strings.Count(text, "Enabled: false") + strings.Count(text, "--no-verify")
	for _, key := range []string{"disable", "ignore", "extend-ignore", "exclude-rules", "disabled_rules"} {
		off += listed(text, key)
	}
	add := func(key string, value float64) {
		if limits == nil {
			limits = map[string][]float64{}
		}
		limits[key] = append(limits[key], value)
	}
	if key, level, ok := level(name, text); ok {
		add(key, level)
	}
	coverage := strings.Contains(text, "hreshold") || strings.Contains(path.Base(name), "nycrc") || strings.Contains(path.Base(name), "c8rc")
	for _, key := range []string{"fail_under", "cov-fail-under", "minimum_coverage", "branches", "functions", "lines", "statements"} {
		if len(key) < 11 && key != "fail_under" && !coverage {
			continue
		}
		for rest := text; ; {
			i := strings.Index(rest, key)
			if i < 0 {
				break
			}
			rest = rest[i+len(key):]
			if value, ok := number(rest); ok {
				add(key, value)
			}
		}
	}
	return off, limits
}

// number is the value that follows a key: `": 80`, ` = 80`, `=80`.
func number(s string) (float64, bool) {
	s = strings.TrimLeft(s, "\"' \t")
	if s == "" || s[0] != ':' && s[0] != '=' {
		return 0, false
	}
	s = strings.TrimLeft(s[1:], "\"' \t")
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' })
	if end >= 0 {
		s = s[:end]
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// listed counts the entries of the lists under a key, in YAML, TOML or an ini file.
func listed(text, key string) int {
	n := 0
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\"'"), key)
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " \t\"'")
		if rest == "" || rest[0] != ':' && rest[0] != '=' {
			continue
		}
		rest = strings.TrimSpace(rest[1:])
		if open, found := strings.CutPrefix(rest, "["); found {
			list, _, _ := strings.Cut(open+"\n"+strings.Join(lines[i+1:], "\n"), "]")
			n += entries(list)
			continue
		}
		if rest != "" {
			n += entries(rest)
			continue
		}
		for _, below := range lines[i+1:] {
			below = strings.TrimSpace(below)
			if strings.HasPrefix(below, "- ") {
				n++
			} else if below != "" && !strings.HasPrefix(below, "#") {
				break
			}
		}
	}
	return n
}

// entries counts what commas and line ends separate.
func entries(list string) int {
	n := 0
	for _, e := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '\n' }) {
		if e = strings.TrimSpace(e); e != "" && e[0] != '#' {
			n++
		}
	}
	return n
}
