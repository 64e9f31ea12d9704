package shell

import (
	"maps"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// know is what is certain about a part of the line once the whole line is
// known to have succeeded.
type know int

const (
	no     know = iota // nothing: it runs in the background, or its failure is wanted
	maybe              // it may not have run
	quiet              // it ran if nothing was printed: what comes before it complains when it fails
	likely             // it ran unless a change of directory or the like failed
	passed             // it ran, and the shell continued whatever its status
	ok                 // it ran and its status was zero
)

// scope is the shell state that a subshell gets a copy of.
type scope struct {
	dir      string
	vars     map[string]string
	errexit  bool
	pipefail bool
}

type walker struct {
	scope
	line  *Line
	funcs map[string]*syntax.Stmt
	// declared are all functions of the line, wherever they are defined
	declared map[string]*syntax.Stmt
	ends     map[*syntax.Stmt]bool // what mayEndWell found
	ending   map[*syntax.Stmt]bool // the functions it is checking
	depth    int
	steps    int
	again    int // within loops and functions: what is printed once may be printed twice
	seq      int
	// branches counts those that prove themselves by printing
	branches  int
	proofLine string // the output line on which "ok" depends
	filters   [][]string
	into      string
}

func newWalker() *walker {
	return &walker{line: &Line{}, scope: scope{vars: map[string]string{}}, funcs: map[string]*syntax.Stmt{}, declared: map[string]*syntax.Stmt{}, ends: map[*syntax.Stmt]bool{}, ending: map[*syntax.Stmt]bool{}}
}

// script walks a whole script text.
func (w *walker) script(text string, k know) bool {
	file, parsed := parse(text)
	if !parsed {
		return false
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, isFunc := n.(*syntax.FuncDecl); isFunc && f.Name != nil {
			w.declared[f.Name.Value] = f.Body
		}
		return true
	})
	if trapsExit(file) {
		k = no
	}
	w.list(file.Stmts, k)
	return true
}

// apart walks something that runs in a copy of the shell. That copy may have ended early
// without ending the shell: what is only known to have been passed may not have been
// reached inside.
func (w *walker) apart(k know, walk func(know)) {
	saved := w.scope
	w.vars = maps.Clone(saved.vars)
	walk(onlyIf(k))
	w.scope = saved
}

// list walks statements in sequence; k is about the last of them.
func (w *walker) list(stmts []*syntax.Stmt, k know) {
	stmts, shownBy := endOfList(stmts)
	for i, stmt := range stmts {
		ki := min(k, passed)
		last := i == len(stmts)-1
		switch {
		case shownBy.stmt >= 0: // the list ends in an explicit exit
			if i == shownBy.stmt {
				ki = k
			}
		case last:
			ki = k
		}
		if ki == passed && w.errexit && w.abortsOnError(stmt) {
			ki = ok
		}
		line, first := "", shownBy.stmt == i && shownBy.first
		if ki == passed && !last && w.proofLine == "" && w.again == 0 {
			line, first = echoedStatus(stmts[i+1:])
		}
		w.stmtEchoed(stmt, ki, line, first)
		k = w.afterAll(k, stmt)
	}
}

// stmtEchoed walks a statement whose status the next one prints.
func (w *walker) stmtEchoed(stmt *syntax.Stmt, k know, line string, first bool) {
	if line != "" {
		w.proofLine, k = line, ok
		defer func() { w.proofLine = "" }()
	}
	if first && k == ok {
		if elems := pipeline(stmt); len(elems) > 1 {
			w.pipe(elems, maybe, true)
			return
		}
		if _, simple := stmt.Cmd.(*syntax.CallExpr); !simple || stmt.Negated {
			k = passed // the status is that of the last pipeline in there
		}
	}
	w.stmt(stmt, k)
}

func (w *walker) stmt(s *syntax.Stmt, k know) {
	w.steps++
	if s == nil || len(w.line.Commands) > maxCommands || w.steps > maxSteps {
		return
	}
	if s.Background || s.Coprocess || s.Disown {
		k = no
	}
	if s.Negated && k == ok {
		k = no
	}
	into := w.into
	w.redirects(s.Redirs)
	w.command(s, k)
	w.into = into
}

