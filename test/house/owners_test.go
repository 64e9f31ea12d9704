package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// One owner each: what is done in one place cannot be done in two ways.

var directoriesMade = onlyFrom{"os.MkdirAll (*os.Root).MkdirAll", map[string]string{
	"safefile":     "the one way to make a directory",
	"room":         "content is laid out below an open root",
	"fleet/app.go": "its own state directory",
}, "directories are made by safefile.MkdirAll, private and without following links"}

var removals = onlyFrom{"os.RemoveAll (*os.Root).RemoveAll", map[string]string{
	"room":             "rooms are Gauntlet's own",
	"git":              "temporary indexes and the repository of snapshots are Gauntlet's own",
	"safefile":         "its own temporary directories",
	"trust/store.go":   "what uninstall --purge removes",
	"site/forget.go":   "what uninstall --purge removes",
	"setup/remains.go": "what uninstall --purge removes",
}, "a tree is removed only where it is known to be Gauntlet's own"}

var sleeps = onlyFrom{"time.Sleep", map[string]string{
	"autonomy/commit/commit.go": "git's own lock is waited for, within a deadline",
	"proc/escape_linux.go":      "the kernel gives no event for a process that left its session",
	"seal/seal.go":              "another process replaces the key at this moment",
	"fleet/reapi/execution.go":  "the farm is given time to name the job, so that it can be cancelled",
}, "wait for a channel, a context or a timer: a sleep can not be cancelled"}

var chance = onlyFrom{"math/rand.Intn math/rand.Int math/rand.Float64 math/rand.New math/rand/v2.IntN math/rand/v2.N math/rand/v2.Int math/rand/v2.Uint64 math/rand/v2.Float64 math/rand/v2.Shuffle", nil, "decisions do not depend on chance; ids and nonces come from crypto/rand"}

var statuses = onlyFrom{"(gauntlet/internal/git.Repo).Status (*gauntlet/internal/git.Repo).Status", map[string]string{
	"git":              "where it is made",
	"turn":             "one look per stop",
	"run":              "what a run by hand changed",
	"autonomy":         "what a save commits",
	"doctor":           "how long git takes",
	"setup/tryout.go":  "what the trial changed",
	"cli/snapshots.go": "what a restore would overwrite",
}, "git is asked for its status once: take what turn or run has seen"}

var detached = onlyFrom{"context.WithoutCancel", map[string]string{
	"autonomy/commit/commit.go": "an interrupted commit is undone",
	"setup/tryout.go":           "the work tree is restored after an interrupt",
	"stop/stop.go":              "the verdict is remembered at the deadline, too",
	"ui":                        "what several requests share outlives the first of them",
	"fleet/reapi/execution.go":  "a job is cancelled at the farm after the stop ended",
}, "work that nobody can cancel outlives its stop"}

// checkReads finds reads without an end: what another process or person wrote may have any
// size.
func checkReads(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || p.room == "" || p.callee(call) != "io.ReadAll" {
			return
		}
		if inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok {
			if name := p.callee(inner); name == "io.LimitReader" || name == "io.NewSectionReader" || name == "net/http.MaxBytesReader" {
				return
			}
		}
		out = append(out, h.at(call, "io.ReadAll without a limit: the other side decides how much memory this takes"))
	})
	return out
}

// untrusted are the fields that an agent, a client or a gate fills in. They never become part
// of a path as they are.
var untrusted = map[string]bool{"SessionID": true, "TurnID": true, "ToolUseID": true, "AgentID": true, "PromptID": true}

// checkPaths finds ids of an event in a path.
func checkPaths(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || p.room == "" || p.callee(call) != "path/filepath.Join" && p.callee(call) != "path.Join" {
			return
		}
		for _, arg := range call.Args {
			ast.Inspect(arg, func(n ast.Node) bool {
				if inner, ok := n.(*ast.CallExpr); ok && inner != call {
					return false // what a function returns is its own affair: session.Key
				}
				if sel, ok := n.(*ast.SelectorExpr); ok && untrusted[sel.Sel.Name] && isString(p.info.TypeOf(sel)) {
					out = append(out, h.at(call, sel.Sel.Name+" in a path: an id is untrusted; use session.Key, which names a file safely"))
				}
				return true
			})
		}
	})
	return out
}

