package tool

import (
	"cmp"
	"slices"
	"strings"
)

// Role is what a command is for.
type Role string

// The roles, in the order in which gates are proposed: quick ones first.
const (
	NoRole    Role = ""
	Format    Role = "format"
	Lint      Role = "lint"
	Typecheck Role = "typecheck"
	Check     Role = "check" // several of the others in one
	Build     Role = "build"
	Test      Role = "test"
)

// Summary is how a test runner reports what failed.
type Summary string

// How a test runner reports.
const (
	// Whole: one line at the end contains both what passed and what failed.
	Whole Summary = "whole"
	// Parts: several lines, of which some may say ok while others fail.
	Parts Summary = "parts"
	// Inner: what runs inside reports as it likes: make test.
	Inner Summary = "inner"
)

// record is what the catalogue says of a program. Lists are words, rules are lines.
type record struct {
	name       string // of the record: its first program
	alike      bool   // its names are programs of their own, not names of one
	language   string
	roles      string // rules: ROLE WHEN
	effects    string // rules: EFFECT (WHY) WHEN
	summary    string
	reports    string // rules: FORMAT WHEN it prints a report of that format
	goals      string // "many": it takes several sub-commands at once; "paths": also by the end of a path, :app:test
	configures string // rules: WHEN it only prepares a build
	implies    string // rules: GOAL goals that include it
	values     string // flags that take the next word
	prints     string // flags that change only what is printed
	narrows    string // flags that make it do a part only
	variants   string // rules: WHEN it does what CI does beside the plain run
	offline    string // rules: WHEN : HOW it fetches nothing
	forCI      string // rules: WHEN : words that only CI needs
	lists      string // flags and first words with which it runs nothing
	bundled    bool   // short flags are written together: -kn
	own        int    // words after which everything belongs to what it runs; 0: all is its own
	verbs      string // sub-commands that are not tasks
	passes     string // rules: WHEN : HOW it runs another command
	tasks      string // rules: SUBS : HOW it names tasks
	traits     string
	dirs       string // flags that name the directory it works in
	members    string // flags and words that name a member of a workspace
	targets    string // what its operands are: paths, member, tasks
	leaves     string // by-products, as globs
	locks      string // lock files
	ignores    string // the file that lists what it leaves alone
	without    string // what stands for it when it is missing
}

// named is one name of a program.
type named struct {
	name string
	at   int // its record
}

// Call is one command, seen with the record of its program.
type Call struct {
	// Name is the program as it was called, without its directory; Program is its usual
	// name: gradle for ./gradlew. Program is "" if the catalogue does not know it.
	Name, Program string
	// Language is that of the program's projects; "" if it is for any of them.
	Language string
	argv     []string
	is       record
}

// Of looks a command up.
func Of(argv []string) Call {
	if len(argv) == 0 {
		return Call{}
	}
	c := Call{Name: Base(argv[0]), argv: argv}
	i, known := find(c.Name)
	own := strings.Contains(argv[0], "/") && argv[0][0] != '/' // script/test is not test
	if !known || own && hasWord(records[i].traits, "prints") {
		c.Language = Language(c.Name)
		return c
	}
	c.is = records[i]
	c.Language = c.is.language
	if c.Program = c.is.name; c.is.alike {
		c.Program = c.Name
	}
	return c
}

// Known reports whether the catalogue has a program of this name.
func Known(name string) bool {
	_, known := find(name)
	return known
}

// find is the record of a program, whatever version its name ends in: python3.12, gcc-13.
func find(name string) (int, bool) {
	name = strings.ToLower(name)
	for _, end := range []string{".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, end)
	}
	if i, found := lookup(name); found {
		return i, true
	}
	if stem := strings.TrimRight(name, "0123456789.-"); stem != name {
		if i, found := lookup(stem); found && hasWord(records[i].traits, "versions") {
			return i, true
		}
	}
	return 0, false
}

