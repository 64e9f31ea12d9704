package finding

import "strings"

// placed reads `file:line…: rest` and `file(line,column): rest`.
func placed(s string) (file string, line int, rest string, ok bool) {
	from := 0
	if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') { // C:\dir
		from = 2
	}
	i := strings.IndexAny(s[from:], ":(")
	if i <= 0 {
		return "", 0, "", false
	}
	i += from
	file = s[:i]
	if !looksLikeFile(file) {
		return "", 0, "", false
	}
	if s[i] == '(' {
		inner, after, found := strings.Cut(s[i+1:], ")")
		digits, column, _ := strings.Cut(inner, ",")
		rest, isMessage := strings.CutPrefix(after, ":")
		if !found || !isMessage || number(digits) == 0 || column != "" && number(column) == 0 {
			return "", 0, "", false
		}
		return file, number(digits), rest, true
	}
	digits, rest, found := strings.Cut(s[i+1:], ":")
	if !found || len(digits) == 0 || len(digits) > 8 || strings.Trim(digits, "0123456789") != "" || number(digits) == 0 {
		return "", 0, "", false
	}
	return file, number(digits), rest, true
}

// looksLikeFile distinguishes the name of a file from a word, an address or a sentence.
func looksLikeFile(s string) bool {
	if s == "" || len(s) > 1024 || strings.Contains(s, "://") || strings.ContainsAny(s, "\"'`<>|*?{}=,;") || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "/") {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	if i := strings.LastIndexByte(base, '.'); i >= 0 && i < len(base)-1 {
		ext := base[i+1:]
		return !strings.Contains(ext, " ") && strings.ContainsAny(ext, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && !strings.Contains(base, "  ")
	}
	return strings.HasSuffix(base, "file") && !strings.Contains(s, " ") // Makefile, Dockerfile
}

// splitSeverity takes the word for the severity from the front of a message.
func splitSeverity(s string) (severity, rest string) {
	for _, w := range []struct{ word, severity string }{
		{"error", Err},
		{"fatal error", Err},
		{"fatal", Err},
		{"warning", Warn},
		{"warn", Warn},
		{"note", Note},
		{"info", Note},
		{"notice", Note},
		{"Error", Err},
		{"Warning", Warn},
	} {
		rest, ok := strings.CutPrefix(s, w.word)
		if !ok || rest == "" {
			continue
		}
		switch rest[0] {
		case ':':
			return w.severity, strings.TrimSpace(rest[1:])
		case '[': // rustc's code follows
			return w.severity, rest
		case ' ':
			return w.severity, strings.TrimSpace(rest)
		}
	}
	return "", s
}

// splitRule takes the rule from the front (`E501 line too long`, `SA4006: …`) or
// from the end (`… (errcheck)`, `… [arg-type]`) of a message.
func splitRule(s string) (rule, message string) {
	s = strings.TrimSpace(s)
	if word, rest, ok := strings.Cut(s, " "); ok {
		if code := strings.TrimSuffix(word, ":"); isCode(code) {
			return code, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "[*] "))
		}
	}
	if word, rest, ok := strings.Cut(s, "] "); ok && strings.HasPrefix(word, "[") && isRule(word[1:]) { // javac
		return word[1:], strings.TrimSpace(rest)
	}
	for _, pair := range []string{"()", "[]"} {
		if len(s) < 3 || s[len(s)-1] != pair[1] {
			continue
		}
		if i := strings.LastIndexByte(s, pair[0]); i > 0 && s[i-1] == ' ' {
			word := s[i+1 : len(s)-1]
			if option, ok := strings.CutPrefix(word, "-W"); ok { // gcc, clang
				word = strings.TrimPrefix(strings.TrimPrefix(option, "error="), "error,-W")
			}
			if isRule(word) {
				return word, strings.TrimSpace(s[:i])
			}
		}
	}
	return "", s
}

// isCode reports whether a word is capitals and then digits, as E501 or SA4006.
func isCode(s string) bool {
	letters := 0
	for letters < len(s) && s[letters] >= 'A' && s[letters] <= 'Z' {
		letters++
	}
	digits := s[letters:]
	return letters >= 1 && letters <= 8 && len(digits) >= 1 && len(digits) <= 6 && strings.Trim(digits, "0123456789") == ""
}

// isRule reports whether a word has the form of a tool's rule name.
func isRule(s string) bool {
	if s == "" || len(s) > 80 {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@:") == ""
}
