// Package redact removes secrets and terminal control from text before it reaches any sink:
// a log, a prompt, a terminal, the history. Ring 0: standard library and text.
package redact

import (
	"regexp"
	"strings"
	"sync"
)

// Finding is the place of a secret. The value itself is never kept.
type Finding struct {
	Line int // from 1
	Kind string
}

type rule struct {
	kind string
	// hints, with | between them: one of them must occur in the text
	// (case-insensitively) for the pattern to be tried, and compiled, at all.
	hints string
	expr  string
	// group is the part that is the secret; 0 is the whole match, -1 whichever
	// group matched.
	group int
}

// compiled are the patterns of the rules, each made when its hint is first seen: compiling
// them all takes a millisecond, which is too long for a stop.
var compiled = sync.OnceValue(func() (out [len(rules)]func() *regexp.Regexp) {
	for i, r := range rules {
		out[i] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.expr) })
	}
	return out
})

// hinted reports whether one of the hints occurs in a text in lower case.
func (r rule) hinted(lower string) bool {
	for hint := range strings.SplitSeq(r.hints, "|") {
		if strings.Contains(lower, hint) {
			return true
		}
	}
	return false
}

// rules are data, so that a text without a secret costs a start nothing.
var rules = [...]rule{
	{"private key", "private key", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`, 0},
	{"AGE key", "age-secret-key-", `\bAGE-SECRET-KEY-1[A-Z0-9]{50,}`, 0},
	{"AWS access key", "akia|asia|abia|acca", `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`, 0},
	{"GitHub token", "gh", `\bgh[pousr]_[A-Za-z0-9]{36,255}\b`, 0},
	{"GitHub token", "github_pat_", `\bgithub_pat_[A-Za-z0-9_]{22,255}\b`, 0},
	{"GitLab token", "gl", `\bgl(?:pat|rt|rtr|dt|ptt|cbt|ft|imt|agent|soat|ffct|oas|wt)-[A-Za-z0-9_-]{20,}`, 0},
	{"Anthropic key", "sk-ant-", `\bsk-ant-[A-Za-z0-9_-]{20,}`, 0},
	{"OpenAI key", "sk-", `\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{32,}`, 0},
	{"API key", "gsk_|xai-|r8_|pplx-|hf_|nvapi-|fw_", `\b(?:gsk_|xai-|r8_|pplx-|hf_|nvapi-)[A-Za-z0-9_-]{30,}`, 0},
	{"Google key", "aiza", `\bAIza[A-Za-z0-9_-]{35}`, 0},
	{"Google token", "ya29.|goog|1//0", `\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}|\b1//0[A-Za-z0-9_-]{40,}`, 0},
	{"Slack token", "xox|xapp-", `\bxox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}`, 0},
	{"Slack webhook", "hooks.slack.com", `hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}`, 0},
	{"Discord webhook", "/api/webhooks/", `discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_-]{30,}`, 0},
	{"Telegram token", ":aa", `\b\d{8,10}:AA[A-Za-z0-9_-]{32,}`, 0},
	{"Stripe key", "_live_|_test_|whsec_", `\b(?:[rsp]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}`, 0},
	{"Linear token", "lin_", `\blin_(?:api|oauth)_[A-Za-z0-9]{20,}`, 0},
	{"npm token", "npm_", `\bnpm_[A-Za-z0-9]{36}\b`, 0},
	{"npm token", "_authtoken|_auth", `(?m)_auth(?:Token)?\s*=\s*["']?([A-Za-z0-9_+/=.-]{8,})`, 1},
	{"PyPI token", "pypi-", `\bpypi-[A-Za-z0-9_-]{32,}`, 0},
	{"package token", "rubygems_|cio|nuget|oy2", `\brubygems_[a-f0-9]{40,}|\bcio[A-Za-z0-9]{32}\b|\boy2[a-z0-9]{43}\b`, 0},
	{"SendGrid key", "sg.", `\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`, 0},
	{"Mailgun key", "key-", `\bkey-[0-9a-f]{32}\b`, 0},
	{"Twilio key", "sk", `\bSK[0-9a-f]{32}\b`, 0},
	{"DigitalOcean token", "_v1_", `\bdo[opr]_v1_[a-f0-9]{64}\b`, 0},
	{"Vault token", "hvs.|hvb.|hvr.", `\bhv[sbr]\.[A-Za-z0-9_-]{20,}`, 0},
	{"Terraform token", "atlasv1", `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}`, 0},
	{"Databricks token", "dapi", `\bdapi[a-f0-9]{32}(?:-\d)?\b`, 0},
	{"Shopify token", "shp", `\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b`, 0},
	{"Atlassian token", "atatt3|atctt3|atbb", `\bAT(?:ATT3|CTT3)[A-Za-z0-9_=-]{50,}|\bATBB[A-Za-z0-9]{32}\b`, 0},
	{
		"service token", "figd_|ntn_|sbp_|pscale_|dp.|pul-|nrak-|sntry|glsa_|glc_|pmak-|nfp_|bku|ccipat_|hrku-|dckr_|fm2_|tskey-|sq0|eaaa|waka_|phc_|secret_|ops_eyj|cfat_|rnd_|vcp_",
		`\b(?:figd_[A-Za-z0-9_-]{30,}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}|sbp_[a-f0-9]{40}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}|dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{30,}|pul-[a-f0-9]{40}|NRAK-[A-Z0-9]{27}|sntry[su]_[A-Za-z0-9_+/=.-]{40,}|glsa_[A-Za-z0-9_]{32,}|glc_[A-Za-z0-9+/=]{32,}|PMAK-[a-f0-9-]{50,}|nfp_[A-Za-z0-9]{36}|bku[ab]_[A-Za-z0-9]{30,}|CCIPAT_[A-Za-z0-9_]{30,}|HRKU-[A-Za-z0-9_-]{36,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}|fm2_[A-Za-z0-9+/=_-]{40,}|tskey-[a-z]+-[A-Za-z0-9-]{20,}|sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{56,}|waka_[a-f0-9-]{36}|ops_eyJ[A-Za-z0-9_-]{40,})`, 0,
	},
	{
		"service token", "tgp_|fw_|lsv2_|tvly-|pcsk_|jina_|sk_|vcp_|vck_|sb_secret_|napi_|rnd_|cfk_|cfut_|cfat_|phx_|hca|re_|xkeysib-|rzp_|access-|akcp|ltai|pat|dt0|ezak|eztk|absk|sk.eyj|aq.|-us",
		`\b(?:tgp_v1_[A-Za-z0-9_-]{30,}|fw_[A-Za-z0-9]{22,}|lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}|pcsk_[A-Za-z0-9]{4,}_[A-Za-z0-9]{40,}|jina_[A-Za-z0-9]{40,}|sk_[a-f0-9]{48}|vc[pk]_[A-Za-z0-9]{24,}|sb_secret_[A-Za-z0-9_-]{20,}|napi_[A-Za-z0-9]{50,}|rnd_[A-Za-z0-9]{24,}|cf(?:k|ut|at)_[A-Za-z0-9]{40,}|phx_[A-Za-z0-9]{40,}|hca[a-z]{2}_[A-Za-z0-9]{50,}|re_[A-Za-z0-9]{8,}_[A-Za-z0-9]{20,}|xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}|rzp_(?:live|test)_[A-Za-z0-9]{14}|access-(?:sandbox|development|production)-[0-9a-f-]{36}|AKCp[A-Za-z0-9]{60,}|LTAI[A-Za-z0-9]{16,24}\b|pat-[a-z]{2}\d-[0-9a-f-]{36}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|dt0[a-z]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|CFPAT-[A-Za-z0-9_-]{40,}|EZ[AT]K[A-Za-z0-9]{54}|ABSK[A-Za-z0-9+/]{80,}=*|sk\.eyJ[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{20,}|AQ\.[A-Za-z0-9_-]{40,}|[0-9a-f]{32}-us\d{1,2}\b)`, 0,
	},
	{"AWS session token", "iqojb3jpz2lux2vj|fwogzxivyxdz", `\b(?:IQoJb3JpZ2luX2Vj|FwoGZXIvYXdz)[A-Za-z0-9+/=]{40,}`, 0},
	{"Facebook token", "eaa", `\bEAA[A-Za-z0-9]{2,}[A-Za-z0-9]{60,}`, 0},
	{"password in words", "passw|passphrase", `(?im)^\s*(?:[a-z_.-]*[_.-])?(?:password|passwd|passphrase)\s*:\s*["']?([a-z0-9]{3,}(?:-[a-z0-9]{3,}){2,})["']?\s*$`, 1},
	{"Azure secret", "q~", `\b[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,34}`, 0},
	{"Discord token", "bot|discord", `\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`, 0},
	{"private key", "private key", `(?:[A-Za-z0-9+/=]{16,}\s+)+-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`, 0}, // its beginning was cut off
	{"private key", "private-lines", `(?i)\bPrivate-Lines:\s*\d+\s+((?:[A-Za-z0-9+/=]{20,}\s*)+)`, 1},
	{"JSON web token", "eyj", `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}`, 0},
	{"Azure key", "accountkey|sharedaccesskey|sig=", `(?i)\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,}={0,2})|[?&]sig=([A-Za-z0-9%+/=]{30,})`, -1},
	{inURL, "://", `[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@'"]*:([^\s'"<>]{3,})@[A-Za-z0-9.\[-]`, 1},
	{"password in an encoded URL", "%3a", `(?i)[a-z][a-z0-9+.-]*%3A%2F%2F[^\s%]*%3A([^\s%]{3,})%40`, 1},
	{"password in XML", "value=", `(?i)\b(?:key|name)="[^"]*(?:password|passwd|secret|token|apikey)[^"]*"\s+value="([^"\s]{6,})"`, 1},
	{"authorization header", "authorization", `(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest|apikey)\s+([A-Za-z0-9._~+/=-]{8,})`, 1},
	{"bearer token", "bearer", `(?i)\bbearer\s+([A-Za-z0-9._~+/-]{20,}=*)`, 1},
	{"cookie", "cookie", `(?im)\b(?:set-)?cookie["']?\s*:\s*["']?([^\r\n"']{8,})`, 1},
	{"API key header", "x-|-token", `(?i)\b(?:x-(?:api|auth|access|amz-security|vault|gitlab|goog-api|functions)-?(?:key|token)|(?:private|job|deploy)-token)["']?\s*:\s*["']?([A-Za-z0-9._~+/=-]{8,})`, 1},
	{"docker login", "\"auth\"", `"auth"\s*:\s*"([A-Za-z0-9+/=]{8,})"`, 1},
	{"netrc", "password", `(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{3,})`, 1},
	{"password on a command line", "curl", `\bcurl\b[^\n]*?\s(?:-u|--user|--proxy-user)[ =]*["']?[^\s:"']+:([^\s"']{3,})`, 1},
	{
		"password on a command line", "sshpass|docker|podman",
		`\bsshpass\s+-p\s*["']?([^\s"'$]{4,})|\b(?:docker|podman)\s+login\b[^\n]*?\s-p\s*["']?([^\s"'$]{4,})`, -1,
	},
	{assigned, "mysql|mariadb", `\b(?:mysql|mariadb)[a-z]*\s[^\n]*?\s-p["']?([^\s"'$-][^\s"']{5,})`, 1},
	{"password on a command line", "--", `(?i)\s--?(?:[a-z0-9-]*-)?(?:password|passwd|passphrase|secret|token|api-?key|access-?key|auth-?token|client-secret)(?:=|\s+)["']?([^\s"'$<{(|&;-][^\s"'|&;]{3,})`, 1},
	{shouted, "=", `(?m)(?:^|[\s;&|"'(,{])(?:export\s+|set\s+|env\s+)?((?:[A-Z][A-Z0-9]*_)*(?:PASSWORD|PASSWD|PASS|PGPASSWORD|[A-Z0-9]+_PWD|PASSPHRASE|SECRET|TOKEN|APIKEY|(?:API|ACCESS|PRIVATE|SECRET|ENCRYPTION|SIGNING|MASTER|AUTH|SERVICE|ROLE|LICENSE|DEPLOY|ADMIN)_?KEY|CREDENTIALS?|DSN))=["']?([^\s"'$<{(` + "`" + `,;][^\s"'` + "`" + `,;]{4,})`, 2},
	{assigned, "passw|passphrase|secret|token|key|credential|pwd", `(?i)\b[a-z0-9_.-]*(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|account[_-]?key|secret[_-]?key|credentials?)(?:\\*["']|\\u0022)?\s*(?:=|:=|:|=>|%3D)\s*(?:\\*["']|\\u0022)?([A-Za-z0-9_~+/=.!@#$%^&*-]{12,})`, 1},
}

