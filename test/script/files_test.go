package script

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// everything drives the commands that write files, as a person and an agent would.
const everything = `
mkdir -p "$BASE/bin"; printf '#!/bin/sh\ncase "$*" in *--version*) echo 1.0; exit ;; esac\ncat > /dev/null\necho "{\\"status\\":\\"fail\\",\\"message\\":\\"no\\",\\"violations\\":[{\\"file\\":\\"new.txt\\",\\"line\\":1,\\"issue\\":\\"x\\",\\"priority\\":\\"high\\"}]}"\n' > "$BASE/bin/claude"
chmod +x "$BASE/bin/claude"; PATH="$BASE/bin:$PATH"
git checkout -q a.txt; printf 'test:\n\tgrep -q GOOD a.txt\n' > Makefile; git add -A; git commit -qm more
gauntlet init --yes --workflow
gauntlet install
gauntlet install --user
gauntlet install --agent codex --user --trust
gauntlet ci init
gauntlet ci init --gitlab
cat > .gauntlet/config.yml <<YML
base_branch: base
remote: {url: $REMOTE, write: true}
debug_log: {enabled: true}
cli: {default_preference: [claude]}
stop_hook: {run_interval_minutes: 0, preset: strict, notify: blocked}
checkpoint: {min_turn_seconds: 0, preset: go}
entry_points: [{path: ., checks: [t], reviews: [r]}]
YML
printf 'command: test -e a.txt\nnew_only: baseline\nreport: "(?P<file>\\\\S+):(?P<line>\\\\d+): (?P<message>.*)"\n' > .gauntlet/checks/t.yml
mkdir -p .gauntlet/reviews; echo Look. > .gauntlet/reviews/r.md
gauntlet allow --yes
gauntlet proofs key
event() { printf '{"hook_event_name":"%s","session_id":"s","cwd":"%s","prompt":"x","source":"startup","tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"%s"},"tool_response":{"stdout":""}%s}' "$1" "$PWD" "$2" "$3"; }
event UserPromptSubmit | gauntlet hook prompt --agent claude
event SessionStart | gauntlet hook session-start --agent claude
echo BAD > new.txt
event PreToolUse 'test -e a.txt' | gauntlet hook tool --agent claude
event Stop | gauntlet stop-hook --agent claude
gauntlet review; gauntlet run; gauntlet check; gauntlet baseline create; gauntlet check
gauntlet proofs publish
sed -i 's|http://[0-9.:]*|http://127.0.0.1:9|' .gauntlet/config.yml; gauntlet allow --yes; echo WORSE > new.txt; gauntlet check; gauntlet proofs publish
gauntlet off --for 1h; event Stop | gauntlet stop-hook --agent claude; gauntlet on; gauntlet off --session s; gauntlet on --session s; gauntlet off --everywhere; gauntlet on --everywhere
gauntlet log; gauntlet explain; gauntlet stats; gauntlet doctor; gauntlet owed; gauntlet reviewers; gauntlet replay --history; gauntlet replay --commits 1; gauntlet snapshots list
gauntlet observe t; gauntlet enforce t; gauntlet clean
gauntlet auto on
printf 'autonomy: {enabled: true, commit: work}\nentry_points: [{path: .}]\n' > .gauntlet/config.yml; gauntlet allow --yes
git switch -qc work
event UserPromptSubmit | gauntlet hook prompt --agent claude; echo more > new2.txt
event Stop '' ',"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":1000,"cache_creation_input_tokens":9000,"cache_read_input_tokens":80000,"output_tokens":150000}}' | gauntlet stop-hook --agent claude
printf '{}' | gauntlet state save ship; gauntlet state phase ship gate --status in_progress
true
`

// TestFilesPageIsComplete holds docs/files.md to what Gauntlet really writes: every file
// that is there after it was used in all its parts stands on that page.
func TestFilesPageIsComplete(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("SKIPPED LOUDLY: needs a Unix shell")
	}
	w := newTrickWorld(t)
	tmp := filepath.Join(w.base, "tmp")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(cache())
	t.Cleanup(server.Close)
	w.env = append(w.env, "TMPDIR="+tmp, "REMOTE="+server.URL)
	out := w.sh(everything)
	page := filesPage(t)
	after := w.tree(t)
	written := 0
	for _, name := range after {
		written++
		if !slices.ContainsFunc(page, func(p *regexp.Regexp) bool { return p.MatchString(name) }) {
			t.Errorf("docs/files.md does not name %s", name)
		}
	}
	if written < 40 {
		t.Errorf("only %d files were written:\n%s", written, out)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v %v", left, err)
	}
}

// tree lists files as the page names them: repo/…, git/…, state/…, home/….
func (w *trickWorld) tree(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(w.base, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(w.base, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case strings.HasPrefix(rel, "repo/.git/"):
			rel = "git/" + strings.TrimPrefix(rel, "repo/.git/")
			if !strings.Contains(rel, "gauntlet") {
				return nil // git's own
			}
		case strings.HasPrefix(rel, "home/state/gauntlet/"):
			rel = "state/" + strings.TrimPrefix(rel, "home/state/gauntlet/")
		case strings.HasPrefix(rel, "origin.git/"), strings.HasPrefix(rel, "bin/"), slices.Contains([]string{"cwd", "home/.gitconfig", "repo/Makefile", "repo/a.txt", "repo/new.txt", "repo/new2.txt"}, rel):
			return nil // the scenario's
		}
		out = append(out, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// filesPage are the paths in the first columns of docs/files.md, as patterns over
// what tree lists.
func filesPage(t *testing.T) []*regexp.Regexp {
	t.Helper()
	b, err := os.ReadFile("../../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []*regexp.Regexp
	section := ""
	for line := range strings.Lines(string(b)) {
		switch {
		case strings.HasPrefix(line, "## In a project"):
			section = "repo/"
		case strings.HasPrefix(line, "## In the git directory"):
			section = "git/"
		case strings.HasPrefix(line, "## In your home"):
			section = "state/"
		case strings.HasPrefix(line, "## "):
			section = ""
		}
		if section == "" || !strings.HasPrefix(line, "| `") {
			continue
		}
		first, dir := strings.Split(line, "|")[1], ""
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(first, -1) {
			name := m[1]
			base := section
			switch {
			case strings.HasPrefix(name, "~/"):
				name, base = strings.TrimPrefix(name, "~/"), "home/"
				dir = path.Dir(name) + "/"
			case strings.Contains(strings.TrimSuffix(name, "/"), "/") || dir == "":
				dir = path.Dir(name) + "/"
			case dir != "./":
				name = dir + name
				if strings.HasPrefix(strings.TrimSpace(first), "`~/") {
					base = "home/"
				}
			}
			expr := regexp.QuoteMeta(name)
			expr = strings.ReplaceAll(strings.ReplaceAll(expr, `\*\*`, ".*"), `\*`, "[^/]*")
			if strings.HasSuffix(name, "/") {
				expr += ".*"
			}
			out = append(out, regexp.MustCompile("^"+regexp.QuoteMeta(base)+expr+"$"))
		}
	}
	return out
}

// cache is a remote cache in memory.
func cache() http.Handler {
	var mu sync.Mutex
	kept := map[string][]byte{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch r.Method {
		case http.MethodPut:
			kept[r.URL.Path], _ = io.ReadAll(r.Body)
		case http.MethodGet, http.MethodHead:
			b, ok := kept[r.URL.Path]
			if !ok {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(b)
		}
	})
}
