// Package handoff is the protocol between an agent and its sub-agents: what a
// request and a response hold, whether one is in order, and where in a reply it
// is. The types below are the protocol; schema, documents and validation are
// made from them. Pure: values in, values out; imports tokens, redact, shape
// and jsondoc only.
package handoff

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/redact"
	"gauntlet/internal/shape"
	"gauntlet/internal/tokens"
)

// Kind distinguishes a request from a response.
type Kind string

// The kinds.
const (
	RequestKind  Kind = "request"
	ResponseKind Kind = "response"
)

// Request is what an agent sends to a sub-agent.
type Request struct {
	TaskID         string  `json:"task_id" required:"true" nonblank:"true" doc:"Names the task; the response repeats it."`
	Phase          string  `json:"phase" required:"true" enum:"research,write,validate,parallel" doc:"The step the sub-agent works in."`
	Mode           string  `json:"mode" required:"true" enum:"plan,code,ui,docs,eval,reconcile,research" doc:"The kind of work that is asked for."`
	Context        Context `json:"context" required:"true" doc:"What the sub-agent has to know."`
	Instructions   string  `json:"instructions" required:"true" nonblank:"true" doc:"What to do."`
	ExpectedOutput any     `json:"expected_output" required:"true" doc:"What to give back."`
}

// Context is what a sub-agent has to know.
type Context struct {
	Feature         *string  `json:"feature" doc:"The feature at work."`
	SpecPath        *string  `json:"spec_path" doc:"Where its specification is."`
	RelevantFiles   []string `json:"relevant_files" doc:"Files to read first."`
	Constraints     []string `json:"constraints" doc:"What must hold."`
	PreviousSummary *string  `json:"previous_summary" summary:"true" doc:"The context summary of the step before."`
}

// Response is what a sub-agent returns.
type Response struct {
	TaskID         string `json:"task_id" required:"true" nonblank:"true" doc:"The task of the request."`
	Phase          string `json:"phase" required:"true" enum:"research,write,validate,parallel" doc:"The step it worked in."`
	Status         string `json:"status" required:"true" enum:"complete,partial,blocked" doc:"How far it came."`
	Decision       string `json:"decision" required:"true" enum:"PROCEED,STOP,CLARIFY" doc:"What should happen next."`
	Findings       any    `json:"findings" required:"true" doc:"What it found or made."`
	ContextSummary string `json:"context_summary" required:"true" summary:"true" doc:"What the next step has to know."`
	TokensUsed     int    `json:"tokens_used" doc:"What the work cost."`
	Issues         []any  `json:"issues" doc:"What is in the way."`
}

// oldSummary is the former name of previous_summary.
const oldSummary = "previous_findings"

// Fields are the fields of a kind.
func Fields(kind Kind) []shape.Field {
	if kind == ResponseKind {
		return shape.Of(Response{})
	}
	return shape.Of(Request{})
}

// Problem is something about one place of a hand-off.
type Problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Report is what Validate found; other tools read its JSON form.
type Report struct {
	Valid    bool      `json:"valid"`
	Errors   []Problem `json:"errors"`
	Warnings []Problem `json:"warnings"`
}

// Guess finds the kind of a document by the keys that only one kind has.
func Guess(doc *jsontree.Value) Kind {
	has := func(own, other Kind) (n int) {
		for _, f := range Fields(own) {
			if doc.Get(f.Key) != nil && !hasField(other, f.Key) {
				n++
			}
		}
		return n
	}
	if has(ResponseKind, RequestKind) > has(RequestKind, ResponseKind) {
		return ResponseKind
	}
	return RequestKind
}

func hasField(kind Kind, key string) bool {
	return slices.ContainsFunc(Fields(kind), func(f shape.Field) bool { return f.Key == key })
}

// ValidateText is Validate on the text of a document; kind "" lets it tell.
func ValidateText(kind Kind, text []byte, warn bool) Report {
	doc, err := jsontree.Parse(text)
	if err != nil {
		return Report{Errors: []Problem{{"$", "not valid JSON: " + err.Error()}}, Warnings: []Problem{}}
	}
	return Validate(kind, doc, warn)
}

