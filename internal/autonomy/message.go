package autonomy

import (
	"fmt"
	"strings"

	"gauntlet/internal/config"
	"gauntlet/internal/event"
	"gauntlet/internal/git"
)

const (
	commitSubject   = "checkpoint: auto-checkpoint"
	commitBody      = "Auto-checkpoint triggered by context threshold."
	defaultCoAuthor = "Gauntlet <gauntlet@localhost>"
)

// commitMessage is the message of the save's commit.
func commitMessage(c *config.Autonomy, use event.ContextUse, st git.Status, session string) string {
	branch := branchName(st, func(s string) string { return s })
	session = cut(session, 100)
	text := commitSubject + "\n\n" + commitBody + "\n\n" +
		fmt.Sprintf("Context: %s\nBranch: %s\nSession: %s", figures(use), branch, session)
	coAuthor := defaultCoAuthor
	if c != nil {
		if t := strings.TrimSpace(c.Message); t != "" {
			text = strings.NewReplacer(
				"{percent}", fmt.Sprint(use.Percent()), "{tokens}", fmt.Sprint(use.Tokens), "{window}", fmt.Sprint(use.Window),
				"{branch}", branch, "{session}", session).Replace(t)
		}
		if a := cut(c.CoAuthor, 200); a != "" {
			coAuthor = a
		}
	}
	return text + "\n\nCo-Authored-By: " + coAuthor + "\n"
}
