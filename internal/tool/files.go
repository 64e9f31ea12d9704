package tool

import (
	"path"
	"strings"
)

// language is what the catalogue says of the files of a language.
type language struct {
	name  string
	files string // endings: .py
	tests string // names of test files, with * at one end or both; directories end in /
	runs  string // the same for files that are tests if they are run as programs
	// spoil is a line that no tool of the language accepts.
	spoil string
}

// Language is what a file is written in; "" if the catalogue does not know its ending.
func Language(name string) string { return languageOf(name).name }

func languageOf(name string) language {
	ext := strings.ToLower(path.Ext(name))
	if ext == "" {
		return language{}
	}
	for i := range languages {
		if hasWord(languages[i].files, ext) {
			return languages[i]
		}
	}
	return language{}
}

// IsTest reports whether a file is a test by the conventions of its language.
func IsTest(name string) bool { return isNamed(name, languageOf(name).tests) }

// IsTestProgram reports whether a file that is run as a program is a test by its name or
// place: node tests/all.js, tsx scripts/test-login.ts. What it prints shows whether it is one.
func IsTestProgram(name string) bool { return IsTest(name) || isNamed(name, languageOf(name).runs) }

func isNamed(name, patterns string) bool {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	for pattern := range strings.FieldsSeq(patterns) {
		if dir, isDir := strings.CutSuffix(pattern, "/"); isDir {
			if strings.Contains("/"+path.Dir(name)+"/", "/"+dir+"/") {
				return true
			}
		} else if glob(pattern, stem) {
			return true
		}
	}
	return false
}

// Spoiled is a line that breaks a file of this name, so that no tool of its language may
// accept it; "" if there is none.
func Spoiled(name string) string { return languageOf(name).spoil }

// SameLanguage reports whether tools of the one are tools of the other, too: deno runs what
// node runs.
func SameLanguage(a, b string) bool {
	return a == b || family(a) == family(b)
}

func family(name string) string {
	switch name {
	case "deno":
		return "node"
	}
	return name
}