// Kinds whose matches are checked again.
const (
	// assigned is a value that is a secret only because of the name it is assigned to; it
	// must look like one, too.
	assigned = "assigned secret"
	// shouted is the same in the form of an environment variable, which is more reliable.
	shouted = "secret in the environment"
	inURL   = "password in URL"
)

// isSecret decides what a pattern alone cannot.
func isSecret(kind, value string) bool {
	switch kind {
	case assigned:
		return looksSecret(value)
	case shouted:
		number := strings.Trim(value, "0123456789.") == "" && len(value) < 12
		return !number && !placeholder(value) && !strings.ContainsAny(value, "(){}")
	case inURL:
		port := strings.TrimLeft(value, "0123456789")
		// A port and a path, or user and host of another address, are not a password.
		return !(port == "" || port[0] == '/' && len(port) < len(value)) && !strings.Contains(value, "://") && !placeholder(value)
	}
	return true
}

// placeholder recognises a value that stands for one: what documentation and templates use,
// and what other tools have redacted.
func placeholder(v string) bool {
	lower := strings.ToLower(strings.Trim(v, "[]<>{}*.\\\"'"))
	switch lower {
	case "", "true", "false", "null", "none", "nil", "undefined", "changeme", "change_me", "redacted", "required", "optional", "example", "placeholder", "string", "hidden", "masked", "secret", "password", "token", "value", "empty":
		return true
	}
	if strings.HasPrefix(lower, "your") || strings.HasPrefix(lower, "process.env") || strings.HasPrefix(lower, "os.environ") || strings.HasPrefix(lower, "$") || strings.HasPrefix(lower, "%") {
		return true
	}
	return strings.Trim(lower, "x*.-_0") == "" // a row of crosses or stars
}

