package config

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// SuccessorDir is where agent-validator has its files of this layout. They are read only
// when a person asks for them.
const SuccessorDir = ".validator"

// ReadPolicyIn reads a policy that lies in another directory than .gauntlet.
func ReadPolicyIn(root, dir string) Policy {
	p := Policy{}
	p.walk(root, filepath.Join(root, dir), "", 0)
	return p
}

// Migrate is a policy in the present form: what older versions wrote in another way is
// rewritten, everything else, comments included, stays as it is. left says which files have
// to be changed by hand, and why. The result means the same as before, or there is none.
func Migrate(root string, policy Policy, getenv func(string) string) (after Policy, left []string, err error) {
	from := source{policy: policy, config: path.Join(Dir, File), gates: Dir}
	before, problems := load(root, from, getenv)
	if before, err = usable(before, problems); err != nil {
		return nil, nil, err
	}
	m := migration{policy: maps.Clone(policy), before: before, renamed: map[string]string{}}
	m.step(File, func(text string) (string, error) { return m.project(text) })
	for _, file := range slices.Clone(m.policy.in(ChecksDir)) {
		if ext := path.Ext(file); ext == ".yml" || ext == ".yaml" {
			m.step(path.Join(ChecksDir, file), func(text string) (string, error) { return m.keys(text, reflect.TypeFor[Check]()) })
		}
	}
	for _, file := range slices.Clone(m.policy.in(ReviewsDir)) {
		m.review(path.Join(ReviewsDir, file))
	}
	from.policy = m.policy
	result, problems := load(root, from, getenv)
	if result, err = usable(result, problems); err != nil {
		return nil, nil, fmt.Errorf("the files cannot be rewritten safely: %w", err)
	}
	if what := m.differs(result); what != "" {
		return nil, nil, fmt.Errorf("the files cannot be rewritten safely: %s would change; see the warnings of `gauntlet config check` and rewrite them by hand", what)
	}
	return m.policy, m.left, nil
}

// migration is one rewriting of a policy.
type migration struct {
	policy  Policy
	before  *Loaded
	renamed map[string]string // reviews that get another name
	left    []string
}

// step rewrites one file; a file that cannot be rewritten stays.
func (m *migration) step(name string, rewrite func(text string) (string, error)) {
	f := m.policy[name]
	saved := maps.Clone(m.policy)
	text := string(f.Data)
	crlf := strings.Count(text, "\r\n")
	if crlf > 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	out, err := rewrite(text)
	if err == nil && crlf > 0 && out != text && crlf != strings.Count(string(f.Data), "\n") {
		err = errors.New("has line ends of two kinds")
	}
	if err != nil {
		m.policy = saved
		m.left = append(m.left, path.Join(Dir, name)+": "+err.Error())
		return
	}
	if out == text {
		return
	}
	if crlf > 0 {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	m.policy[name] = PolicyFile{Data: []byte(out)}
}

// add adds a file; one with other content is never replaced.
func (m *migration) add(name, text string) error {
	if f, ok := m.policy[name]; ok && !bytes.Equal(f.Data, []byte(text)) {
		return fmt.Errorf("%s exists with other content", path.Join(Dir, name))
	}
	m.policy[name] = PolicyFile{Data: []byte(text)}
	return nil
}

// project rewrites config.yml: gates in it get files of their own.
func (m *migration) project(text string) (string, error) {
	text, err := m.names(text)
	if err != nil {
		return "", err
	}
	for range maxErrors {
		top, fail := topOf(text)
		if fail != nil {
			return "", fail
		}
		gate, dir, whole := nextInline(top)
		if gate == nil {
			break
		}
		name, body, err := gateText(text, gate)
		if err != nil {
			return "", err
		}
		if err := m.addGate(dir, name, body); err != nil {
			return "", err
		}
		if text, err = cutGate(text, gate, whole); err != nil {
			return "", err
		}
	}
	return m.keys(text, reflect.TypeFor[Project]())
}

func (m *migration) addGate(dir, name, body string) error {
	if name != path.Base(name) || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("the name %s cannot be the name of a file", quote(name))
	}
	return m.add(path.Join(dir, name+".yml"), body)
}

// topOf is the mapping of a document.
func topOf(text string) (*ast.MappingNode, error) {
	node, fail := parseYAML([]byte(text), File)
	if fail != nil {
		return nil, fail
	}
	if node == nil {
		return nil, nil
	}
	top := mapping(node)
	if top == nil || top.IsFlowStyle {
		return nil, errShape
	}
	return top, nil
}

// nextInline finds a gate that is written in config.yml. whole is the section of gates that
// ends with it, nil for a gate within an entry point.
func nextInline(top *ast.MappingNode) (gate *ast.MappingValueNode, dir string, whole *ast.MappingValueNode) {
	for _, dir := range []string{ChecksDir, ReviewsDir} {
		if section := valueOf(top, dir); section != nil {
			if gates := mapping(section.Value); gates != nil && len(gates.Values) > 0 {
				return gates.Values[0], dir, section
			}
		}
	}
	for dir, g := range gateItems(top) {
		if in := mapping(g); in != nil && len(in.Values) == 1 {
			return in.Values[0], dir, nil
		}
	}
	return nil, "", nil
}

// gateItems are the items of the lists of gates of all entry points, with the directory of
// their kind.
func gateItems(top *ast.MappingNode) iter.Seq2[string, ast.Node] {
	return func(yield func(string, ast.Node) bool) {
		for _, point := range itemsOf(valueOf(top, "entry_points")) {
			for _, dir := range []string{ChecksDir, ReviewsDir} {
				for _, g := range itemsOf(valueOf(mapping(point), dir)) {
					if !yield(dir, g) {
						return
					}
				}
			}
		}
	}
}

