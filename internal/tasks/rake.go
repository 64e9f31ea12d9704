package tasks

import (
	"slices"
	"strings"
	"unicode"

	"gauntlet/internal/shell"
)

// rake follows a call of rake into the tasks of a Rakefile, if it defines all that are
// named.
func (e *expander) rake(c shell.Command, argv []string, dir string, depth int) bool {
	if slices.ContainsFunc(argv[1:], func(a string) bool {
		return slices.Contains([]string{"-f", "--rakefile", "-C", "--directory", "-N", "-r", "-R", "-e", "-p", "-E"}, a)
	}) {
		return false
	}
	var names []string
	for _, word := range shell.Operands(argv) {
		if !strings.Contains(word, "=") { // a variable
			name, _, _ := strings.Cut(word, "[") // its arguments
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = []string{"default"}
	}
	call := Call{File: e.set.rakefile(dir), Dir: dir, Recipes: names}
	if !call.exists() {
		return false
	}
	e.call(c, call, depth)
	return true
}

// rakefile reads the tasks of a Rakefile, by its lines and their indentation.
func (s *Set) rakefile(dir string) File {
	name, text := s.text(dir, "Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb")
	r := rakeReader{file: File{Name: name, Runner: "rake"}, open: -1}
	for line := range strings.Lines(text) {
		if len(r.file.Recipes) > maxRecipes {
			break
		}
		words := strings.TrimSpace(line)
		if words != "" && words[0] != '#' {
			r.line(words, len(line)-len(strings.TrimLeft(line, " \t")))
		}
	}
	return r.file
}

type rakeReader struct {
	file   File
	spaces []rakeBlock // the namespaces around the line
	open   int         // index of the task whose body this is; -1 outside
	block  rakeBlock   // that task
	body   int         // the indentation of its lines; 0 before the first
}

type rakeBlock struct {
	indent int
	name   string
}

func (r *rakeReader) line(text string, indent int) {
	if text == "end" || text == "}" {
		if r.open >= 0 && indent <= r.block.indent {
			r.open = -1
		}
		r.spaces = slices.DeleteFunc(r.spaces, func(b rakeBlock) bool { return indent <= b.indent })
		return
	}
	if rest, found := strings.CutPrefix(text, "namespace "); found {
		if name := rubyWords(rest); len(name) > 0 {
			r.spaces = append(r.spaces, rakeBlock{indent, name[0] + ":"})
		}
		return
	}
	if r.define(text, indent) || r.open < 0 {
		return
	}
	if r.body == 0 {
		r.body = indent
	}
	task := &r.file.Recipes[r.open]
	if strings.Contains(text, "fail_on_error = false") {
		for i, line := range task.Lines {
			task.Lines[i] = ignoringErrors(line)
		}
	}
	if line, sure := rakeLine(text); line != "" {
		if !sure || indent > r.body { // it runs under a condition
			line = ignoringErrors(line)
		}
		task.Lines = append(task.Lines, line)
	}
}

// define adds a task, or more to one that is there already.
func (r *rakeReader) define(text string, indent int) bool {
	for _, form := range [][3]string{
		{"task ", "", ""},
		{"task(", "", ""},
		{"RSpec::Core::RakeTask.new", "spec", "rspec"},
		{"RuboCop::RakeTask.new", "rubocop", "rubocop"},
		{"Rake::TestTask.new", "test", "minitest"},
		{"Minitest::TestTask.create", "test", "minitest"},
	} {
		rest, found := strings.CutPrefix(text, form[0])
		if !found {
			continue
		}
		head, _, opens := strings.Cut(rest+" ", " do ")
		head, _, braced := strings.Cut(head, "{")
		names, needs, depends := strings.Cut(head, "=>")
		if key, value, isKey := strings.Cut(head, ": "); !depends && isKey {
			names, needs = key, value
		}
		name := form[1]
		if words := rubyWords(names); len(words) > 0 {
			name = words[0]
		}
		if name == "" {
			return true
		}
		for _, b := range slices.Backward(r.spaces) {
			name = b.name + name
		}
		at := slices.IndexFunc(r.file.Recipes, func(known Recipe) bool { return known.Name == name })
		if at < 0 {
			at = len(r.file.Recipes)
			r.file.Recipes = append(r.file.Recipes, Recipe{Name: name})
		}
		task := &r.file.Recipes[at]
		task.Needs = append(task.Needs, rubyWords(needs)...)
		if form[2] != "" {
			task.Lines = append(task.Lines, form[2])
		}
		if (opens || braced) && !strings.HasSuffix(text, " end") && !strings.HasSuffix(text, "}") {
			r.open, r.block, r.body = at, rakeBlock{indent, name}, 0
		}
		return true
	}
	return false
}

// rakeLine is the command that a line of a task's body runs, and whether the task fails if
// it does.
func rakeLine(text string) (line string, sure bool) {
	if rest, found := strings.CutPrefix(text, "Rake::Task["); found {
		if words := rubyWords(rest); len(words) > 0 && strings.Contains(rest, ".invoke") {
			return "rake " + words[0], strings.HasSuffix(rest, ".invoke")
		}
		return "", false
	}
	verb := text
	if i := strings.IndexAny(text, " ("); i > 0 {
		verb = text[:i]
	}
	rest := strings.TrimLeft(text[len(verb):], " (")
	if verb != "sh" && verb != "system" && verb != "ruby" || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return "", false
	}
	var words []string
	for rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		word, after, closed := strings.Cut(rest[1:], rest[:1])
		if !closed {
			return "", false
		}
		words = append(words, word)
		rest = strings.TrimLeft(after, ", ")
	}
	sure = verb != "system" && strings.Trim(rest, ") ") == "" || verb == "system" && strings.Contains(rest, "exception: true")
	line = strings.Join(words, " ")
	if verb == "ruby" {
		line = "ruby " + line
	}
	return line, sure && !strings.Contains(line, "#{")
}

// rubyWords are the names in a list of symbols or strings: `[:a, "b:c"]`, `%w[a b]`.
func rubyWords(text string) []string {
	text = strings.NewReplacer("%w", "", "%i", "").Replace(text)
	var out []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != ':' && r != '-'
	}) {
		if word = strings.Trim(word, ":"); word != "" {
			out = append(out, word)
		}
	}
	return out
}
