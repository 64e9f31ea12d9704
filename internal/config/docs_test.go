package config

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// The tables of docs/configuration.md are made from the types, as the schema is.
func TestCommittedDocsAreCurrent(t *testing.T) {
	const file = "../../docs/configuration.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, typ := range map[string]reflect.Type{
		"config": reflect.TypeFor[Project](), "stop_hook": reflect.TypeFor[StopHook](), "checkpoint": reflect.TypeFor[Checkpoint](),
		"autonomy": reflect.TypeFor[Autonomy](), "check": reflect.TypeFor[Check](), "review": reflect.TypeFor[Review](),
	} {
		begin, end := "<!-- "+name+": made from internal/config/types.go -->\n", "<!-- end of "+name+" -->\n"
		head, rest, ok := strings.Cut(text, begin)
		_, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for %s", file, name)
		}
		text = head + begin + table(typ) + end + tail
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(data) {
		t.Errorf("%s differs from the Go types; run: make schema", file)
	}
}

func table(t reflect.Type) string {
	var b strings.Builder
	b.WriteString("|field|default||\n|---|---|---|\n")
	rows(&b, t, "")
	return b.String()
}

// rows lists the fields; small sections appear with theirs, the others have a
// table of their own.
func rows(b *strings.Builder, t reflect.Type, prefix string) {
	for i := range t.NumField() {
		sf := t.Field(i)
		key := sf.Tag.Get("yaml")
		if key == "-" || !sf.IsExported() {
			continue
		}
		section := sf.Type
		for section.Kind() == reflect.Pointer || section.Kind() == reflect.Slice {
			section = section.Elem()
		}
		name := prefix + key
		if sf.Type.Kind() == reflect.Slice && section.Kind() == reflect.Struct {
			name += "[]"
		}
		fmt.Fprintf(b, "|`%s`|%s|%s|\n", name, defaultCell(sf), docCell(sf))
		switch section {
		case reflect.TypeFor[StopHook](), reflect.TypeFor[Checkpoint](), reflect.TypeFor[Autonomy](), reflect.TypeFor[Action]():
			continue
		}
		if section.Kind() == reflect.Struct {
			rows(b, section, name+".")
		}
	}
}

func defaultCell(sf reflect.StructField) string {
	text, ok := sf.Tag.Lookup("default")
	switch {
	case sf.Tag.Get("required") != "":
		return "required"
	case !ok:
		return "–"
	}
	cell := "`" + strings.ReplaceAll(text, " ", "` `") + "`"
	if strict, ok := sf.Tag.Lookup("strict"); ok {
		cell += ", strict: `" + strict + "`"
	}
	return cell
}

func docCell(sf reflect.StructField) string {
	doc := sf.Tag.Get("doc")
	if words := sf.Tag.Get("enum"); words != "" {
		doc = "`" + strings.ReplaceAll(words, ",", "`, `") + "`. " + doc
	}
	return doc
}
