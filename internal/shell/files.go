package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gauntlet/internal/tool"
)

func (w *walker) shown(names ...string) { w.name(&w.line.Shown, names) }

func (w *walker) written(names ...string) { w.name(&w.line.Written, names) }

// restored records files that get the content that git has.
func (w *walker) restored(names ...string) { w.name(&w.line.Restored, names) }

func (w *walker) name(list *[]File, names []string) {
	for _, name := range names {
		if plausible(name) {
			*list = append(*list, File{Path: w.resolve(name), Seq: w.seq})
		}
	}
}

func (w *walker) rewrites() {
	w.line.Rewriters = append(w.line.Rewriters, w.seq)
}

func plausible(name string) bool {
	return name != "" && name != "-" && !strings.HasPrefix(name, "/dev/") && !strings.ContainsAny(name, "$\n") && len(name) < 4096
}

// redirects records what a statement's redirections read and write.
func (w *walker) redirects(redirs []*syntax.Redirect) {
	for _, r := range redirs {
		w.nested(r.Word, passed)
		name, literal := w.word(r.Word)
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.AppClob, syntax.RdrAll, syntax.AppAll, syntax.RdrAllClob, syntax.AppAllClob, syntax.RdrInOut:
			w.seq++ // the file is emptied before the command runs
			if literal {
				w.written(name)
			}
			if r.N == nil || r.N.Value == "1" {
				w.into = w.resolve(name)
			}
		case syntax.RdrIn:
			if literal {
				w.shown(name)
			}
		default: // descriptors and here-documents do not name a file
		}
	}
}

// files records what a command shows and writes.
func (w *walker) files(argv []string, redirs []*syntax.Redirect) {
	name := base(argv[0])
	args := Operands(argv)
	switch name {
	case "cat", "bat", "batcat", "nl", "head", "tail", "less", "more", "tac", "view", "xxd", "od", "strings", "cut", "sort", "diff", "cmp", "column", "hexdump", "pr", "fold", "expand", "paste", "colordiff":
		w.shown(args...)
	case "echo", "printf":
		for _, arg := range argv[1:] {
			if len(arg) > 1 && arg[0] == '$' { // a variable that contains output
				w.line.Shown = append(w.line.Shown, File{Path: arg, Seq: w.seq})
			}
		}
	case "sed", "gsed":
		w.sed(argv, args)
	case "awk", "gawk", "mawk", "jq", "yq", "perl", "ruby":
		w.scripted(name, argv, args)
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack":
		if !hasAny(argv, "-e", "-f", "--regexp", "--files") && len(args) > 0 {
			args = args[1:]
		}
		w.shown(args...)
	case "find":
		w.find(argv)
	case "git":
		w.git(argv, args)
	case "tee", "touch", "truncate", "rm", "unlink", "shred":
		w.written(args...)
	case "mv":
		w.written(args...)
		w.intoDir(args)
	case "cp", "install", "ln", "rsync":
		if len(args) > 1 {
			w.shown(args[:len(args)-1]...)
			w.written(args[len(args)-1])
			w.intoDir(args)
		}
	case "dd":
		for _, arg := range args {
			if out, found := strings.CutPrefix(arg, "of="); found {
				w.written(out)
			}
		}
	case "patch":
		w.written(args...)
		w.rewrites()
	case "apply_patch", "applypatch":
		for _, r := range redirs {
			if r.Hdoc != nil {
				text, _ := w.word(r.Hdoc)
				w.patched(text)
			}
		}
		if len(args) > 0 {
			w.patched(args[0])
		}
	default:
		w.formatter(argv)
	}
}

// find records that `find src -name '*.py' -exec sed -i … {} +` changes what it finds.
func (w *walker) find(argv []string) {
	for i, arg := range argv {
		switch arg {
		case "-delete":
			w.rewrites()
		case "-exec", "-execdir", "-ok":
			switch {
			case i+1 < len(argv) && !onlyPrints(argv[i+1]) || slices.Contains(argv[i:], "-i"):
				w.rewrites()
			case i+1 < len(argv) && isViewer(argv[i+1]):
				w.shown(found(argv)...)
			}
		}
	}
}

