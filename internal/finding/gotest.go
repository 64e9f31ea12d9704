package finding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"strings"
)

type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// goTestJSON reads `go test -json`: one event per line, lines of other programs
// in between.
func (p *parser) goTestJSON(data []byte) error {
	type key struct{ pkg, test string }
	failed, said := []key{}, map[key][]string{}
	started := []key{} // in this order
	ended := map[key]bool{}
	events := 0
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		var e goEvent
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
			continue
		}
		events++
		e.Package = cmp.Or(e.Package, e.ImportPath)
		k := key{e.Package, e.Test}
		switch e.Action {
		case "run":
			started = append(started, k)
		case "skip":
			ended[k] = true
		case "output", "build-output":
			if len(said[k]) < 50 {
				said[k] = append(said[k], e.Output)
			}
		case "pass":
			if e.Test != "" {
				p.report.Tests++
			}
			delete(said, k)
			ended[k] = true
		case "fail":
			ended[k] = true
			if e.Test != "" {
				p.report.Tests++
				p.report.Failed++
			}
			failed = append(failed, k)
		}
	}
	if events == 0 {
		return errors.New("no line is an event of go test -json")
	}
	// A time limit, os.Exit or a panic elsewhere ends tests without an event.
	for _, k := range started {
		if !ended[k] && ended[key{k.pkg, ""}] {
			failed = append(failed, k)
		}
	}
	// A test fails because a subtest did, a package because a test did.
	parents := map[key]bool{}
	for _, k := range failed {
		for i := range len(k.test) {
			if k.test[i] == '/' {
				parents[key{k.pkg, k.test[:i]}] = true
			}
		}
		if k.test != "" {
			parents[key{k.pkg, ""}] = true
		}
	}
	for _, k := range failed {
		if parents[k] {
			continue
		}
		file, line, text := p.goDetail(k.pkg, said[k])
		p.goTest(k.pkg, k.test, file, line, text)
	}
	return nil
}

// goTest adds a failed test, or a package that failed by itself.
func (p *parser) goTest(pkg, test, file string, line int, text string) {
	f := Finding{Test: strings.TrimSpace(pkg + " " + test), Rule: "test", Line: line, Message: test, Severity: Err}
	if test == "" {
		f.Message = pkg
	}
	if text != "" {
		f.Message += ": " + text
	}
	p.add(f, file)
}

// goDetail finds the first line of a test's output that names a file and line.
func (p *parser) goDetail(pkg string, said []string) (file string, line int, text string) {
	for _, s := range said {
		if name, n, rest, ok := goDetailLine(s); ok {
			return p.goFile(pkg, name), n, rest
		}
	}
	return "", 0, ""
}

// goDetailLine reads `    a_test.go:12: message` and `./a.go:3:2: message`.
func goDetailLine(s string) (name string, line int, text string, ok bool) {
	s = strings.TrimSpace(s)
	name, rest, found := strings.Cut(s, ":")
	if !found || !strings.HasSuffix(name, ".go") || strings.ContainsAny(name, " \t") {
		return "", 0, "", false
	}
	digits, rest, _ := strings.Cut(rest, ":")
	if line = number(digits); line == 0 {
		return "", 0, "", false
	}
	return name, line, strings.TrimSpace(rest), true
}

// goFile finds the file of a package: go test names it without its directory,
// and the import path ends in that directory.
func (p *parser) goFile(pkg, name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	pkg = strings.TrimSuffix(strings.Fields(pkg + " ")[0], "_test")
	for dir := pkg; dir != ""; {
		if p.files.lines(path.Join(p.src.Dir, dir, name)) != nil {
			return path.Join(dir, name)
		}
		_, dir, _ = strings.Cut(dir, "/")
	}
	if p.files.lines(path.Join(p.src.Dir, name)) != nil {
		return name
	}
	return ""
}