func itemsOf(kv *ast.MappingValueNode) []ast.Node {
	if kv == nil {
		return nil
	}
	if list, ok := kv.Value.(*ast.SequenceNode); ok {
		return list.Values
	}
	return nil
}

// names gives gates of entry points the names of their files: checks that were named by a
// key, and built-in reviews.
func (m *migration) names(text string) (string, error) {
	for range maxErrors {
		top, fail := topOf(text)
		if fail != nil {
			return "", fail
		}
		item, to, err := m.oldName(top)
		if item == nil || err != nil {
			return text, err
		}
		tk := item.GetToken()
		if text, err = replaceAt(text, tk.Position.Line, tk.Position.Column, tk.Value, to); err != nil {
			return "", err
		}
	}
	return text, nil
}

// oldName finds a name in an entry point that is not that of a file, and the one that is.
func (m *migration) oldName(top *ast.MappingNode) (item ast.Node, to string, err error) {
	for dir, g := range gateItems(top) {
		name, ok := stringOf(g)
		if !ok {
			continue
		}
		if to, err := m.fileName(dir, name); err != nil || to != name {
			return g, to, err
		}
	}
	return nil, "", nil
}

// fileName is the name of the file of a gate that an entry point names.
func (m *migration) fileName(dir, name string) (string, error) {
	if dir == ChecksDir {
		if c := m.before.Checks[name]; c != nil && c.File != path.Join(Dir, File) {
			file := strings.TrimSuffix(path.Base(c.File), path.Ext(c.File))
			if file != name {
				m.renamed["check "+name] = file
			}
			return file, nil
		}
		return name, nil
	}
	short, ok := strings.CutPrefix(name, builtinPrefix)
	r := m.before.Reviews[name]
	if !ok || r == nil || r.File != path.Join(Dir, File) {
		return name, nil
	}
	if m.before.Reviews[short] != nil {
		short = "builtin-" + short
	}
	m.renamed["review "+name] = short
	return short, m.add(path.Join(ReviewsDir, short+".md"), r.Prompt+"\n")
}

// review rewrites a review; one in YAML becomes a Markdown file.
func (m *migration) review(name string) {
	ext := path.Ext(name)
	if ext != ".md" && ext != ".yml" && ext != ".yaml" {
		return
	}
	m.step(name, func(text string) (string, error) {
		head, body := text, ""
		if ext == ".md" {
			var closed bool
			if head, body, closed = frontMatter(text); !closed || head == "" {
				return text, nil
			}
		}
		front, err := m.keys(head, reflect.TypeFor[Review]())
		if err != nil {
			return "", err
		}
		r := m.before.Reviews[strings.TrimSuffix(path.Base(name), ext)]
		named := r != nil && r.from.kind != ""
		switch {
		case ext == ".md" && front == head:
			return text, nil
		case ext == ".md" && named && strings.TrimSpace(body) != "":
			return "", fmt.Errorf("has a prompt and names one with %s; keep one of them", r.from.kind)
		case ext == ".md" && !named:
			return "---\n" + front + "---\n" + body, nil
		case r == nil: // no entry point uses it, and it is broken
			return text, nil
		}
		out := r.Prompt + "\n"
		if front = withoutMarks(front); strings.TrimSpace(front) != "" {
			out = "---\n" + front + "---\n\n" + out
		}
		if ext == ".md" {
			return out, nil
		}
		return text, m.move(name, strings.TrimSuffix(name, ext)+".md", out)
	})
}

func (m *migration) move(name, to, text string) error {
	if err := m.add(to, text); err != nil {
		return err
	}
	delete(m.policy, name)
	return nil
}

// withoutMarks removes the lines that begin and end a YAML document.
func withoutMarks(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if mark := strings.TrimRight(line, " \t\n"); mark != "---" && mark != "..." {
			out.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return out.String()
}

// differs names what the rewritten policy would do in another way; "" for nothing.
func (m *migration) differs(after *Loaded) string {
	a, b := *m.before, *after
	a.Project.EntryPoints = slices.Clone(a.Project.EntryPoints)
	for i, ep := range a.Project.EntryPoints {
		a.Project.EntryPoints[i].Checks = m.present("check ", ep.Checks)
		a.Project.EntryPoints[i].Reviews = m.present("review ", ep.Reviews)
	}
	if !reflect.DeepEqual(a.Project, b.Project) {
		return File
	}
	for name, c := range a.Checks {
		if n, ok := b.Checks[m.present("check ", []string{name})[0]]; !ok || !sameCheck(*c, *n) {
			return "check " + quote(name)
		}
	}
	for name, r := range a.Reviews {
		if n, ok := b.Reviews[m.present("review ", []string{name})[0]]; !ok || !sameReview(*r, *n) {
			return "review " + quote(name)
		}
	}
	return ""
}

func (m *migration) present(kind string, names []string) []string {
	out := slices.Clone(names)
	for i, name := range names {
		if to, ok := m.renamed[kind+name]; ok {
			out[i] = to
		}
	}
	return out
}

func sameCheck(a, b Check) bool {
	a.Name, a.File, a.FixInstructions = b.Name, b.File, b.FixInstructions
	return reflect.DeepEqual(a, b)
}

func sameReview(a, b Review) bool {
	a.Name, a.File, a.from, b.from = b.Name, b.File, promptSource{}, promptSource{}
	return reflect.DeepEqual(a, b)
}
