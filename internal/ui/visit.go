package ui

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// visitCookie keeps when a browser looked; a visit ends after visitGap without a look.
const (
	visitCookie = "gauntlet-visit"
	visitGap    = 30 * time.Minute
)

// visitOf is when the visit before this one ended; zero: this is the first.
func visitOf(r *http.Request, now time.Time) time.Time {
	before, last := visits(r, now)
	if now.Sub(last) > visitGap {
		return last
	}
	return before
}

func visits(r *http.Request, now time.Time) (before, last time.Time) {
	a, b, _ := strings.Cut(cookie(r, visitCookie), ".")
	read := func(s string) time.Time {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n <= 0 || n > now.Unix() {
			return time.Time{}
		}
		return time.Unix(n, 0)
	}
	return read(a), read(b)
}

// visited notes a look at the first screen.
func visited(w http.ResponseWriter, r *http.Request, now time.Time) {
	before := visitOf(r, now)
	value := "0"
	if !before.IsZero() {
		value = strconv.FormatInt(before.Unix(), 10)
	}
	http.SetCookie(w, &http.Cookie{
		Name: visitCookie, Value: value + "." + strconv.FormatInt(now.Unix(), 10), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int((365 * 24 * time.Hour).Seconds()),
	})
}
