package shape

import (
	"fmt"
	"strings"

	"gauntlet/internal/jsontree"
	"gauntlet/internal/tokens"
)

// TypeScript is the struct as an interface, its objects as interfaces of their
// own behind it.
func TypeScript(name string, list []Field) string {
	var b strings.Builder
	fmt.Fprintf(&b, "interface %s {\n", name)
	var nested []Field
	for _, f := range list {
		if f.Doc != "" {
			fmt.Fprintf(&b, "  /** %s */\n", f.Doc)
		}
		optional := "?"
		if f.Required {
			optional = ""
		}
		fmt.Fprintf(&b, "  %s%s: %s;\n", f.Key, optional, f.ts())
		if f.GoName != "" {
			nested = append(nested, f)
		}
	}
	b.WriteString("}\n")
	for _, f := range nested {
		b.WriteString("\n" + TypeScript(f.GoName, f.Fields))
	}
	return b.String()
}

func (f Field) ts() string {
	t := "unknown"
	switch f.Type {
	case Text:
		t = "string"
	case Integer:
		t = "number"
	case Flag:
		t = "boolean"
	case Texts:
		t = "string[]"
	case List:
		t = "unknown[]"
	case Object:
		t = f.GoName
	case Map:
		t = "Record<string, " + f.GoName + ">"
	case Any:
	}
	if len(f.Enum) > 0 {
		t = Union(f.Enum)
	}
	if f.TS != "" {
		t = f.TS
	}
	if f.Nullable {
		t += " | null"
	}
	return t
}

// Union is a TypeScript union of string literals.
func Union(values []string) string { return `"` + strings.Join(values, `" | "`) + `"` }

// Table is the fields as rows of a Markdown table, nested ones by their path.
func Table(list []Field) string {
	var b strings.Builder
	b.WriteString("| Field | Type | Required | Meaning |\n| --- | --- | --- | --- |\n")
	rows(&b, "", list)
	return b.String()
}

func rows(b *strings.Builder, prefix string, list []Field) {
	for _, f := range list {
		required := "no"
		if f.Required {
			required = "yes"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", prefix+f.Key, f.cell(), required, f.Doc)
		if f.Type == Object {
			rows(b, prefix+f.Key+".", f.Fields)
		}
	}
}

// cell is the type in a table, where a bar would end the column.
func (f Field) cell() string {
	t := f.ts()
	if len(f.Enum) > 0 {
		t = "`" + strings.Join(f.Enum, "`, `") + "`"
	}
	if f.Type == Object {
		t = "object"
	}
	if f.Summary {
		t = fmt.Sprintf("%s, at most %d tokens", t, tokens.Limit)
	}
	return strings.ReplaceAll(t, " | null", " or null")
}

// Schema is the JSON Schema of an object with these fields. Keys that it does
// not know are allowed: the protocol may grow.
func Schema(list []Field) *jsontree.Value {
	s := jsontree.NewObject()
	s.Set("type", jsontree.NewString("object"))
	props := jsontree.NewObject()
	var required []string
	for _, f := range list {
		props.Set(f.Key, f.schema())
		if f.Required {
			required = append(required, f.Key)
		}
	}
	if len(required) > 0 {
		s.Set("required", jsontree.NewStrings(required))
	}
	s.Set("properties", props)
	return s
}

func (f Field) schema() *jsontree.Value {
	s := jsontree.NewObject()
	types := func(names ...string) {
		if f.Nullable {
			names = append(names, "null")
		}
		if len(names) == 1 {
			s.Set("type", jsontree.NewString(names[0]))
		} else {
			s.Set("type", jsontree.NewStrings(names))
		}
	}
	switch f.Type {
	case Text:
		types("string")
	case Integer:
		types("integer")
		s.Set("minimum", jsontree.NewInt(0))
	case Flag:
		types("boolean")
	case Texts:
		types("array")
		items := jsontree.NewObject()
		items.Set("type", jsontree.NewString("string"))
		s.Set("items", items)
	case List:
		types("array")
	case Object:
		s = Schema(f.Fields)
		types("object")
	case Map:
		types("object")
		s.Set("additionalProperties", Schema(f.Fields))
	case Any:
		types("string", "object", "array", "number", "boolean")
	}
	if f.Doc != "" {
		s.Set("description", jsontree.NewString(f.Doc))
	}
	if len(f.Enum) > 0 {
		s.Set("enum", jsontree.NewStrings(f.Enum))
	}
	if f.NotBlank {
		s.Set("minLength", jsontree.NewInt(1))
		s.Set("pattern", jsontree.NewString(`\S`))
	}
	if f.Summary {
		s.Set("maxLength", jsontree.NewInt(tokens.ByteLimit))
		s.Set("pattern", jsontree.NewString(fmt.Sprintf(`^\s*(\S+(\s+|$)){0,%d}$`, tokens.Limit)))
	}
	return s
}