func (w *walker) command(s *syntax.Stmt, k know) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(c, s.Redirs, k)
	case *syntax.BinaryCmd:
		w.binary(c, k)
	case *syntax.Block:
		w.list(c.Stmts, k)
	case *syntax.Subshell:
		w.apart(k, func(k know) { w.list(c.Stmts, k) })
	case *syntax.IfClause:
		w.ifClause(c, k)
	case *syntax.WhileClause:
		w.while(c, k)
	case *syntax.ForClause:
		w.forClause(c, k)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			w.list(item.Stmts, min(k, maybe))
		}
	case *syntax.FuncDecl:
		if c.Name != nil {
			w.funcs[c.Name.Value] = c.Body
		}
	case *syntax.TimeClause:
		w.stmt(c.Stmt, k)
	case *syntax.CoprocClause:
		w.stmt(c.Stmt, no)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			w.assign(a, min(k, passed))
		}
	case *syntax.TestClause:
		w.nested(c, min(k, passed))
	}
}

func (w *walker) binary(c *syntax.BinaryCmd, k know) {
	switch c.Op {
	case syntax.AndStmt:
		w.quietly(func() { w.stmt(c.X, k) })
		y := onlyIf(w.afterAll(k, c.X))
		switch {
		case y != maybe:
		case prepares(c.X), !w.pipefail && endsInFilter(c.X):
			y = min(k, likely)
		case complains(c.X):
			y = min(k, quiet)
		}
		w.stmt(c.Y, y)
	case syntax.OrStmt:
		w.or(c, k)
	case syntax.Pipe, syntax.PipeAll:
		w.pipe(pipeline(&syntax.Stmt{Cmd: c}), k, false)
	default:
		w.stmt(c.X, min(k, maybe))
		w.stmt(c.Y, min(k, maybe))
	}
}

// onlyIf is what is known of a part that runs only if something else succeeded.
func onlyIf(k know) know {
	if k == ok {
		return ok
	}
	return min(k, maybe)
}

// afterAll is what is known of something that comes after stmts, which may have ended the
// shell with success.
func (w *walker) afterAll(k know, stmts ...*syntax.Stmt) know {
	for _, s := range stmts {
		if k > maybe && w.mayExitZero(s) {
			return maybe
		}
	}
	return k
}

// quietly walks something whose failure does not end the shell.
func (w *walker) quietly(walk func()) {
	errexit := w.errexit
	w.errexit = false
	walk()
	w.errexit = errexit
}

func (w *walker) or(c *syntax.BinaryCmd, k know) {
	left := min(k, passed)
	k = w.afterAll(k, c.X)
	end := ending(c.Y)
	switch {
	case k == ok && end != maySucceed, k == passed && end == exits:
		// the right side cannot succeed (or never returns): the left side did
		left = ok
	case isTrue(c.Y):
		left = no // its failure is discarded on purpose
	}
	word := ""
	if left == passed && w.proofLine == "" && w.again == 0 {
		word = announced(c.X)
	}
	w.quietly(func() {
		if word == "" {
			w.stmt(c.X, left)
			return
		}
		w.proofLine = word
		w.stmt(c.X, ok)
		w.proofLine = ""
	})
	w.stmt(c.Y, min(k, maybe))
}

// pipe walks a pipeline. Its status is that of its last element, or of all of them with
// pipefail; first means that k is unknown but the first one succeeded.
func (w *walker) pipe(elems []*syntax.Stmt, k know, first bool) {
	if len(elems) > maxPipe {
		return
	}
	outer := w.filters
	var filters [][]string
	for _, elem := range elems {
		filters = append(filters, w.words(elem))
	}
	w.showFound(filters)
	filters = append(filters, outer...)
	for i, elem := range elems {
		ki := min(k, passed)
		switch {
		case first && i == 0:
			ki = ok
		case i == len(elems)-1 || w.pipefail:
			ki = k
		}
		w.filters = filters[i+1:]
		w.apart(ki, func(k know) {
			if _, simple := elem.Cmd.(*syntax.CallExpr); simple {
				k = ki                           // nothing in it can have ended the copy before
				w.errexit = w.errexit && k == ok // else a failure in it ends the copy unseen
			}
			w.stmt(elem, k)
		})
	}
	w.filters = outer
}

