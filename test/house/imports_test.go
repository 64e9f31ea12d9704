package house

import (
	"fmt"
	"strconv"
	"strings"
)

// ring is how far a package is from the leaves. An import points only to a lower ring, or
// to a sub-package or parent of the same package.
var ring = map[string]int{
	"event": 0, "proc": 0, "safefile": 0, "seal": 0, "text": 0, "jsontree": 0, "redact": 0, "tokens": 0, "buildinfo": 0, "shape": 0, "start": 0, "beside": 0,
	"content": 1, "git": 1, "transcript": 1, "config": 1, "session": 1, "history": 1, "shell": 1, "markdown": 1, "tasks": 1, "tmux": 1, "tool": 1, "weaken": 1, "slots": 1,
	"agent": 2, "site": 2, "turn": 2, "proof": 2, "trust": 2, "room": 2,
	"gate": 3, "review": 3, "finding": 3, "checkpoint": 3, "autonomy": 3, "workflow": 3, "setup": 3, "install": 3, "doctor": 3, "meaning": 3,
	"stop": 4, "run": 4, "ahead": 4, "replay": 4,
	"cli": 5, "ui": 5, "report": 5, "fleet": 5,
}

// sameRing are the intended imports within one ring, each with its reason.
var sameRing = map[string]string{
	"proc → event":     "the name of the recursion guard that every child gets",
	"seal → safefile":  "the key is a file",
	"shape → jsontree": "a schema is a JSON document",
	"shape → tokens":   "the limit of a summary",
	"redact → text":    "both make text fit to be shown",
	"site → agent":     "the variables in which clients name their project directory",
	"site → trust":     "whose policy it is belongs to where we are",
	"ahead → run":      "what is proved ahead of a stop is run by the executor",
	"stop → ahead":     "after a stop it continues with what nothing waits for",
	"stop → run":       "a stop runs the gates by calling the executor",
	"report → ui":      "status shows about the hooks what the page shows",
	"cli → report":     "commands print reports",
	"fleet → ui":       "the page of many machines is the page of one, over another database",
	"cli → ui":         "a command serves the page",
	"content → git":    "where a repository is, and which paths it tracks",
	"tasks → shell":    "recipes are written in shell",
	"shell → tool":     "what a program passes on, takes and rewrites is in its record",
	"weaken → tool":    "what a file is written in and whether it is a test is in its language's record",
	"tasks → tool":     "what names the tasks of a call is in the runner's record",
	"gate → finding":   "a check's output is read as findings",
	"doctor → install": "what is checked is what was installed",
	"meaning → gate":   "what a green result is worth is found by running gates in a room",
	"setup → gate":     "the trial judges a command exactly as a run does",
}

// owners lists who may import what, by prefix. A third-party package that is not listed
// here has no owner yet: give it one, and think of the start-up budget first.
var owners = []struct{ imports, from, why string }{
	{"os/exec", "proc", "subprocesses go through proc: own group, deadline, TERM, KILL, recursion guard"},
	{"net", "workflow/ship proof/remote proof/share fleet ui", "the network is for ship check, the remote cache, the fleet and the page"},
	{"net/url", "workflow/ship proof fleet ui transcript finding config", "no hook talks to a network"},
	{"os/signal", "cli fleet proc", "signals are the surface's"},
	{"html/template", "ui", "the page's"},
	{"testing", "", "test helpers do not belong into the binary"},
	{"flag", "", "flags are cobra's"},
	{"log", "", "a warning is a value; a person reads it on stderr or in one of the logs"},
	{"log/slog", "", "a warning is a value; a person reads it on stderr or in one of the logs"},
	{"plugin", "", "one binary"},
	{"unsafe", "proc", "Windows' job objects; everything else has types"},
	{"io/ioutil", "", "files are opened and written through safefile"},
	{"gauntlet/internal/history/store", "cli ui report", "the hook path appends to the spool, it never opens a database"},
	{"gauntlet/fleet", "fleet", "too heavy for the hook: only gauntlet-fleet links it"},
	{"github.com/ncruces/", "history/store", "the hook path appends to the spool, it never opens a database"},
	{"github.com/spf13/", "cli fleet", "only the surface knows commands and flags"},
	{"github.com/goccy/go-yaml", "config tasks setup", "one decoder, with positions"},
	{"github.com/pelletier/go-toml", "tasks setup install", "only init and install read other tools' files"},
	{"github.com/bmatcuk/doublestar", "config gate checkpoint/rules", "globs"},
	{"github.com/reviewdog/errorformat", "finding config", "tools' output is read in finding; the names of formats are validated in config"},
	{"github.com/rogpeppe/go-internal", "git", "the diffs that people and agents are shown"},
	{"github.com/jackc/pgx", "fleet", "too heavy for the hook"},
	{"github.com/bazelbuild/", "fleet", "too heavy for the hook"},
	{"google.golang.org/", "fleet", "too heavy for the hook"},
	{"cloud.google.com/", "fleet", "too heavy for the hook"},
	{"mvdan.cc/sh", "shell", "shell is read in one place"},
	{"golang.org/x/sys", "agent proc safefile report autonomy slots room", "what the standard library does not reach"},
	{"golang.org/x/term", "cli report", "terminals are the surface's"},
}

