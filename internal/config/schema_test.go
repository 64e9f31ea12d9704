package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write schema/*.json")

func TestCommittedSchemaIsCurrent(t *testing.T) {
	for _, kind := range SchemaKinds() {
		got, err := Schema(kind)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("..", "..", "schema", kind+".json")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the Go types; run: go test ./internal/config -run Schema -update", file)
		}
	}
	if _, err := Schema("nonsense"); err == nil {
		t.Error("an unknown kind has a schema")
	}
}

func compileSchema(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	data, err := Schema(kind)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(kind, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(kind)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The schema and the loader must agree on what a file may contain.
func TestSchemaAgreesWithTheLoader(t *testing.T) {
	tests := []struct {
		kind, text string
		valid      bool
	}{
		{"config", minimal, true},
		{"config", "checkpoint:\n", true},
		{"config", "autonomy: {enabled: true, threshold_percent: 60, commit: work}\n", true},
		{"config", "checkpoint: {commit_gate: false}\nautonomy: false\n", true},
		{"config", "max_retries: 3\n", false},
		{"config", minimal + "max_retries: -1\n", false},
		{"config", minimal + "max_retries: 0\n", true},
		{"config", minimal + "max_parallel: 1.5\n", false},
		{"config", minimal + "nonsense: 1\n", false},
		{"config", minimal + "parallel: true\n", true},
		{"config", minimal + "cli: {default_preference: [claude], adapters: {x: 1}}\n", true},
		{"config", minimal + "stop_hook: {deadline_seconds: 0}\n", false},
		{"config", minimal + "stop_hook: {reentry: twice}\n", false},
		{"config", minimal + "stop_hook: {reentry: until_pass, run_interval_minutes: 0.5}\n", true},
		{"config", "entry_points: [{checks: [a]}]\n", false},
		{"config", "entry_points: [{path: ' '}]\n", false},
		{"config", "checkpoint: {commit_gate: {paths: []}}\n", false},
		{"config", "checkpoint: {categories: [{name: a, paths: ['**/*.go'], actions: [{id: x, run: y}]}]}\n", true},
		{"config", "checkpoint: {categories: [{name: a, path: x}]}\n", false},
		{"check", "command: x\n", true},
		{"check", "command: x\nname: y\nrerun_command: z\n", true},
		{"check", "command: ''\n", false},
		{"check", "timeout: 1\n", false},
		{"check", "command: x\nparallel: true\nfail_fast: true\n", false},
		{"check", "command: x\nparallel: false\nfail_fast: true\n", true},
		{"check", "command: x\nenv: {A: 1, B: true, C: x}\n", true},
		{"check", "command: x\nenv: {A: [1]}\n", false},
		{"review", "num_reviews: 2\nmodel: m\npass_pattern: x\n", true},
		{"review", "num_reviews: 0\n", false},
		{"global", "stop_hook: {enabled: false}\ndebug_log: {max_size_mb: 5}\n", true},
		{"global", "entry_points: []\n", false},
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, kind := range SchemaKinds() {
		schemas[kind] = compileSchema(t, kind)
	}
	for _, tt := range tests {
		var doc any
		if err := yaml.Unmarshal([]byte(tt.text), &doc); err != nil {
			t.Fatal(err)
		}
		if err := schemas[tt.kind].Validate(plain(doc)); (err == nil) != tt.valid {
			t.Errorf("schema of %s on %q: %v", tt.kind, tt.text, err)
		}
		if errs := loaderErrors(t, tt.kind, tt.text); (len(errs) == 0) != tt.valid {
			t.Errorf("loader of %s on %q: %v", tt.kind, tt.text, errs)
		}
	}
}

func loaderErrors(t *testing.T, kind, text string) []*Error {
	t.Helper()
	switch kind {
	case "config":
		_, errs := Validate(project(t, map[string]string{"config.yml": text, "checks/lint.yml": "command: x\n"}), env(t))
		return errs
	case "check":
		_, errs := Validate(project(t, map[string]string{"config.yml": minimal, "checks/lint.yml": text}), env(t))
		return errs
	case "review":
		_, errs := Validate(project(t, map[string]string{"config.yml": "autonomy:\n", "reviews/r.md": "---\n" + text + "---\nLook.\n"}), env(t))
		return errs
	}
	_, d := loadGlobal(home(t, text))
	return d.errs
}

// plain turns the parser's values into those of encoding/json.
func plain(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			x[k] = plain(x[k])
		}
		return x
	case []any:
		for i := range x {
			x[i] = plain(x[i])
		}
		return x
	case uint64:
		return float64(x)
	case int64:
		return float64(x)
	}
	return v
}

func TestEveryFieldIsDescribed(t *testing.T) {
	var walk func(typ reflect.Type, at string)
	walk = func(typ reflect.Type, at string) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			sf := typ.Field(i)
			if key := sf.Tag.Get("yaml"); key != "-" && sf.IsExported() {
				if sf.Tag.Get("doc") == "" {
					t.Errorf("%s.%s has no doc tag", at, key)
				}
				walk(sf.Type, at+"."+key)
			}
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Project](), reflect.TypeFor[Check](), reflect.TypeFor[Review](), reflect.TypeFor[Global]()} {
		walk(typ, typ.Name())
	}
}