func (w *walker) ifClause(c *syntax.IfClause, k know) {
	k = w.afterAll(k, c.Cond...)
	cond, then, other := min(k, passed), min(k, maybe), min(k, maybe)
	prints := false // nothing but the branch can print: if something was printed, it ran
	elseEnds := maySucceed
	if c.Else != nil && len(c.Else.Cond) == 0 {
		elseEnds = endingOf(c.Else.Then)
	}
	thenEnds := endingOf(c.Then)
	switch {
	case alwaysTrue(c.Cond):
		then, other = k, no
	case alwaysFalse(c.Cond):
		then, other = no, k
	case k == ok && c.Else == nil && w.proofLine == "" && w.again == 0 && silentList(c.Cond):
		then, prints = ok, true
	case c.Else != nil && (k == ok && elseEnds != maySucceed || k == passed && elseEnds == exits):
		cond, then = ok, k
	case c.Else == nil && len(c.Cond) == 1 && c.Cond[0].Negated && k >= passed && thenEnds == exits:
		// if ! make test; then exit 1; fi
		inner := *c.Cond[0]
		inner.Negated = false
		w.quietly(func() { w.stmt(&inner, ok) })
		return
	}
	w.quietly(func() { w.list(c.Cond, cond) })
	if prints {
		w.proofLine = anything
		w.branches++
	}
	w.list(c.Then, then)
	if prints {
		w.proofLine = ""
	}
	for e := c.Else; e != nil; e = e.Else {
		w.quietly(func() { w.list(e.Cond, other) })
		w.list(e.Then, other)
	}
}

// while walks a loop: one that ended without a break ended because of its condition.
func (w *walker) while(c *syntax.WhileClause, k know) {
	w.again++
	defer func() { w.again-- }()
	cond := min(k, passed)
	stmts := c.Cond
	k = w.afterAll(k, c.Cond...)
	if k >= passed && len(stmts) == 1 && !breaks(c.Do) && (c.Until != stmts[0].Negated) {
		inner := *stmts[0]
		inner.Negated = false
		stmts, cond = []*syntax.Stmt{&inner}, ok
	}
	w.quietly(func() { w.list(stmts, cond) })
	w.list(c.Do, min(k, maybe))
}

func (w *walker) forClause(c *syntax.ForClause, k know) {
	w.again++
	defer func() { w.again-- }()
	iter, isIter := c.Loop.(*syntax.WordIter)
	if !isIter || breaks(c.Do) || len(iter.Items) == 0 || len(iter.Items) > 16 {
		w.list(c.Do, min(k, maybe))
		return
	}
	for _, item := range iter.Items {
		if _, literal := w.word(item); !literal {
			w.list(c.Do, min(k, maybe))
			return
		}
	}
	for i, item := range iter.Items {
		ki := min(k, passed)
		if i == len(iter.Items)-1 {
			ki = k
		}
		w.vars[iter.Name.Value], _ = w.word(item)
		w.list(c.Do, ki)
	}
}

// resolve returns the path of a file name, as far as the line determines it.
func (w *walker) resolve(name string) string {
	if w.dir == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "$") {
		return name
	}
	return path.Join(w.dir, name)
}

func (w *walker) chdir(to string) {
	switch {
	case to == "" || to == "-" || strings.ContainsAny(to, "$`*?"):
		w.dir = ""
	case strings.HasPrefix(to, "/") || strings.HasPrefix(to, "~") || w.dir == "":
		w.dir = path.Clean(to)
	default:
		w.dir = path.Join(w.dir, to)
	}
	if w.dir == "." {
		w.dir = ""
	}
}