// leaves may import the standard library and this; with an owner it is listed above.
var leaves = map[string]string{
	"proc": "golang.org/x/sys/", "safefile": "golang.org/x/sys/",
}

// commands lists what the main packages may import.
var commands = map[string]string{"cmd/gauntlet": "gauntlet/internal/cli", "fleet/cmd/gauntlet-fleet": "gauntlet/fleet"}

func checkImports(h *house) (out []finding) {
	for _, p := range h.pkgs {
		for _, f := range p.files {
			for _, spec := range f.Imports {
				imp, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue
				}
				if why := badImport(p, imp); why != "" {
					out = append(out, h.at(spec, fmt.Sprintf("%s imports %s: %s", p.path, imp, why)))
				}
			}
		}
	}
	return out
}

func badImport(p *pkg, imp string) (why string) {
	own, ours := strings.CutPrefix(imp, "gauntlet/")
	if allowed, isMain := commands[p.path]; isMain && ours && imp != allowed {
		return "a main only calls " + allowed
	}
	if p.room == "" {
		return ""
	}
	if ours && isTestHelper(imp) {
		return "for tests only"
	}
	if _, ok := ring[p.room]; !ok {
		return "the room is on no ring: give it a place in docs/architecture.md and here"
	}
	if ours {
		if why := badNeighbour(p, strings.TrimPrefix(own, "internal/")); why != "" {
			return why
		}
	}
	foreign := strings.Contains(strings.Split(imp, "/")[0], ".")
	if ring[p.room] == 0 && foreign && (leaves[p.room] == "" || !strings.HasPrefix(imp, leaves[p.room])) {
		return "a leaf stands on the standard library"
	}
	// The longest prefix decides: net/url is not net.
	best := -1
	for i, o := range owners {
		if (imp == o.imports || strings.HasPrefix(imp, strings.TrimSuffix(o.imports, "/")+"/")) && (best < 0 || len(o.imports) > len(owners[best].imports)) {
			best = i
		}
	}
	switch {
	case best < 0 && foreign:
		return "this dependency has no owner yet: see owners"
	case best >= 0 && !in(p.path, owners[best].from):
		return owners[best].why
	}
	return ""
}

// badNeighbour returns what is wrong with importing another package of this module.
func badNeighbour(p *pkg, to string) string {
	from := strings.TrimPrefix(p.path, "internal/")
	room, _, _ := strings.Cut(to, "/")
	if room != p.room {
		if r, ok := ring[room]; ok && r < ring[p.room] || sameRing[p.room+" → "+room] != "" {
			if room == "agent" && to != "agent" && to != "agent/wire" {
				return "only agent's list knows the adapters"
			}
			return ""
		}
		return fmt.Sprintf("an import points only to a lower ring (%d → %d)", ring[p.room], ring[room])
	}
	switch {
	case p.room == "agent" && from != "agent" && to == "agent":
		return "an adapter does not know the list"
	case p.room == "agent" && from != "agent" && to != "agent/wire":
		return "an adapter does not know another one"
	case p.room == "checkpoint" && from == "checkpoint/rules":
		return "the rules do not know the room"
	}
	return ""
}
