package cli

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/history/store"
	"gauntlet/internal/redact"
	"gauntlet/internal/seal"
	"gauntlet/internal/session"
	"gauntlet/internal/site"
)

// sessionOf is the session that a person means by the beginning of its id. An id that no
// session has, or that several begin with, is an error: a switch that does nothing must not
// look like one that works.
func (app *App) sessionOf(ctx context.Context, short string) (string, error) {
	s, err := app.openHistory(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close()
	return app.sessionIn(s, short)
}

// sessionIn is sessionOf with a history that is open.
func (app *App) sessionIn(s *store.Store, short string) (string, error) {
	known, err := s.Sessions(short)
	if err != nil {
		return "", err
	}
	for _, c := range site.Sessions(session.Everywhere(seal.New(site.StateHome(app.Getenv)))) {
		known = append(known, c.Session)
	}
	known = slices.DeleteFunc(known, func(id string) bool { return !strings.HasPrefix(id, short) })
	slices.Sort(known)
	known = slices.Compact(known)
	switch {
	case slices.Contains(known, short):
		return short, nil
	case len(known) == 0:
		return "", exit(2, "no session %s is known (see `gauntlet log`)", redact.Line(short, 60))
	case len(known) > 1:
		return "", exit(2, "%s is the beginning of more than one session: %s; give more of it", redact.Line(short, 60), redact.Line(strings.Join(known[:min(len(known), 5)], ", "), 300))
	}
	return known[0], nil
}
