package setup

import "strings"

// jenkins offers what the sh steps of a declarative Jenkinsfile run.
func (f *finder) jenkins() {
	const file = "Jenkinsfile"
	r := groovy{rest: f.text(file)}
	for r.next() {
		if r.skipped() {
			continue
		}
		stage, dir := r.place()
		why := file
		if stage != "" {
			why += " (stage " + stage + ")"
		}
		f.offerJob([]ciStep{{why: why, name: stage, script: r.script, dir: dir}}, false)
	}
}

// groovy goes through the text of a Jenkinsfile from one shell step to the next.
type groovy struct {
	rest   string
	head   string // the first word of the statement, and the first string after it
	arg    string
	blocks []groovyBlock
	script string // of the shell step
}

// groovyBlock is a block that is open: stage('x') { … }.
type groovyBlock struct{ word, arg string }

// skipped: a step in a block that runs sometimes, or in a stage that is not about
// checking.
func (g *groovy) skipped() bool {
	for _, b := range g.blocks {
		switch b.word {
		case "post", "if", "else", "when", "withCredentials", "input", "catch", "finally", "sshagent", "withAWS":
			return true
		case "stage":
			if ciUnfit(b.arg) {
				return true
			}
		}
	}
	return false
}

// place is the innermost stage, and the directory.
func (g *groovy) place() (stage, dir string) {
	for _, b := range g.blocks {
		switch b.word {
		case "stage":
			stage = b.arg
		case "dir":
			dir = strings.TrimPrefix(dir+"/"+b.arg, "/")
		}
	}
	return stage, dir
}

// next reads on to the next shell step; false at the end.
func (g *groovy) next() bool {
	for g.rest != "" {
		switch c := g.rest[0]; {
		case g.comment():
		case c == '\'' || c == '"':
			if value := g.text(); g.arg == "" {
				g.arg = value
			}
		case c == '{':
			g.blocks = append(g.blocks, groovyBlock{g.head, g.arg})
			g.begin()
		case c == '}':
			g.blocks = g.blocks[:max(len(g.blocks)-1, 0)]
			g.begin()
		case c == '\n', c == ';':
			g.begin()
		case isWord(rune(c)):
			word := g.name()
			if g.head == "" {
				g.head = word
			}
			if word == "sh" && g.shell() {
				return true
			}
		default:
			g.rest = g.rest[1:]
		}
	}
	return false
}

// begin starts the next statement.
func (g *groovy) begin() { g.head, g.arg, g.rest = "", "", g.rest[1:] }

func (g *groovy) comment() bool {
	end := ""
	switch {
	case strings.HasPrefix(g.rest, "//"):
		end = "\n"
	case strings.HasPrefix(g.rest, "/*"):
		end = "*/"
	default:
		return false
	}
	_, g.rest, _ = strings.Cut(g.rest, end)
	return true
}

func (g *groovy) name() string {
	n := 0
	for n < len(g.rest) && isWord(rune(g.rest[n])) {
		n++
	}
	word := g.rest[:n]
	g.rest = g.rest[n:]
	return word
}

// shell reads the arguments of sh: its only one, or the one named script. One
// whose output or status is requested is not a step that can fail.
func (g *groovy) shell() bool {
	g.rest = strings.TrimLeft(g.rest, " \t")
	open := strings.HasPrefix(g.rest, "(")
	name, asked := "", false
	g.script = ""
	for g.rest != "" {
		switch c := g.rest[0]; {
		case c == '\'' || c == '"':
			if value := g.text(); name == "" || name == "script" {
				g.script = value
			}
		case c == '}', c == ')', c == '\n' && !open:
			return g.script != "" && !asked
		case isWord(rune(c)):
			name = g.name()
			asked = asked || name == "returnStdout" || name == "returnStatus"
		default:
			g.rest = g.rest[1:]
		}
	}
	return g.script != "" && !asked
}

// text reads a string: '…', "…", and over several lines with three quotes.
func (g *groovy) text() string {
	quote := g.rest[:1]
	if strings.HasPrefix(g.rest, strings.Repeat(quote, 3)) {
		quote = g.rest[:3]
	}
	g.rest = g.rest[len(quote):]
	var b strings.Builder
	for g.rest != "" && !strings.HasPrefix(g.rest, quote) {
		n := 1
		switch {
		case g.rest[0] == '\\' && len(g.rest) > 1:
			n = 2
			switch g.rest[1] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '\n':
				b.WriteString("\\\n")
			default:
				b.WriteByte(g.rest[1])
			}
		case quote[0] == '"' && strings.HasPrefix(g.rest, "${"):
			if end := strings.IndexByte(g.rest, '}'); end > 0 {
				n = end + 1 // Groovy's own value, which only CI has
			}
			b.WriteString("$" + placeholder)
		default:
			b.WriteByte(g.rest[0])
		}
		g.rest = g.rest[n:]
	}
	g.rest = strings.TrimPrefix(g.rest, quote)
	return b.String()
}
