package git

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSafeDirectory: which repositories of another user git was told to trust, as git
// itself decides it.
func TestSafeDirectory(t *testing.T) {
	home := t.TempDir()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		global, system string
		env            map[string]string
		want           bool
	}{
		"nothing":              {},
		"everything":           {global: "[safe]\n\tdirectory = *\n", want: true},
		"this one":             {global: "[safe]\n\tdirectory = " + root + "\n", want: true},
		"this one, with slash": {global: "[safe] directory = \"" + root + "/\"\n", want: true},
		"another one":          {global: "[safe]\n\tdirectory = " + root + "2\n"},
		"those below":          {global: "[safe]\n\tdirectory = " + filepath.Dir(root) + "/*\n", want: true},
		"those below another":  {global: "[safe]\n\tdirectory = " + root + "/*\n"},
		"taken back":           {global: "[safe]\n\tdirectory = *\n\tdirectory =\n"},
		"other section":        {global: "[unsafe]\n\tdirectory = *\n"},
		"system":               {system: "[safe]\n\tdirectory = *\n", want: true},
		"system, taken back":   {system: "[safe]\n\tdirectory = *\n", global: "[safe]\n\tdirectory = \n"},
		"no system":            {system: "[safe]\n\tdirectory = *\n", env: map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}},
		"variables":            {env: map[string]string{"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}, want: true},
		"more than counted":    {env: map[string]string{"GIT_CONFIG_COUNT": "0", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}},
		"under a condition":    {global: "[includeIf \"gitdir:*\"]\n\tpath = x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			system := filepath.Join(home, "system")
			for file, text := range map[string]string{filepath.Join(home, ".gitconfig"): c.global, system: c.system} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := map[string]string{"HOME": home, "GIT_CONFIG_SYSTEM": system}
			for k, v := range c.env {
				env[k] = v
			}
			if got := UserOf(func(n string) string { return env[n] }).trusts(root); got != c.want {
				t.Errorf("trusted: %t, want %t", got, c.want)
			}
		})
	}
}
