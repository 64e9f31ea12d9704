package setup

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"gauntlet/internal/shell"
)

// go test ./internal/setup -run TestLayouts -update writes what is found into
// the archives; read the difference before you commit it.
func updateFlag() *bool { return flag.Bool("update", false, "rewrite the expected proposals") }

var update = updateFlag()

const wantFile = "want"

// TestLayouts finds the commands of whole projects: each archive is one, its file "want"
// lists what is proposed (+), refused (-) and noted (!).
func TestLayouts(t *testing.T) {
	files, err := filepath.Glob("testdata/layouts/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 60 {
		t.Errorf("only %d layouts", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fsys, want := layout(archive)
			found := Find(fsys)
			got := describe(found)
			if *update {
				archive.Files = append(slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == wantFile }), txtar.File{Name: wantFile, Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			for _, p := range found.Proposals {
				if p.Role == Test && !provesItself(p) {
					t.Errorf("running %q would not prove it: %q", p.Run, p.Evidence)
				}
			}
			_, gates := found.Gates()
			for _, g := range gates {
				if g.Name == "" || strings.ContainsAny(g.Name, "/ :") {
					t.Errorf("bad name %q", g.Name)
				}
			}
		})
	}
}

func layout(archive *txtar.Archive) (fstest.MapFS, string) {
	fsys, want := fstest.MapFS{}, ""
	for _, f := range archive.Files {
		if f.Name == wantFile {
			want = string(f.Data)
			continue
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(f.Data), "#!") {
			mode = 0o755
		}
		fsys[f.Name] = &fstest.MapFile{Data: f.Data, Mode: mode}
	}
	return fsys, want
}

func describe(r Result) string {
	var b strings.Builder
	_, gates := r.Gates()
	name := func(p Proposal) string {
		for _, g := range gates {
			if g.Run == p.Run && g.Role == p.Role && fmt.Sprint(g.Env) == fmt.Sprint(p.Env) {
				return g.Name
			}
		}
		return "?"
	}
	for _, p := range r.Proposals {
		env := ""
		if len(p.Env) > 0 {
			env = fmt.Sprintf(" %v", p.Env)
		}
		fmt.Fprintf(&b, "+ %s %s: %s%s < %s\n", p.Dir, name(p), p.Run, env, p.Why)
	}
	for _, x := range r.Refusals {
		fmt.Fprintf(&b, "- %s %s: %s\n", x.Dir, x.Run, x.Reason)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "! %s\n", n)
	}
	return b.String()
}

// provesItself checks that running exactly the proposed command counts as evidence.
func provesItself(p Proposal) bool {
	line := shell.Parse(p.Run)
	for _, text := range p.Evidence {
		pattern := shell.Patterns(text)[0]
		if slices.ContainsFunc(line.Commands, func(c shell.Command) bool { return pattern.Match(c) && line.Proves(c, "") }) {
			return true
		}
	}
	return false
}
