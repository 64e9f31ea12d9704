package config

import (
	"strings"
	"testing"
)

// What a person writes without quotes is never read as another command, and the error says
// what to write instead.
func TestTextsThatNeedQuotes(t *testing.T) {
	const command = `put the whole command in quotes, or on the next line, indented, after "command: |"`
	for text, want := range map[string]string{
		"! grep -q x f":         `checks/lint.yml:1:10: command: "!" begins a YAML tag; put the whole value in quotes`,
		"!grep -q x f":          `checks/lint.yml:1:10: command: "!grep" begins a YAML tag; put the whole value in quotes`,
		`echo "a: b"`:           command,
		"make test:":            command,
		"[ -f x ] && make test": command,
		`"npm" run test`:        command,
		"@foo run":              command,
		"> out.txt make":        command,
		"!!str make":            "",
		"'! grep -q x f'":       "",
		"|\n  ! grep 'a: b' f":  "",
		"make -k 'a b'":         "",
	} {
		_, err := Load(project(t, map[string]string{"config.yml": minimal, "checks/lint.yml": "command: " + text + "\n"}), env(t))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)):
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"exclude: [**/*.md]":       `config.yml:4:16: is not valid YAML: unexpected scalar value type; put it in quotes: "**/*.md"`,
		"exclude:\n      - **/*.x": `put it in quotes: "**/*.x"`,
		"exclude: ['a', *.md]":     `unknown anchor ".md"; a text that begins with "*" needs quotes`,
		"base: main: x":            `put it in quotes: "main: x"`,
		"exclude: [a":              "is not valid YAML: sequence end token ']' not found",
		"exclude: \"a":             "is not valid YAML: could not find end character of double-quoted text",
	} {
		_, err := Load(project(t, map[string]string{
			"config.yml": "entry_points:\n  - path: .\n    checks: [lint]\n    " + text + "\n", "checks/lint.yml": "command: x\n",
		}), env(t))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
