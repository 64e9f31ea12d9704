package slots

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/safefile"
)

const ticketPrefix = "wait-"

// maxTickets bounds how many waiting runs are looked at.
const maxTickets = 1000

// queue makes this run's ticket: a locked file, which no longer counts when its process is
// gone.
func (m Machine) queue(who Who) (*safefile.Lock, error) {
	name := fmt.Sprintf("%s%d-%d.lock", ticketPrefix, who.PID, who.Since.UnixNano())
	l, err := safefile.TryAcquire(filepath.Join(m.Dir, name))
	if err != nil {
		return nil, fmt.Errorf("ticket: %w", err)
	}
	b, err := json.Marshal(who)
	if err == nil {
		err = l.Describe(b)
	}
	if err != nil {
		_ = l.Remove()
		return nil, fmt.Errorf("ticket: %w", err)
	}
	return l, nil
}

// tickets are those who wait, in the order in which they are served. What a dead process
// left is removed.
func (m Machine) tickets() ([]Who, error) {
	entries, err := safefile.ReadDir(m.Dir, m.Dir, maxTickets)
	if err != nil {
		return nil, fmt.Errorf("tickets: %w", err)
	}
	var out []Who
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ticketPrefix) {
			continue
		}
		path := filepath.Join(m.Dir, e.Name())
		if l, err := safefile.TryAcquire(path); err == nil {
			_ = l.Remove()
			continue
		}
		var w Who
		if b, err := safefile.Read(m.Dir, path, 4<<10); err == nil && json.Unmarshal(b, &w) == nil {
			out = append(out, w)
		}
	}
	if len(out) > 1 {
		order(out, m.Holders(), m.real().Count)
	}
	return out, nil
}

// next reports whether it is this run's turn.
func (m Machine) next(who Who) bool {
	waiting, err := m.tickets()
	return err != nil || len(waiting) == 0 || waiting[0].PID == who.PID && waiting[0].Since.Equal(who.Since)
}

// order sorts those who wait: runs ahead last; before that, a repository that would get
// every slot lets another one go first; then by class, then first come, first served.
func order(waiting, holders []Who, count int) {
	has := map[string]int{}
	for _, h := range holders {
		has[h.Repo]++
	}
	greedy := func(w Who) bool { return count > 1 && has[w.Repo] >= count-1 }
	slices.SortStableFunc(waiting, func(a, b Who) int {
		return cmp.Or(
			compareBool(a.Class == Ahead, b.Class == Ahead),
			compareBool(greedy(a), greedy(b)),
			cmp.Compare(a.Class, b.Class),
			a.Since.Compare(b.Since),
			cmp.Compare(a.PID, b.PID),
		)
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