func lookup(name string) (int, bool) {
	low, high := 0, len(names)
	for low < high {
		if mid := (low + high) / 2; names[mid].name < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(names) && names[low].name == name {
		return names[low].at, true
	}
	return 0, false
}

// Base is the name of a program without its directory.
func Base(name string) string {
	name = strings.TrimRight(name, "/")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(name, ".exe")
}

// Is reports whether the program has a trait: prints, for one whose arguments are words to
// print or to search for.
func (c Call) Is(trait string) bool { return hasWord(c.is.traits, trait) }

// Operands are the words of the command that are neither options nor their values. The
// program's own name is left out.
func (c Call) Operands() []string {
	var out []string
	for i := 1; i < len(c.argv); i++ {
		arg := c.argv[i]
		switch {
		case arg == "--":
			return append(out, c.argv[i+1:]...)
		case c.Is("numbers") && (arg == "-j" || arg == "-l"): // the number may be left out
			if i+1 < len(c.argv) && strings.Trim(c.argv[i+1], "0123456789.") == "" {
				i++
			}
		case hasWord(c.is.values, arg):
			i++
		case strings.HasPrefix(arg, "-") && arg != "-":
		case c.Is("assigns") && strings.Contains(arg, "="):
		default:
			out = append(out, arg)
		}
	}
	return out
}

// Role returns what the command is for, as the record of its program says.
func (c Call) Role() Role {
	role, _ := c.role()
	return role
}

// Sub is the sub-command that decides the role, as it was written.
func (c Call) Sub() string {
	_, sub := c.role()
	return sub
}

// Roles are all roles that the command has: turbo run lint test has two. The first is Role.
func (c Call) Roles() []Role {
	role, _ := c.role()
	if role == NoRole {
		return nil
	}
	out := []Role{role}
	add := func(more ...Role) {
		for _, r := range more {
			if r != NoRole && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	switch _, rule, _ := c.roleRule(); rule {
	case byTasks:
		for _, task := range c.Tasks() {
			r, _ := RoleOfName(task)
			add(r)
		}
	case byEnvironments:
		if len(c.environments()) == 0 {
			add(Format, Lint, Typecheck) // every environment that is listed
		}
	}
	return out
}

// Guessed reports whether only the names of the project's own tasks say what the role is.
func (c Call) Guessed() bool {
	_, rule, _ := c.roleRule()
	return rule == byNames
}

// Roles that depend on names which the project chose.
const (
	byNames        = "names"        // make test: nothing but the name says it
	byTasks        = "tasks"        // turbo run test: the same in every package
	byEnvironments = "environments" // tox -e lint
)

func (c Call) role() (role Role, sub string) {
	sub, rule, ok := c.roleRule()
	if !ok {
		return NoRole, ""
	}
	switch rule {
	case byNames, byTasks:
		for _, task := range c.Tasks() {
			if r, strong := RoleOfName(task); (rule == byTasks || strong || r == Build) && (role == NoRole || r == Test) {
				role = r
			}
		}
		if role == NoRole && c.Is("checks") && slices.Contains(c.Tasks(), "check") {
			role = Test // by convention
		}
		return role, ""
	case byEnvironments:
		return environmentRole(c.environments()), ""
	case "none":
		return NoRole, ""
	}
	return Role(rule), sub
}

// roleRule is the first rule for roles that fits.
func (c Call) roleRule() (sub, rule string, ok bool) {
	if c.Program == "" {
		return "", byNames, len(c.argv) > 0
	}
	for line := range strings.Lines(c.is.roles) {
		rule, when, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if sub, ok := c.fits(when); ok {
			return cmp.Or(sub, c.decidingFlag(when)), rule, true
		}
	}
	return "", "", false
}

// decidingFlag is the flag that makes the program what it is: node --test.
func (c Call) decidingFlag(when string) string {
	if c.Is("flagged") {
		for flag := range strings.FieldsSeq(when) {
			if flag[0] == '-' && c.Has(flag) {
				return strings.TrimSuffix(flag, "-*")
			}
		}
	}
	return ""
}

// Checks reports whether the program has a command that checks something, runs another one
// or calls tasks; what it then does is known by its words.
func (c Call) Checks() bool { return c.is.roles+c.is.passes+c.is.tasks != "" }

// Summary is how the program reports a test run; Parts where the record does not say.
func (c Call) Summary() Summary {
	if c.is.summary == "" {
		return Parts
	}
	return Summary(c.is.summary)
}

// Configures reports whether the command only prepares a build, as cmake -B does.
func (c Call) Configures() bool {
	for when := range strings.Lines(c.is.configures) {
		if _, ok := c.fits(when); ok {
			return true
		}
	}
	return false
}

// Report is the format of the report that the command prints because its flags ask for it;
// "" if they do not, or say it in words of their own.
func (c Call) Report() string {
	for line := range strings.Lines(c.is.reports) {
		format, when, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, ok := c.fits(when); ok {
			return format
		}
	}
	return ""
}

// Goals are what a program that takes several goals at once is asked for, with what they
// include: mvn verify runs the tests too. None for any other program.
func (c Call) Goals() []string {
	if c.is.goals == "" {
		return nil
	}
	var out []string
	for _, goal := range c.Operands() {
		out = append(out, goal)
		if name := goal[strings.LastIndexByte(goal, ':')+1:]; c.is.goals == "paths" && name != goal {
			out = append(out, name)
		}
	}
	role := c.Role()
	for line := range strings.Lines(c.is.implies) {
		goal, by, _ := strings.Cut(strings.TrimSpace(line), " ")
		if role == Test && slices.ContainsFunc(out, func(g string) bool { return hasWord(by, g) }) {
			out = append(out, goal)
		}
	}
	return out
}

// hasWord reports whether a list of words contains one.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// Included is the call of the goal that has this role, which larger goals include: gradlew
// test for gradlew check. "" for a program without such goals.
func (c Call) Included(role Role) string {
	for line := range strings.Lines(c.is.implies) {
		if goal, _, _ := strings.Cut(strings.TrimSpace(line), " "); Role(goal) == role {
			return c.Name + " " + goal
		}
	}
	return ""
}