// found are the files that a command passes to the next one of a pipeline, as patterns.
func found(argv []string) []string {
	args := Operands(argv)
	switch name := base(argv[0]); {
	case name == "find":
		var dirs, out []string
		for _, arg := range argv[1:] {
			if strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "(") {
				break
			}
			dirs = append(dirs, arg)
		}
		for i, arg := range argv[:len(argv)-1] {
			if arg == "-name" || arg == "-iname" {
				for _, dir := range dirs {
					out = append(out, strings.TrimPrefix(strings.TrimSuffix(dir, "/")+"/**/"+argv[i+1], "./"))
				}
			}
		}
		return out
	case name == "git" && len(args) > 0 && args[0] == "ls-files":
		return args[1:]
	case name == "ls" || name == "echo" || name == "printf":
		return args
	case isGrep(name) && len(args) > 1:
		return args[1:]
	}
	return nil
}

// showFound records that `find src -name '*.py' | xargs cat` shows what was found.
func (w *walker) showFound(elems [][]string) {
	for i, argv := range elems {
		if len(argv) == 0 || base(argv[0]) != "xargs" {
			continue
		}
		if inner := unwrap(argv); len(inner) == 0 || !isViewer(inner[0]) || hasAny(inner, "-i") {
			continue
		}
		for _, before := range elems[:i] {
			if len(before) > 0 {
				w.shown(found(before)...)
			}
		}
	}
}

// isViewer reports whether a command shows the files it is given.
func isViewer(name string) bool {
	switch base(name) {
	case "cat", "bat", "batcat", "nl", "head", "tail", "less", "more", "sed", "awk":
		return true
	}
	return isGrep(name)
}

func isGrep(name string) bool {
	return slices.Contains([]string{"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"}, base(name))
}

// intoDir returns the files that `mv a.py b.py dir` writes if dir is a directory: dir/a.py
// and dir/b.py.
func (w *walker) intoDir(args []string) {
	if len(args) < 2 {
		return
	}
	dir := strings.TrimSuffix(args[len(args)-1], "/")
	for _, arg := range args[:len(args)-1] {
		w.written(dir + "/" + base(arg))
	}
}

func (w *walker) sed(argv, args []string) {
	inPlace := false
	for _, arg := range argv[1:] {
		if arg == "--in-place" || strings.HasPrefix(arg, "--in-place=") || isCluster(arg) && strings.Contains(strings.SplitN(arg, ".", 2)[0], "i") && arg[1] != 'e' {
			inPlace = true
		}
	}
	if !hasAny(argv, "-e", "-f", "--expression", "--file") && len(args) > 0 {
		args = args[1:] // the script
	}
	if inPlace {
		w.written(args...)
		return
	}
	w.shown(args...)
}

// scripted reports whether the first operand of an interpreter is a program text.
func (w *walker) scripted(name string, argv, args []string) {
	inPlace, inline := false, false
	for _, arg := range argv[1:] {
		if isCluster(arg) && (name == "perl" || name == "ruby") {
			inPlace = inPlace || strings.Contains(strings.SplitN(arg, ".", 2)[0], "i")
			inline = inline || strings.ContainsAny(arg, "eE")
		}
	}
	if name == "yq" {
		inPlace = hasAny(argv, "-i", "--inplace")
	}
	if (name == "perl" || name == "ruby") && !inline {
		w.rewrites() // a script file
		return
	}
	if len(args) > 0 {
		args = args[1:]
	}
	if inPlace {
		w.written(args...)
		return
	}
	if name == "perl" || name == "ruby" {
		w.rewrites()
	}
	w.shown(args...)
}

