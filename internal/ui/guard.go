package ui

import (
	"crypto/rand"
	"crypto/subtle"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Guard decides which requests are allowed. A page on loopback can be reached by every site
// that the user's browser visits and by every user of the machine: so the host must be the
// one that was bound, no other site may send requests, and every request needs a token.
type Guard struct {
	// Hosts are the values of the Host header that are answered.
	Hosts []string
	Token string
	// Login, if not nil, is used instead of the token, for a page behind a proxy.
	Login func(*http.Request) bool
	// Cookie is where the token is kept; browsers share cookies between ports.
	Cookie string
	// Entry lets one browser in without the token; nil: none.
	Entry *Entry
}

// Entry is a code that lets one browser in, once: what a browser is opened with is seen by
// every user of the machine, and by everything that this user runs.
type Entry struct {
	mu   sync.Mutex
	code string
}

// codeField carries the code in an address.
const codeField = "code"

// NewEntry makes a code.
func NewEntry() *Entry { return &Entry{code: rand.Text()} }

// take uses the code up.
func (e *Entry) take(code string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.code == "" || subtle.ConstantTimeCompare([]byte(code), []byte(e.code)) != 1 {
		return false
	}
	e.code = ""
	return true
}

// maxForm bounds what a form may send.
const maxForm = 64 << 10

// tokenField carries the token in forms, where a cookie alone proves nothing.
const tokenField = "token"

func (g Guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hurry(w, r)
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if g.Entry != nil && r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has(codeField) {
			g.enter(w, r)
			return
		}
		if why := g.refuse(r); why != "" {
			turnAway(w, r, why)
			return
		}
		welcome(r)
		if g.Login == nil && r.Method == http.MethodGet && r.URL.Query().Has(tokenField) && !strings.HasPrefix(r.URL.Path, "/api/") {
			g.remember(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// enter lets in the browser that was opened with the code. It comes from a file, which for a
// browser is another site: so the page goes on to the first one by itself.
func (g Guard) enter(w http.ResponseWriter, r *http.Request) {
	if !slices.Contains(g.Hosts, r.Host) || r.Header.Get("Origin") != "" || !g.Entry.take(r.URL.Query().Get(codeField)) {
		turnAway(w, r, "this address works once: open the one that `gauntlet ui` printed")
		return
	}
	g.setCookie(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(forward("/")))
}

// forward is a page that goes on to an address.
func forward(address string) string {
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(address) + `"><title>Gauntlet</title><a href="` + html.EscapeString(address) + `">Gauntlet's page</a></html>` + "\n"
}

// turnAway refuses a request: a person gets a page, everything else a line of text. The
// page has no style, because that is for those who may look.
func turnAway(w http.ResponseWriter, r *http.Request, why string) {
	if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">` +
		`<title>Refused · Gauntlet</title><h1>Refused</h1><p>` + html.EscapeString(why) + `.</p>` +
		`<p>Every start of <code>gauntlet ui</code> prints a new address; the old one stops working.</p></html>`))
}

// hurry bounds how long a client may take to send a form and to receive the answer.
func hurry(w http.ResponseWriter, r *http.Request) {
	conn := http.NewResponseController(w)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		_ = conn.SetReadDeadline(time.Now().Add(slowClient)) // a test's recorder has no connection
	}
	_ = conn.SetWriteDeadline(time.Now().Add(slowClient))
}

// refuse returns why a request is refused, "" when it is allowed.
func (g Guard) refuse(r *http.Request) string {
	known := false
	for _, host := range g.Hosts {
		known = known || r.Host == host
	}
	if !known && len(g.Hosts) > 0 {
		return "unknown host"
	}
	if o := r.Header.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		if err != nil || u.Host != r.Host {
			return "another site asked"
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return "another site asked"
	}
	if g.Login != nil {
		if !g.Login(r) {
			return "not logged in"
		}
		return g.refuseForm(r)
	}
	if !g.same(r.URL.Query().Get(tokenField)) && !g.same(bearer(r)) && !g.same(cookie(r, g.Cookie)) {
		return "no valid token: open the address that `gauntlet ui` printed"
	}
	return g.refuseForm(r)
}

// refuseForm requires the token inside a form that changes something.
func (g Guard) refuseForm(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return ""
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	if !g.same(r.PostFormValue(tokenField)) && !g.same(bearer(r)) {
		return "no token in the form: reload the page"
	}
	return ""
}

func (g Guard) same(token string) bool {
	return g.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(g.Token)) == 1
}

// remember moves the token from the address to a cookie, so that it does not stay
// in the address bar and the history of the browser.
func (g Guard) remember(w http.ResponseWriter, r *http.Request) {
	g.setCookie(w)
	q := r.URL.Query()
	q.Del(tokenField)
	u := url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: q.Encode()}
	http.Redirect(w, r, localPath(u.String()), http.StatusSeeOther)
}

func (g Guard) setCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: g.Cookie, Value: g.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int((30 * 24 * time.Hour).Seconds()),
	})
}

func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// localPath keeps a redirect on this page.
func localPath(p string) string {
	u, err := url.Parse(p)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(p, "//") || strings.HasPrefix(p, `/\`) {
		return "/"
	}
	return p
}
