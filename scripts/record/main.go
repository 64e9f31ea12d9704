// Command record runs `make try`'s script and draws its output as an SVG: the picture in
// the README is a real run.
//
//	go run ./scripts/record bin/gauntlet > docs/try.svg
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	charWidth  = 7.8
	lineHeight = 19
	margin     = 18
	barHeight  = 34
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: record PATH/TO/gauntlet > picture.svg")
		os.Exit(2)
	}
	if err := record(context.Background(), os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, w io.Writer, binary string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", "scripts/try.sh", binary)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("try: %w", err)
	}
	var lines []string
	for sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "Next: ") {
			break
		}
		lines = append(lines, sc.Text())
	}
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	draw(w, lines)
	return nil
}

// draw draws a picture that is complete at any moment, also as a still: where animations
// run, a line is dim until its moment comes.
func draw(w io.Writer, lines []string) {
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l))
	}
	wide := int(float64(width)*charWidth) + 2*margin
	high := barHeight + len(lines)*lineHeight + margin
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="A stop is blocked because a test fails; after the repair it passes">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dae0;white-space:pre}
.step{fill:#fff;font-weight:bold}.cmd{fill:#9da7b3}.block{fill:#ff7b72}.pass{fill:#7ee787}.reason{fill:#e3b341}.agent{fill:#79c0ff}
.l{animation:a .25s backwards}@keyframes a{from{opacity:.5}}
@media (prefers-reduced-motion:reduce){.l{animation:none}}
</style>
<rect x=".5" y=".5" width="%d" height="%d" rx="8" fill="#0d1117" stroke="#30363d"/>
<circle cx="20" cy="17" r="5" fill="#ff5f57"/><circle cx="38" cy="17" r="5" fill="#febc2e"/><circle cx="56" cy="17" r="5" fill="#28c840"/>
`, wide, high, wide, high, wide-1, high-1)
	delay := -0.6 // the first step is visible from the start
	for i, l := range lines {
		class := classify(l)
		if class == "step" {
			delay += 1.0
		} else {
			delay += 0.06
		}
		y := barHeight + (i+1)*lineHeight - 6
		fmt.Fprintf(w, `<text class="l %s" x="%d" y="%d" style="animation-delay:%.2fs">%s</text>`+"\n", class, margin, y, delay, html.EscapeString(l))
	}
	fmt.Fprintln(w, "</svg>")
}

func classify(l string) string {
	switch {
	case len(l) > 2 && l[0] >= '1' && l[0] <= '9' && l[1] == '.':
		return "step"
	case strings.HasPrefix(l, "$ "):
		return "cmd"
	case strings.HasPrefix(l, "  you see: "):
		return "block"
	case strings.Contains(l, "the agent may stop"):
		return "pass"
	case strings.HasPrefix(l, "  | "):
		return "reason"
	case strings.HasPrefix(l, "   Agent: "):
		return "agent"
	}
	return "out"
}
