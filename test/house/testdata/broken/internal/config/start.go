package config

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
)

func init() { _ = 1 } // breaks: start

var (
	name    = regexp.MustCompile(`^[a-z]+$`) // breaks: start, globals
	environ = os.Environ()                   // breaks: start, globals, environment
	path    = os.ExpandEnv("$PATH")          // breaks: start, environment
)

var home, _ = os.UserHomeDir() // breaks: start, environment

// These are fine: an error, a value made when it is first asked for, a table
// that cannot change.
var (
	errNone = errors.New("none")
	lazy    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`x`) })
	limits  = [...]struct{ name string }{{"a"}, {"b"}}
)

var known = map[string]bool{} // breaks: globals

var count int // breaks: globals

var lock sync.Mutex // breaks: globals

func Learn(s string) {
	lock.Lock()
	known[s] = true
	count++
}

func Use() (string, error) {
	return strings.Join(environ, path+home+limits[0].name) + name.String() + lazy().String(), errNone
}
