package tasks

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// packageJSON reads the scripts of a package.json, with those that npm runs
// before and after.
func (s *Set) packageJSON(dir string) (File, bool) {
	f, scripts, ok := s.scripts(dir, "package.json", "npm")
	for _, script := range slices.Sorted(maps.Keys(scripts)) {
		line, ok := scripts[script].(string)
		if !ok || strings.TrimSpace(line) == "" {
			continue
		}
		r := Recipe{Name: script, Lines: []string{strings.TrimSpace(line)}}
		if r.Lines[0] == "wireit" {
			s.wireit(dir, &r)
		}
		if _, ok := scripts["pre"+script].(string); ok {
			r.Needs = append(r.Needs, "pre"+script)
		}
		f.Recipes = append(f.Recipes, r)
	}
	return f, ok
}

// wireit reads what a script runs that package.json leaves to wireit. What it needs of other
// packages is left out.
func (s *Set) wireit(dir string, r *Recipe) {
	_, text := s.text(dir, "package.json")
	var doc struct {
		Wireit map[string]struct {
			Command      string `json:"command"`
			Dependencies []any  `json:"dependencies"`
		} `json:"wireit"`
	}
	if json.Unmarshal([]byte(text), &doc) != nil {
		return
	}
	script, ok := doc.Wireit[r.Name]
	if !ok {
		return
	}
	r.Lines = nil
	if script.Command != "" {
		r.Lines = []string{script.Command}
	}
	for _, need := range script.Dependencies {
		if m, isObject := need.(map[string]any); isObject {
			need = m["script"]
		}
		r.Needs = append(r.Needs, asText(need))
	}
}

// packageName is the name of the package in a directory.
func (s *Set) packageName(dir string) string {
	_, text := s.text(dir, "package.json")
	var doc struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal([]byte(text), &doc)
	return doc.Name
}

// scripts reads the member "scripts" of a JSON file.
func (s *Set) scripts(dir, file, runner string) (File, map[string]any, bool) {
	name, text := s.text(dir, file)
	var doc struct {
		Scripts map[string]any `json:"scripts"`
	}
	if name == "" || json.Unmarshal([]byte(text), &doc) != nil {
		return File{}, nil, false
	}
	return File{Name: name, Runner: runner}, doc.Scripts, true
}

// composer reads the scripts of a composer.json; "@name" calls another one.
func (s *Set) composer(dir string) (File, bool) {
	f, scripts, ok := s.scripts(dir, "composer.json", "composer")
	for _, script := range slices.Sorted(maps.Keys(scripts)) {
		r := Recipe{Name: script}
		for _, item := range listOf(scripts[script]) {
			line := strings.TrimSpace(asText(item))
			switch {
			case strings.HasPrefix(line, "@php "):
				r.Lines = append(r.Lines, line[1:])
			case strings.HasPrefix(line, "@putenv "), line == "":
			case strings.HasPrefix(line, "@composer "):
				r.Lines = append(r.Lines, line[1:])
			case strings.HasPrefix(line, "@"):
				r.Lines = append(r.Lines, "composer run "+line[1:])
			default:
				r.Lines = append(r.Lines, line)
			}
		}
		f.Recipes = append(f.Recipes, r)
	}
	return f, ok
}
