package utils // breaks: names

import "strings" // breaks: imports

func Up(s string) string { return strings.ToUpper(s) }
