package workflow

import (
	"bytes"
	. "fmt"
	"net/http" // breaks: imports
	. "os"
	"regexp"
	"strings"
)

func Get() error {
	_, err := http.Get("https://example.com")     // breaks: clients
	if strings.Contains(err.Error(), "timeout") { // breaks: errors
		return nil
	}
	if err.Error() == "EOF" { // breaks: errors
		return nil
	}
	text := err.Error()
	if strings.HasPrefix(text, "dial") { // breaks: errors
		return nil
	}
	lower := strings.ToLower(err.Error())
	if strings.Contains(lower, "refused") || Sprint(err) == "EOF" { // breaks: errors
		return nil
	}
	if bytes.Contains([]byte(err.Error()), nil) || err.Error()[:3] == "EOF" { // breaks: errors
		return nil
	}
	if ok, _ := regexp.MatchString("EOF", text); ok { // breaks: errors
		return nil
	}
	switch err.Error() { // breaks: errors
	case "EOF":
		return nil
	}
	return Errorf("%s: %s", Getenv("HOME"), text) // breaks: environment
}

type Clock interface { // breaks: interfaces
	Now() int64
}

type wall struct{}

func (wall) Now() int64 { return 0 }

// Two implementations are a reason for an interface.
type Shape interface{ Area() int }

type square struct{}

func (square) Area() int { return 1 }

type circle struct{}

func (*circle) Area() int { return 3 }
