package script

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTutorial types the tutorial from beginning to end in an empty directory of a new user,
// and compares what is printed with what the page says.
func TestTutorial(t *testing.T) {
	for _, program := range []string{"bash", "make"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED LOUDLY: no %s: the tutorial is not run", program)
		}
	}
	page, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "GAUNTLET_") || strings.HasPrefix(v, "CLAUDE") || strings.HasPrefix(v, "GIT_")
	}), "HOME="+home, "XDG_STATE_HOME="+home+"/state", "XDG_CONFIG_HOME="+home+"/config", "XDG_CACHE_HOME="+home+"/cache", "GAUNTLET_TRUST=all", "GAUNTLET_SLOTS=0", "CI=", "GIT_CONFIG_NOSYSTEM=1")

	const mark = "=== end of a block"
	script, wants := "set -e\n", [][]string{}
	for _, b := range regexp.MustCompile("(?ms)^```(sh|text)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if b[1] == "sh" {
			script += b[2] + "echo; echo '" + mark + "'\n"
			wants = append(wants, nil)
			continue
		}
		last := &wants[len(wants)-1]
		*last = append(*last, strings.Split(strings.TrimSpace(b[2]), "\n")...)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = t.TempDir(), env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	printed := strings.Split(string(out), mark+"\n")
	if len(wants) < 8 || len(printed) != len(wants)+1 {
		t.Fatalf("%d blocks of commands and %d of output", len(wants), len(printed)-1)
	}
	blanks := regexp.MustCompile(`\s+`)
	for i, lines := range wants {
		got := blanks.ReplaceAllString(printed[i], " ")
		for _, want := range lines {
			if !strings.Contains(got, blanks.ReplaceAllString(want, " ")) {
				t.Errorf("block %d prints\n%s\nnot %s", i+1, printed[i], want)
			}
		}
	}
}