func isString(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.String
}

// checkShells finds command lines for a shell that are put together from pieces.
func checkShells(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		list, ok := n.(*ast.CompositeLit)
		if !ok || p.room == "" {
			return
		}
		for i, e := range list.Elts[:max(0, len(list.Elts)-1)] {
			text, ok := p.literal(e)
			if !ok || text != "-c" || i == 0 {
				continue
			}
			if shell, ok := p.literal(list.Elts[i-1]); !ok || !strings.HasSuffix(shell, "sh") {
				continue
			}
			line := list.Elts[i+1]
			call, isCall := ast.Unparen(line).(*ast.CallExpr)
			sum, isSum := ast.Unparen(line).(*ast.BinaryExpr)
			if isSum && p.info.Types[sum].Value == nil || isCall && strings.HasPrefix(p.callee(call), "fmt.Sprint") {
				out = append(out, h.at(line, "a command line put together from pieces: pass them as arguments, no text reaches a shell"))
			}
		}
	})
	return out
}

// proseFields are what gates, reviewers and agents print.
var proseFields = map[string]bool{"Output": true, "Tail": true, "Stdout": true, "Stderr": true, "LastMessage": true}

// prompting are the places that write what an agent or a reviewer reads.
const prompting = "stop review checkpoint autonomy workflow"

// notPrompts use such text for something else.
var notPrompts = map[string]string{
	"stop/duplicate.go": "the last message is part of a hash",
}

// checkPrompts finds printed text that goes into a prompt as it is.
func checkPrompts(h *house) (out []finding) {
	prose := func(p *pkg, e ast.Expr) bool {
		sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok && proseFields[sel.Sel.Name] && isString(p.info.TypeOf(sel))
	}
	const why = "what a program or an agent printed: redact and fence it first"
	h.each(func(p *pkg, f *file, n ast.Node) {
		if !in(p.path, prompting) || f.in(notPrompts) {
			return
		}
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD && (prose(p, n.X) || prose(p, n.Y)) {
				out = append(out, h.at(n, why))
			}
		case *ast.CallExpr:
			name := p.callee(n)
			if (strings.HasPrefix(name, "fmt.Sprint") || strings.HasPrefix(name, "fmt.Fprint") || name == "(*strings.Builder).WriteString") && slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return prose(p, a) }) {
				out = append(out, h.at(n, why))
			}
		}
	})
	return out
}

// checkPrinted finds a verdict that is printed by other means than its agent's dialect.
func checkPrinted(h *house) (out []finding) {
	h.each(func(p *pkg, _ *file, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || in(p.path, agentPlaces) {
			return
		}
		name := p.callee(call)
		if !strings.HasPrefix(name, "fmt.") && name != "encoding/json.Marshal" && name != "(*encoding/json.Encoder).Encode" {
			return
		}
		for _, a := range call.Args {
			if t := p.info.TypeOf(a); t != nil && isVerdictItself(t) {
				out = append(out, h.at(call, "a verdict is encoded by agent.Adapter, in the client's own dialect"))
			}
		}
	})
	return out
}

func isVerdictItself(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == "Verdict" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == eventPath
}

// toolNames are what clients call their tools.
const toolNames = " Bash apply_patch run_shell_command MultiEdit NotebookEdit exec_command TodoWrite str_replace_editor write_stdin "

// toolNamed may know such a word for another reason.
var toolNamed = map[string]string{
	"shell/files.go": "apply_patch is a command in a shell, too",
	"setup/azure.go": "Bash is a task of Azure Pipelines",
}

// checkToolNames finds names of clients' tools outside the packages that know clients.
func checkToolNames(h *house) (out []finding) {
	h.each(func(p *pkg, f *file, n ast.Node) {
		lit, ok := n.(*ast.BasicLit)
		if !ok || p.room == "" || in(p.path, agentPlaces) || f.in(toolNamed) {
			return
		}
		if text, ok := p.literal(lit); ok && text != "" && !strings.Contains(text, " ") && strings.Contains(toolNames, " "+text+" ") {
			out = append(out, h.at(lit, fmt.Sprintf("%s is a client's name for a tool: transcript turns it into an event.ToolKind", text)))
		}
	})
	return out
}
