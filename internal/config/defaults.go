package config

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// WithDefaults returns a copy of a section in which every field that is not set
// has the value of its default tag.
func WithDefaults[T any](section T) T {
	walk(reflect.ValueOf(&section).Elem(), "", func(f reflect.Value, sf reflect.StructField, _ string) {
		if text, ok := sf.Tag.Lookup("default"); ok && !isSet(f) {
			setText(f, sf.Tag, text)
		}
	})
	return section
}

// walk visits every field of a section, those of its parts included. Optional parts that
// are set are copied first: the original of v stays unchanged.
func walk(v reflect.Value, path string, visit func(f reflect.Value, sf reflect.StructField, path string)) {
	for i := range v.NumField() {
		f, sf := v.Field(i), v.Type().Field(i)
		key := sf.Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		at := key
		if path != "" {
			at = path + "." + key
		}
		switch {
		case f.Kind() == reflect.Struct:
			walk(f, at, visit)
		case isSection(f):
			if !f.IsNil() {
				part := reflect.New(f.Type().Elem())
				part.Elem().Set(f.Elem())
				f.Set(part)
				walk(part.Elem(), at, visit)
			}
		default:
			visit(f, sf, at)
		}
	}
}

// isSet reports whether a file set the field; an empty list is set, too.
func isSet(f reflect.Value) bool { return !f.IsZero() }

// setText sets a field to the value in a tag or an environment variable. It returns what
// the text must be if it is invalid.
func setText(f reflect.Value, tag reflect.StructTag, text string) (want string) {
	if f.Kind() == reflect.Pointer {
		p := reflect.New(f.Type().Elem())
		if want := setText(p.Elem(), tag, text); want != "" {
			return want
		}
		f.Set(p)
		return ""
	}
	switch f.Kind() {
	case reflect.Bool:
		on, ok := switchOf(text)
		if !ok {
			return "true or false"
		}
		f.SetBool(on)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil || text[0] == '+' || !inBounds(float64(n), tag) {
			return "a whole number" + bounds(tag)
		}
		f.SetInt(int64(n))
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || !inBounds(n, tag) {
			return "a number" + bounds(tag)
		}
		f.SetFloat(n)
	case reflect.String:
		if words := tag.Get("enum"); words != "" {
			text = strings.ToLower(text)
			if !strings.Contains(","+words+",", ","+text+",") {
				return "one of " + strings.ReplaceAll(words, ",", ", ")
			}
		}
		f.SetString(text)
	case reflect.Slice:
		words := strings.Fields(text)
		list := reflect.MakeSlice(f.Type(), len(words), len(words))
		for i, w := range words {
			if want := setText(list.Index(i), "", w); want != "" {
				return want
			}
		}
		f.Set(list)
	default:
		panic("config: no default for " + f.Type().String())
	}
	return ""
}

func switchOf(text string) (on, ok bool) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off":
		return false, true
	}
	return false, false
}

// bound is a limit of a number in its tags.
func bound(tag reflect.StructTag, name string) (float64, bool) {
	x, err := strconv.ParseFloat(tag.Get(name), 64)
	return x, err == nil
}

func inBounds(n float64, tag reflect.StructTag) bool {
	if low, ok := bound(tag, "min"); ok && n < low {
		return false
	}
	if low, ok := bound(tag, "above"); ok && n <= low {
		return false
	}
	high, ok := bound(tag, "max")
	return !ok || n <= high
}

func bounds(tag reflect.StructTag) string {
	text := ""
	for _, b := range [][2]string{{"min", "at least"}, {"above", "greater than"}, {"max", "at most"}} {
		if n, ok := bound(tag, b[0]); ok {
			text += fmt.Sprintf(", %s %v", b[1], n)
		}
	}
	return text
}
