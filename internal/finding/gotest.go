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

// goTestKey names a test; without a test, its package.
type goTestKey struct{ pkg, test string }

// goTestRun is what the events of a run say about its tests.
type goTestRun struct {
	started, failed []goTestKey // in this order
	ended           map[goTestKey]bool
	said            map[goTestKey][]string
}

// goTestJSON reads `go test -json`: one event per line, lines of other programs
// in between.
func (p *parser) goTestJSON(data []byte) error {
	run := goTestRun{ended: map[goTestKey]bool{}, said: map[goTestKey][]string{}}
	events := 0
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		var e goEvent
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
			continue
		}
		events++
		e.Package = cmp.Or(e.Package, e.ImportPath)
		if e.Test != "" && (e.Action == "pass" || e.Action == "fail") {
			p.report.Tests++
			if e.Action == "fail" {
				p.report.Failed++
			}
		}
		run.add(e)
	}
	if events == 0 {
		return errors.New("no line is an event of go test -json")
	}
	for _, k := range run.causes() {
		file, line, text := p.goDetail(k.pkg, run.said[k])
		p.goTest(k.pkg, k.test, file, line, text)
	}
	return nil
}

func (r *goTestRun) add(e goEvent) {
	k := goTestKey{e.Package, e.Test}
	switch e.Action {
	case "run":
		r.started = append(r.started, k)
	case "skip":
		r.ended[k] = true
	case "output", "build-output":
		if len(r.said[k]) < 50 {
			r.said[k] = append(r.said[k], e.Output)
		}
	case "pass":
		delete(r.said, k)
		r.ended[k] = true
	case "fail":
		r.ended[k] = true
		r.failed = append(r.failed, k)
	}
}

// causes are the tests that failed by themselves: a test fails because a subtest did, a
// package because a test did.
func (r *goTestRun) causes() (out []goTestKey) {
	failed := r.failed
	// A time limit, os.Exit or a panic elsewhere ends tests without an event.
	for _, k := range r.started {
		if !r.ended[k] && r.ended[goTestKey{k.pkg, ""}] {
			failed = append(failed, k)
		}
	}
	parents := map[goTestKey]bool{}
	for _, k := range failed {
		for _, parent := range parentsOf(k.test) {
			parents[goTestKey{k.pkg, parent}] = true
		}
		if k.test != "" {
			parents[goTestKey{k.pkg, ""}] = true
		}
	}
	for _, k := range failed {
		if !parents[k] {
			out = append(out, k)
		}
	}
	return out
}

// parentsOf are the tests that a subtest belongs to.
func parentsOf(test string) (out []string) {
	for i := range len(test) {
		if test[i] == '/' {
			out = append(out, test[:i])
		}
	}
	return out
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
