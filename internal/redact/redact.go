// Package redact takes secrets and terminal control out of text before it
// reaches any sink: a log, a prompt, a terminal, the history. Ring 0: standard
// library only.
package redact

import (
	"regexp"
	"strings"
	"sync"
)

// Finding is a place where a secret stands. The value itself is never kept.
type Finding struct {
	Line int // from 1
	Kind string
}

type rule struct {
	kind string
	// hints: one of them must occur in the text (case-insensitively) for the
	// pattern to be tried, and compiled, at all.
	hints []string
	re    func() *regexp.Regexp
	// group is the part that is the secret; 0 is the whole match.
	group int
}

// rules are made when first needed, and each pattern is compiled when its hint
// is first seen: all of them take a millisecond, which no stop has to spare.
var rules = sync.OnceValue(func() []rule {
	r := func(kind, hints, expr string, group int) rule {
		return rule{kind, strings.Split(hints, "|"), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }), group}
	}
	return []rule{
		r("private key", "private key", `-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)`, 0),
		r("AWS access key", "akia|asia|abia|acca", `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`, 0),
		r("GitHub token", "gh", `\bgh[pousr]_[A-Za-z0-9]{36,255}\b`, 0),
		r("GitHub token", "github_pat_", `\bgithub_pat_[A-Za-z0-9_]{22,255}\b`, 0),
		r("GitLab token", "glpat-", `\bglpat-[A-Za-z0-9_-]{20,}`, 0),
		r("Anthropic key", "sk-ant-", `\bsk-ant-[A-Za-z0-9_-]{20,}`, 0),
		r("OpenAI key", "sk-", `\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}`, 0),
		r("Google key", "aiza", `\bAIza[A-Za-z0-9_-]{35}`, 0),
		r("Slack token", "xox", `\bxox[abeoprs]-[A-Za-z0-9-]{10,}`, 0),
		r("Slack webhook", "hooks.slack.com", `hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}`, 0),
		r("Stripe key", "_live_", `\b[rs]k_live_[A-Za-z0-9]{16,}`, 0),
		r("Linear token", "lin_", `\blin_(?:api|oauth)_[A-Za-z0-9]{20,}`, 0),
		r("npm token", "npm_", `\bnpm_[A-Za-z0-9]{36}\b`, 0),
		r("PyPI token", "pypi-", `\bpypi-[A-Za-z0-9_-]{32,}`, 0),
		r("JSON web token", "eyj", `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}`, 0),
		r("password in URL", "://", `[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@'"]*:([^\s/@'"]{3,})@`, 1),
		r("authorization header", "authorization", `(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,})`, 1),
		r(assigned, "passw|secret|token|key|credential", `(?i)\b[a-z0-9_.-]*(?:password|passwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|credentials?)["']?\s*(?:=|:=|:|=>)\s*["']?([A-Za-z0-9_~+/=.!@#$%^&*-]{12,})`, 1),
	}
})

// assigned is the kind of a value that is a secret only by the name it is
// assigned to; it must look like one, too.
const assigned = "assigned secret"

// spans are the byte ranges of secrets in s, in the order of the rules.
func spans(s string, found func(from, to int, kind string)) {
	if len(s) < 12 {
		return
	}
	lower := strings.ToLower(s)
	for _, r := range rules() {
		if !containsAny(lower, r.hints) {
			continue
		}
		for _, m := range r.re().FindAllStringSubmatchIndex(s, -1) {
			from, to := m[2*r.group], m[2*r.group+1]
			if from < 0 || (r.kind == assigned && !looksSecret(s[from:to])) {
				continue
			}
			found(from, to, r.kind)
		}
	}
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// looksSecret tells a value from a word: an assigned secret has digits and
// letters mixed, a variable name or a sentence has not.
func looksSecret(v string) bool {
	var digits, letters int
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letters++
		}
	}
	return digits >= 2 && letters >= 4 && digits+letters >= 12
}

// String replaces every secret in s by [redacted].
func String(s string) string {
	var cut []bool
	spans(s, func(from, to int, _ string) {
		if cut == nil {
			cut = make([]bool, len(s))
		}
		for i := from; i < to; i++ {
			cut[i] = true
		}
	})
	if cut == nil {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if !cut[i] {
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteString("[redacted]")
		for i < len(s) && cut[i] {
			i++
		}
	}
	return b.String()
}

// Find lists the secrets in s by line and kind, never by value, in order of lines.
func Find(s string) []Finding {
	var out []Finding
	seen := map[Finding]bool{}
	spans(s, func(from, _ int, kind string) {
		f := Finding{Line: 1 + strings.Count(s[:from], "\n"), Kind: kind}
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	})
	for i := 1; i < len(out); i++ {
		for j := i; j > 0 && out[j].Line < out[j-1].Line; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}
