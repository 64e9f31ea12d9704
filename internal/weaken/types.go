package weaken

import (
	"path"
	"slices"
	"strings"
)

// typeChecks are the switches of type checkers that find errors. skipLibCheck and
// ignore_missing_imports are not among them: they are about other people's code.
func typeChecks(name string) []string {
	switch base := path.Base(name); {
	case isTSConfig(base):
		return append(strictFamily(),
			"strict", "noImplicitReturns", "noFallthroughCasesInSwitch", "noUncheckedIndexedAccess", "exactOptionalPropertyTypes",
			"noImplicitOverride", "noPropertyAccessFromIndexSignature", "noUnusedLocals", "noUnusedParameters", "checkJs")
	case base == "mypy.ini" || base == ".mypy.ini" || base == "setup.cfg" || base == "pyproject.toml":
		return []string{
			"strict", "disallow_untyped_defs", "disallow_incomplete_defs", "disallow_untyped_calls", "disallow_untyped_decorators", "disallow_any_generics",
			"disallow_any_explicit", "disallow_subclassing_any", "check_untyped_defs", "no_implicit_optional", "strict_optional", "strict_equality",
			"warn_return_any", "warn_unreachable", "warn_unused_ignores", "warn_redundant_casts",
		}
	}
	return nil
}

// strictFamily are the switches that `strict` in a tsconfig.json stands for.
func strictFamily() []string {
	return []string{
		"noImplicitAny", "noImplicitThis", "strictNullChecks", "strictFunctionTypes", "strictBindCallApply", "strictPropertyInitialization",
		"strictBuiltinIteratorReturn", "useUnknownInCatchVariables", "alwaysStrict",
	}
}

func isTSConfig(base string) bool {
	return (strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig")) && strings.HasSuffix(base, ".json")
}

// Switch counts how often a type check is switched on and off in a file.
type Switch struct {
	On  int `json:"on,omitempty"`
	Off int `json:"off,omitempty"`
}

// switches reads the type checks that a configuration switches on or off.
func switches(name, text string) map[string]Switch {
	known := typeChecks(name)
	if known == nil {
		return nil
	}
	out := map[string]Switch{}
	each := jsonPairs
	if !isTSConfig(path.Base(name)) {
		each = iniPairs
	}
	each(text, func(key, value string) {
		s := out[key]
		switch {
		case key == "extends": // what is missing here may be there
		case !slices.Contains(known, key):
			return
		case strings.EqualFold(value, "true"):
			s.On++
		case strings.EqualFold(value, "false"):
			s.Off++
		}
		out[key] = s
	})
	return out
}

// loosened counts the type checks that are off now and were not, and those that were on and
// are no longer mentioned. elsewhere are those that another changed file switches on.
func loosened(f File, elsewhere map[string]int) int {
	n := 0
	_, inherits := f.After.Switches["extends"]
	for key, before := range f.Before.Switches {
		after := f.After.Switches[key]
		implied := f.After.Switches["strict"].On > 0 && slices.Contains(strictFamily(), key)
		if gone := before.On - after.On; gone > 0 && after.Off <= before.Off && !inherits && !implied && elsewhere[key] < before.On {
			n += gone
		}
	}
	for key, after := range f.After.Switches {
		n += max(0, after.Off-f.Before.Switches[key].Off)
	}
	return n
}

// jsonPairs calls each for every key of JSON with comments whose value is a plain word or a
// string.
func jsonPairs(text string, each func(key, value string)) {
	key, word := "", ""
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := text[i]; {
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return
			}
			i += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return
			}
			i += end + 4
		case c == '"':
			end := 1
			for end < len(rest) && rest[end] != '"' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			word = rest[1:min(end, len(rest))]
			if key != "" {
				each(key, word)
			}
			key = ""
			i += end + 1
		case c == ':':
			key = word
			i++
		case c >= 'a' && c <= 'z':
			end := strings.IndexFunc(rest, func(r rune) bool { return r < 'a' || r > 'z' })
			if end < 0 {
				end = len(rest)
			}
			if key != "" {
				each(key, rest[:end])
			}
			key = ""
			i += end
		case c == '{' || c == '[':
			if key != "" {
				each(key, "")
			}
			key = ""
			i++
		default:
			i++
		}
	}
}

// iniPairs calls each for every setting of mypy in an ini or TOML file.
func iniPairs(text string, each func(key, value string)) {
	mypy := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section := strings.Trim(line, "[] \"")
			mypy = section == "mypy" || strings.HasPrefix(section, "mypy-") || section == "tool.mypy" || strings.HasPrefix(section, "tool.mypy.")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || !mypy {
			continue
		}
		value, _, _ = strings.Cut(value, "#")
		each(strings.TrimSpace(key), strings.TrimSpace(value))
	}
}

// level is how strict PHPStan or Pyright is set, as a number.
func level(name, text string) (key string, level float64, ok bool) {
	words := []string{"off", "basic", "standard", "strict"}
	key = "typeCheckingMode"
	switch base := path.Base(name); {
	case strings.HasPrefix(base, "phpstan."):
		key, words = "level", strings.Fields("0 1 2 3 4 5 6 7 8 9 max")
	case base != "pyrightconfig.json" && base != "pyproject.toml":
		return "", 0, false
	}
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(strings.TrimLeft(line, " \t\"{"), key)
		if !found {
			continue
		}
		value, _, _ := strings.Cut(strings.TrimLeft(rest, " \t\":="), "#")
		if i := slices.Index(words, strings.TrimRight(value, " \t\r\n\",}")); i >= 0 {
			return key, float64(i), true
		}
	}
	return "", 0, false
}
