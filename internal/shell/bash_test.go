package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAgainstBash lets a real shell run generated scripts whose commands succeed or fail as
// drawn, and compares every proof with what really happened: a line that succeeded and
// "proves" a command that failed or never ran is a false proof.
func TestAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: no bash here, proofs were not checked against a real shell")
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	const commands = 9
	for i := range commands {
		stub := fmt.Sprintf("#!/bin/sh\necho c%d >> %s\nexit ${S%d:-0}\n", i, log, i)
		if err := os.WriteFile(filepath.Join(bin, fmt.Sprintf("c%d", i)), []byte(stub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	proven := 0
	ctx := t.Context()
	check := func(t *rapid.T) {
		g := &scripts{t: t, left: commands}
		script := g.list(0)
		if prefix := rapid.SampledFrom([]string{"", "", "set -e; ", "set -o pipefail; ", "set -euo pipefail\n"}).Draw(t, "set"); prefix != "" {
			script = prefix + script
		}
		env := []string{"PATH=" + bin + ":/usr/bin:/bin"}
		failing := map[string]bool{}
		for i := range commands {
			if rapid.IntRange(0, 4).Draw(t, "fails") == 0 {
				env = append(env, fmt.Sprintf("S%d=%d", i, rapid.IntRange(1, 3).Draw(t, "status")))
				failing[fmt.Sprintf("c%d", i)] = true
			}
		}
		if err := os.WriteFile(log, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, bash, "-c", script)
		cmd.Env = env
		var out bytes.Buffer
		cmd.Stdout = &out
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if err != nil {
			return // a failed line proves nothing
		}
		ran, readErr := os.ReadFile(log)
		if readErr != nil {
			t.Fatal(readErr)
		}
		line := Parse(script)
		if !line.Parsed {
			return
		}
		for _, c := range line.Commands {
			name := c.Name()
			if !strings.HasPrefix(name, "c") || len(name) != 2 || !line.Proves(c, out.String()) {
				continue
			}
			proven++
			if failing[name] || !strings.Contains("\n"+string(ran), "\n"+name+"\n") {
				t.Fatalf("%s is proved, but failed or never ran:\n%s\nran: %q, failing: %v, output %q", name, script, ran, failing, out.String())
			}
		}
	}
	for range 20 { // by chance a few scripts may prove nothing at all
		if rapid.Check(t, check); proven > 0 {
			return
		}
	}
	t.Error("not one proof was tried")
}

// scripts generates shell scripts in which each command occurs once.
type scripts struct {
	t     *rapid.T
	left  int
	funcs int
}

func (g *scripts) pick(label string, choices ...string) string {
	return rapid.SampledFrom(choices).Draw(g.t, label)
}

func (g *scripts) list(depth int) string {
	var b strings.Builder
	n := rapid.IntRange(1, 3).Draw(g.t, "statements")
	for i := range n {
		if i > 0 {
			b.WriteString(g.pick("joint", "; ", "\n", " && ", " || ", " | ", " && ", "; echo \"rc=$?\"; ", "; rc=$?; ", " || exit 1; ", " || exit; ", " || true; ", " && echo fine || ", "; exit $?; ", "; exit 0\n", " || { echo bad; exit 2; }; ", "; [ 1 = 2 ] && exit 0; "))
		}
		b.WriteString(g.stmt(depth))
	}
	b.WriteString(g.pick("end", "", "", "", "; exit $?", "; echo \"rc=$?\"", "; rc=$?; echo rc=$rc", "; rc=$?; exit $rc", " | cat; exit ${PIPESTATUS[0]}", " | cat; echo p=${PIPESTATUS[0]}", " || exit $?", " && echo ok || echo no"))
	return b.String()
}

func (g *scripts) command() string {
	if g.left == 0 {
		return "true"
	}
	g.left--
	return fmt.Sprintf("c%d", g.left)
}

func (g *scripts) stmt(depth int) string {
	if depth > 2 || g.left == 0 {
		return g.command()
	}
	in := func() string { return g.list(depth + 1) }
	switch rapid.IntRange(0, 20).Draw(g.t, "kind") {
	case 0:
		return "( " + in() + " )"
	case 1:
		return "{ " + in() + "\n}"
	case 2:
		return "! " + g.command()
	case 3:
		return "if " + g.command() + "; then " + in() + "\nfi"
	case 4:
		return "if " + in() + "\nthen " + in() + "\nelse " + g.pick("else", "exit 1", "false", "true", "echo x; exit 3") + "; fi"
	case 5:
		return "if ! " + g.command() + "; then exit 1; fi"
	case 6:
		return "for i in 1 2; do " + in() + "\ndone"
	case 7:
		return "for i in a b; do " + g.command() + " && break; done"
	case 8:
		g.funcs++
		name := fmt.Sprintf("f%d", g.funcs)
		return name + "() { " + in() + "\n}\n" + name
	case 9:
		return "x=$(" + g.command() + ")"
	case 10:
		return "echo $(" + g.command() + ")"
	case 11:
		return "bash " + g.pick("flags", "-c", "-ec", "-o pipefail -c", "-euo pipefail -c") + " '" + strings.ReplaceAll(in(), "'", "") + "'"
	case 12:
		return "eval \"" + g.command() + "\""
	case 13:
		return "case a in a) " + g.command() + ";; *) " + g.command() + ";; esac"
	case 14:
		return "while " + g.command() + "; do " + g.command() + "; break; done"
	case 15:
		return g.command() + " | " + g.command()
	case 17:
		return "if [ 1 = " + g.pick("equals", "1", "2") + " ]; then " + g.pick("print", "", "echo hi; ", "echo hi && ") + g.command() + "; fi"
	case 18:
		return "sleep 0"
	case 16:
		return "env A=b timeout 5 nice " + g.command()
	}
	return g.command()
}