// spans are the byte ranges of secrets in s, in the order of the rules.
func spans(s string, found func(from, to int, kind string)) {
	if len(s) < 12 {
		return
	}
	lower := strings.ToLower(s)
	for i, r := range rules {
		if !r.hinted(lower) {
			continue
		}
		for _, m := range compiled()[i]().FindAllStringSubmatchIndex(s, -1) {
			from, to := group(m, r.group)
			if from < 0 || !isSecret(r.kind, s[from:to]) {
				continue
			}
			found(from, to, r.kind)
		}
	}
}

// group is the range of a group; -1 means the first that matched.
func group(m []int, n int) (from, to int) {
	if n >= 0 {
		return m[2*n], m[2*n+1]
	}
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 {
			return m[i], m[i+1]
		}
	}
	return -1, -1
}

// looksSecret distinguishes a value from a word: an assigned secret has digits and
// letters mixed, or is long and has both cases and a sign; a variable name or a
// sentence is neither.
func looksSecret(v string) bool {
	var digits, lower, upper, signs int
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		case strings.ContainsRune("+/!@#$%^&*~=", c):
			signs++
		}
	}
	letters := lower + upper
	switch {
	case placeholder(v):
		return false
	case digits >= 2 && letters >= 4 && digits+letters >= 12:
		return !strings.Contains(v, "...") && !dotted(v)
	}
	return len(v) >= 20 && digits >= 1 && lower >= 3 && upper >= 3 && signs >= 1
}

// dotted is a path through modules and their fields (config.v2.token.max16), or
// a file name: words with dots between them.
func dotted(v string) bool {
	parts := strings.Split(v, ".")
	if len(parts) < 3 && !strings.Contains(v, "/") {
		return false
	}
	for _, p := range strings.FieldsFunc(v, func(r rune) bool { return r == '.' || r == '/' || r == '_' || r == '-' }) {
		if len(p) > 14 || strings.ContainsAny(p, "+=!@#$%^&*~") {
			return false
		}
	}
	return true
}

// String replaces every secret in s by [redacted]. Escape sequences are removed first:
// coloured output would break a secret into pieces that no pattern matches.
func String(s string) string {
	s = Strip(s)
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
