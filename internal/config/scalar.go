package config

import (
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"gauntlet/internal/text"
)

// scalar decodes one value and checks it against the tags of its field.
func (d *decoder) scalar(n ast.Node, v reflect.Value, field string, tag reflect.StructTag) {
	before := len(d.errs)
	switch v.Kind() {
	case reflect.Bool:
		b, ok := boolOf(n)
		if !ok {
			d.fail(n, field, "", "must be true or false, not %s", kindOf(n))
			return
		}
		v.SetBool(b)
	case reflect.String:
		text, ok := stringOf(n)
		if _, word := n.(*ast.BoolNode); word && (strings.HasSuffix(field, "command") || strings.Contains(tag.Get("enum"), n.GetToken().Value)) {
			text, ok = n.GetToken().Value, true // true and false are commands, and some settings are a word or false
		}
		if !ok {
			d.fail(n, field, "", "must be text, not %s%s", kindOf(n), quoteAdvice(n))
			return
		}
		if d.text(n, text, field, tag); len(d.errs) == before {
			v.SetString(text)
		}
	case reflect.Int, reflect.Float64:
		f, ok := numberOf(n)
		if !ok {
			d.fail(n, field, "", "must be a number, not %s", kindOf(n))
			return
		}
		if v.Kind() == reflect.Int && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
			d.fail(n, field, "", "must be a whole number, not %s", kindOf(n))
			return
		}
		if d.number(n, f, field, tag); len(d.errs) > before {
			return
		}
		if v.Kind() == reflect.Int {
			v.SetInt(int64(f))
		} else {
			v.SetFloat(f)
		}
	default:
		panic("config: no decoder for " + v.Type().String())
	}
}

// boolOf reads true and false, and the words on and off that people use for switches;
// quoted values are text.
func boolOf(n ast.Node) (value, ok bool) {
	switch v := n.(type) {
	case *ast.BoolNode:
		return v.Value, true
	case *ast.StringNode:
		if v.Token.Type == token.StringType {
			return v.Value == "on", v.Value == "on" || v.Value == "off"
		}
	}
	return false, false
}

func (d *decoder) text(n ast.Node, value, field string, tag reflect.StructTag) {
	if strings.ContainsRune(value, 0) {
		d.fail(n, field, "", "must not contain a NUL character")
		return
	}
	if strings.TrimSpace(value) == "" && (tag.Get("required") != "" || tag.Get("nonblank") != "" || tag.Get("enum") != "") {
		d.fail(n, field, "", "must not be empty")
		return
	}
	if tag.Get("nonblank") != "" && strings.ContainsFunc(value, unicode.IsControl) {
		d.fail(n, field, "", "must be one line without control characters")
		return
	}
	if tag.Get("url") != "" {
		switch u, err := url.Parse(value); {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			d.fail(n, field, "", "must be an http or https address, not %s", quote(value))
			return
		case u.User != nil:
			d.fail(n, field, "", "must not contain a user or password; put them into remote.auth of your own configuration")
			return
		}
	}
	words := tag.Get("enum")
	if words == "" {
		return
	}
	known := strings.Split(words, ",")
	if slices.Contains(known, value) {
		return
	}
	d.fail(n, field, text.Nearest(value, known), "must be one of %s, not %s", strings.Join(known, ", "), quote(value))
}

func (d *decoder) number(n ast.Node, f float64, field string, tag reflect.StructTag) {
	shown := strconv.FormatFloat(f, 'g', -1, 64)
	if low, ok := bound(tag, "min"); ok && f < low {
		d.fail(n, field, "", "must be at least %v, not %s", low, shown)
	}
	if low, ok := bound(tag, "above"); ok && f <= low {
		d.fail(n, field, "", "must be greater than %v, not %s", low, shown)
	}
	if high, ok := bound(tag, "max"); ok && f > high {
		d.fail(n, field, "", "must be at most %v, not %s", high, shown)
	}
}