// Validate checks a hand-off. A summary over its limits makes it invalid; with warn that is
// only a warning.
func Validate(kind Kind, doc *jsontree.Value, warn bool) Report {
	c := checker{Report: Report{Errors: []Problem{}, Warnings: []Problem{}}}
	if doc.Kind() != jsontree.Object {
		c.fail("$", "must be an object, is "+doc.Kind().String())
		return c.Report
	}
	if kind == "" {
		kind = Guess(doc)
	}
	c.lenient = warn
	c.object("", Fields(kind), doc)
	if old := doc.Get("context", oldSummary); kind == RequestKind && old != nil {
		path := "context." + oldSummary
		c.warn(path, "is the old name of previous_summary: use the new one")
		c.value(path, shape.Field{Type: shape.Text, Nullable: true, Summary: true}, old)
	}
	c.Valid = len(c.Errors) == 0
	return c.Report
}

type checker struct {
	Report
	lenient bool // summaries over their limits are warned about
}

func (c *checker) fail(path, msg string) { c.Errors = append(c.Errors, Problem{path, msg}) }
func (c *checker) warn(path, msg string) { c.Warnings = append(c.Warnings, Problem{path, msg}) }

func (c *checker) object(prefix string, fields []shape.Field, doc *jsontree.Value) {
	for _, f := range fields {
		path, v := prefix+f.Key, doc.Get(f.Key)
		switch {
		case v == nil && f.Required:
			c.fail(path, "is required")
		case v == nil, v.Empty() && (f.Nullable || !f.Required):
		default:
			c.value(path, f, v)
		}
	}
}

func (c *checker) value(path string, f shape.Field, v *jsontree.Value) {
	if f.Nullable && v.Empty() {
		return
	}
	if want, ok := fits(f.Type, v); !ok {
		is := v.Kind().String()
		if f.Type == shape.Integer && v.Kind() == jsontree.Number {
			is = redact.Line(v.Literal(), 40) // "a number" would not say what is wrong with it
		}
		c.fail(path, "must be "+want+", is "+is)
		return
	}
	text, _ := v.Text()
	switch {
	case len(f.Enum) > 0:
		if !slices.Contains(f.Enum, text) {
			c.fail(path, fmt.Sprintf("must be one of %s, is %q", strings.Join(f.Enum, ", "), redact.Line(text, 100)))
		}
	case f.NotBlank && tokens.Count(text) == 0:
		c.fail(path, "must not be blank")
	case f.Summary:
		if r := tokens.Validate(text, tokens.Limit); !r.Valid && c.lenient {
			c.warn(path, r.Error)
		} else if !r.Valid {
			c.fail(path, r.Error)
		}
	case f.Type == shape.Texts:
		for i, e := range v.Elems() {
			if e.Kind() != jsontree.String {
				c.fail(fmt.Sprintf("%s[%d]", path, i), "must be a string, is "+e.Kind().String())
			}
		}
	case f.Type == shape.Object:
		c.object(path+".", f.Fields, v)
	}
}

// fits reports whether v has the type, and what that type is called.
func fits(t shape.Type, v *jsontree.Value) (want string, ok bool) {
	k := v.Kind()
	switch t {
	case shape.Text:
		return "a string", k == jsontree.String
	case shape.Integer:
		n, isNumber := v.Number()
		return "a whole number of at least 0", isNumber && n >= 0 && n == float64(int64(n))
	case shape.Flag:
		return "true or false", k == jsontree.Bool
	case shape.Texts, shape.Integers, shape.List, shape.Objects:
		return "an array", k == jsontree.Array
	case shape.Object, shape.Map, shape.TextMap:
		return "an object", k == jsontree.Object
	case shape.Any, shape.Decimal:
	}
	return "a value", k != jsontree.Null
}

// Schema is the JSON Schema of a kind; of both when kind is "".
func Schema(kind Kind) *jsontree.Value {
	s := jsontree.NewObject()
	s.Set("$schema", jsontree.NewString("https://json-schema.org/draft/2020-12/schema"))
	title := func(v *jsontree.Value, kind Kind) *jsontree.Value {
		v.Set("title", jsontree.NewString("Hand-off "+string(kind)))
		return v
	}
	if kind != "" {
		for _, m := range title(shape.Style{}.Schema(Fields(kind)), kind).Members() {
			s.Set(m.Key, m.Value)
		}
		return s
	}
	defs, any := jsontree.NewObject(), jsontree.NewArray()
	for _, k := range []Kind{RequestKind, ResponseKind} {
		defs.Set(string(k), title(shape.Style{}.Schema(Fields(k)), k))
		ref := jsontree.NewObject()
		ref.Set("$ref", jsontree.NewString("#/$defs/"+string(k)))
		any.Append(ref)
	}
	s.Set("title", jsontree.NewString("Hand-off"))
	s.Set("anyOf", any)
	s.Set("$defs", defs)
	return s
}
