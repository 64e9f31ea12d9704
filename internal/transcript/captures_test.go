package transcript

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestCaptures reads every recorded session and compares the result with the golden file,
// which was checked by hand against the recordings.
func TestCaptures(t *testing.T) {
	var b strings.Builder
	err := filepath.WalkDir("testdata", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".jsonl") && filepath.Base(p) != "list.json" {
			return err
		}
		turn, err := Read(p, Options{Client: true})
		if err != nil && !errors.Is(err, ErrNoTurn) {
			return err
		}
		describe(&b, filepath.ToSlash(p), turn)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "captures.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("captures differ (-want +got):\n%s", diff)
	}
}

func describe(b *strings.Builder, name string, t Turn) {
	fmt.Fprintf(b, "%s: %s readable=%v truncated=%v\n", name, t.Format, t.Readable, t.Truncated)
	fmt.Fprintf(b, "  human %q id=%s at %s turn=%s\n", t.HumanText, t.HumanID, t.Start.Format("15:04:05.000"), t.TurnID)
	fmt.Fprintf(b, "  said %q model=%s", t.LastMessage, t.Model)
	if t.Usage != nil {
		fmt.Fprintf(b, " usage=%d/%d spent=%d", t.Usage.Tokens, t.Usage.Window, t.Spent)
	}
	if t.Client != "" {
		fmt.Fprintf(b, " client=%s", t.Client)
	}
	fmt.Fprintln(b)
	for _, c := range t.Calls {
		fmt.Fprintf(b, "  %s %s %q %v %s", c.Kind, c.Name, c.Command, c.Paths, c.Outcome)
		if c.HasExit {
			fmt.Fprintf(b, " exit=%d", c.ExitCode)
		}
		for _, f := range []struct {
			on   bool
			name string
		}{{c.Rejected, "rejected"}, {c.Background, "background"}, {c.Subagent != "", "by " + c.Subagent}} {
			if f.on {
				fmt.Fprintf(b, " %s", f.name)
			}
		}
		fmt.Fprintf(b, " out=%.60q\n", c.Output)
	}
}