func (w *walker) git(argv, args []string) {
	if len(args) == 0 {
		return
	}
	switch args[0] {
	case "diff", "show", "blame", "log", "grep":
		for _, arg := range args[1:] {
			if _, name, found := strings.Cut(arg, ":"); found {
				arg = name // git show HEAD:path
			}
			w.shown(arg)
		}
	case "mv", "rm":
		if !hasAny(argv, "--cached") {
			w.written(args[1:]...)
		}
	case "restore":
		if !hasAny(argv, "--staged", "-S") || hasAny(argv, "--worktree", "-W") {
			w.restored(args[1:]...)
		}
	case "checkout", "switch":
		if !hasAny(argv, "-b", "-B", "-c", "-C", "--orphan") { // a new branch does not change the files
			w.restored(args[1:]...) // files, or a branch
			w.rewrites()
		}
	case "stash":
		switch {
		case len(args) < 2 || args[1] == "push" || args[1] == "save":
			w.line.Stashed = append(w.line.Stashed, w.seq)
		case args[1] == "pop" || args[1] == "apply":
			w.line.Unstashed = append(w.line.Unstashed, w.seq)
			w.rewrites()
		}
	case "reset":
		if hasAny(argv, "--hard", "--merge", "--keep") {
			w.rewrites()
		}
	case "pull", "merge", "rebase", "apply", "am", "cherry-pick", "revert", "clean":
		w.rewrites()
	}
}

// patched records the files of an apply_patch text.
func (w *walker) patched(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, mark := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
			if name, found := strings.CutPrefix(line, mark); found {
				w.written(strings.TrimSpace(name))
			}
		}
	}
}

// quoted records the files that a program given in the line opens: those that it quotes.
func (w *walker) quoted(argv []string) {
	for i, arg := range argv[:len(argv)-1] {
		if arg != "-c" && arg != "-e" && arg != "-p" && arg != "--eval" {
			continue
		}
		for j, text := range strings.FieldsFunc(argv[i+1], func(r rune) bool { return r == '"' || r == '\'' }) {
			if j > 0 && strings.Contains(base(text), ".") && !strings.ContainsAny(text, " \t\n()") {
				w.shown(text)
			}
		}
	}
}

// formatter records what a tool rewrites: the files that it is given, or whole directories.
func (w *walker) formatter(argv []string) {
	called := tool.Of(argv)
	if called.Lists() {
		return
	}
	anything := called.Is("anything") && called.Role() == tool.NoRole || slices.ContainsFunc(called.Tasks(), rewritesByName)
	if effect, _ := called.Effect(); effect != tool.Write && !anything {
		return
	}
	args := called.Operands()
	if called.Is("anything") {
		w.quoted(argv)
	}
	if anything || called.Is("generates") {
		args = nil // the text does not say what
	}
	if sub := strings.Fields(called.Sub()); len(sub) > 0 && len(args) >= len(sub) && slices.Equal(sub, args[:len(sub)]) {
		args = args[len(sub):]
	}
	wide := len(args) == 0
	for _, arg := range args {
		if strings.Contains(base(arg), ".") && !strings.ContainsAny(arg, "*") && base(arg) != "." && base(arg) != ".." && base(arg) != "..." {
			before := len(w.line.Written)
			w.written(arg)
			for i := range w.line.Written[before:] {
				w.line.Written[before+i].Formatted = true
			}
		} else {
			wide = true
		}
	}
	if wide {
		w.rewrites()
	}
}

// rewritesByName reports whether the name of a task says that it rewrites files: make fmt,
// npm run lint:fix; not format:check.
func rewritesByName(task string) bool {
	if role, checks := tool.RoleOfName(task); role == tool.Format && checks {
		return false
	}
	return slices.ContainsFunc(tool.Words(task), func(word string) bool {
		return slices.Contains([]string{"fmt", "format", "fix", "autofix", "generate", "gen", "codegen"}, word)
	})
}
