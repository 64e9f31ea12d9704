package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// DefaultMaxBytes is how much of a transcript is read at most: 16 MiB.
const DefaultMaxBytes = 16 << 20

// earlierBytes is how far back, in all, an earlier part of the conversation is
// searched for files that the turn edits.
const earlierBytes = 8 << 20

// maxCandidates is how many user texts are considered for the human's prompt.
const maxCandidates = 16

// Why a transcript could not be used; test with errors.Is.
var (
	ErrNotRegular = errors.New("transcript is not a regular file")
	ErrFormat     = errors.New("transcript has no known format")
	// ErrNoTurn: a session was begun, but nothing of a turn is on disk yet.
	ErrNoTurn = errors.New("transcript contains no turn yet")
)

// Read reads the current turn of the transcript at path. It reads backwards from the end
// until the turn's start and never more than opts.MaxBytes. The error is why the turn is
// not Readable; it is nil otherwise.
func Read(path string, opts Options) (Turn, error) {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	c, err := collect(path, opts)
	if err != nil {
		return Turn{}, err
	}
	turn := c.turn()
	if c.start() == nil && !c.cut && len(turn.Calls) == 0 && turn.LastMessage == "" {
		return Turn{Format: c.format}, fmt.Errorf("%w: %s", ErrNoTurn, path)
	}
	if !opts.NoSubagents {
		c.addSubagents(path, &turn)
	}
	return turn, nil
}

// normaliser turns the lines of one format into entries, newest line first; the entries of
// one line come in the order in which they happened. Before the turn (earlier) only calls
// and their failures matter, and lines that have neither may be skipped.
type normaliser interface {
	line(raw []byte, earlier bool) []entry
}

// collector gathers entries from the newest to the oldest.
type collector struct {
	opts   Options
	format string
	norm   normaliser
	// groups are the entries of each line, newest line first.
	groups [][]entry
	// offsets are where those lines begin in the file.
	offsets []int64
	// human is the place of the turn's first message; fallback of the newest
	// text that may have been one.
	human, fallback *mark
	candidates      int
	// begin is the oldest human message since the last stop; it is human's own
	// place unless that was typed while the agent was at work. settled: it is known.
	begin   *mark
	work    continued
	settled bool
	// line contains the entries that are being added; at is its offset.
	line []byte
	at   int64
	// wanted are files whose edit is not explained yet by what was read.
	wanted  map[string]bool
	needles []needle
	// asked are the calls, by id, whose results name such a file.
	asked  map[string]needle
	failed map[string]bool
	cut    bool
	// torn: a document breaks off before its end, so its newest part is missing.
	torn bool
	// whole: everything that could explain an edit of the turn was read.
	whole  bool
	size   int64
	client string
}

// mark is the place of an entry.
type mark struct{ group, index int }

// collect reads path back to the start of the turn, and further while an
// earlier part may explain an edit of this turn.
func collect(path string, opts Options) (*collector, error) {
	return scan(path, opts, (*collector).add)
}

// scan passes the entries of path to add, newest line first, until it has enough.
func scan(path string, opts Options, add func(*collector, []entry) bool) (*collector, error) {
	f, size, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &collector{opts: opts, size: size, failed: map[string]bool{}, asked: map[string]needle{}}
	if opts.Client {
		c.client = clientVersion(f, size)
	}
	if isDocument(f, size) {
		err := c.readDocument(f, size, add)
		c.whole = !c.cut
		return c, err
	}
	if isList(f, size) && c.list(f, size, add) {
		return c, nil
	}
	if opts.End > 0 {
		size = min(size, opts.End)
	}
	t := newTail(f, size, opts.MaxBytes)
	defer t.release()
	if c.lines(t, add) {
		return c, nil
	}
	if t.err != nil && c.norm == nil {
		return nil, t.err
	}
	c.rest(add)
	c.cut = t.cut || t.err != nil
	c.whole = c.whole && !c.cut
	if c.norm == nil && c.cut {
		// One line longer than the bound: the first one may show the format.
		c.format, c.norm = detect(head(path))
	}
	if c.norm == nil {
		return nil, fmt.Errorf("%w: %s", ErrFormat, path)
	}
	return c, nil
}

// lines passes on the entries of one line after the other, newest first. It reports whether
// that was enough.
func (c *collector) lines(t *tail, add func(*collector, []entry) bool) (enough bool) {
	for {
		line, ok := t.prev()
		if c.whole = !ok; !ok || c.settled && t.read > earlierBytes {
			return false
		}
		// A crash can leave NULs in place of a line.
		line = bytes.Trim(line, " \t\r\x00")
		if len(line) < 2 || line[0] != '{' {
			continue
		}
		if c.norm == nil {
			if isForeign(line) {
				return false
			}
			if c.format, c.norm = detect(line); c.norm == nil {
				continue
			}
			if doc, ok := c.norm.(*document); ok {
				doc.hand(c, line, add)
				c.whole = !c.cut
				return true
			}
		}
		if c.settled && !c.mayExplain(line) {
			continue
		}
		c.line, c.at = line, t.at
		if group := c.norm.line(line, c.settled); len(group) > 0 && !add(c, group) {
			c.whole = true
			return true
		}
	}
}

// rest passes on what a normaliser kept until it saw an older line.
func (c *collector) rest(add func(*collector, []entry) bool) {
	if n, ok := c.norm.(interface{ rest() []entry }); ok {
		if group := n.rest(); len(group) > 0 {
			add(c, group)
		}
	}
}

// forward returns the entries in the order in which they happened: those of
// the turn (part 0) or those before it (part 1).
func (c *collector) forward(part int) []entry {
	m := c.start()
	if c.begin != nil {
		m = c.begin
	}
	var out []entry
	for g := len(c.groups) - 1; g >= 0; g-- {
		for i := range c.groups[g] {
			before := m != nil && (g > m.group || g == m.group && i <= m.index)
			if before == (part == 1) {
				out = append(out, c.groups[g][i])
			}
		}
	}
	return out
}

// turn builds the turn from what was collected.
func (c *collector) turn() Turn {
	t := Turn{Format: c.format, Readable: true, Client: c.client, Spent: -1}
	m := c.start()
	t.Truncated = m == nil && c.cut
	if m != nil {
		h := c.groups[m.group][m.index]
		t.Start, t.HumanID, t.HumanText = h.at, h.id, h.text
		if m.group < len(c.offsets) {
			t.From = c.offsets[m.group]
		}
	}
	entries := c.forward(0)
	t.Calls = pair(entries).calls
	t.Usage = usageOf(entries)
	if m != nil {
		t.Spent = spent(entries)
	}
	for _, e := range entries {
		if e.kind == entryReply {
			t.LastMessage = e.text
		}
	}
	c.lastInput(&t)
	before := c.forward(1)
	if t.Usage == nil && !compacted(entries) {
		t.Usage = usageOf(before)
	}
	if t.Usage != nil && t.Usage.Model != "" {
		t.Model = t.Usage.Model
	}
	t.Earlier, t.Whole, t.Torn = pair(before).calls, c.whole, c.torn
	t.ReadsFirst = c.format == FormatClaude && claudeReadsFirst(t.Model)
	if log, ok := c.norm.(*copilotLog); ok {
		t.Running, t.Flushed = log.running(), log.flushed
	}
	return t
}

// lastInput finds the newest prompt and the agent's newest turn id.
func (c *collector) lastInput(t *Turn) {
	found := false
	for _, group := range c.groups {
		for _, e := range slices.Backward(group) {
			switch e.kind {
			case entryHuman, entryMaybe:
				if !found {
					found, t.LastInput, t.Own = true, e.text, c.isOwn(e.text)
				}
			case entryTurnID:
				t.TurnID = cmp.Or(t.TurnID, e.id)
			case entryModel:
				t.Model = cmp.Or(t.Model, e.text)
			case entryCall, entryResult, entryItem, entryPoll, entryReply, entryUsage, entryCompacted, entryBegin, entryEnd, entryBreak:
			}
		}
		if found && t.TurnID != "" && t.Model != "" {
			return
		}
	}
}

// spent sums up the requests of a turn, each once.
func spent(entries []entry) int64 {
	last := map[string]int{} // a reply is recorded block by block, its figures grow
	sum, known := 0, false
	for _, e := range entries {
		if e.kind != entryUsage || e.usage.Fresh <= 0 {
			continue
		}
		known = true
		sum += e.usage.Fresh
		if id := e.usage.Request; id != "" {
			sum -= last[id]
			last[id] = e.usage.Fresh
		}
	}
	if !known {
		return -1
	}
	return int64(sum)
}

// usageOf returns the newest figure after the last compaction.
func usageOf(entries []entry) *Usage {
	for _, e := range slices.Backward(entries) {
		switch e.kind {
		case entryUsage:
			return e.usage
		case entryCompacted:
			return nil
		case entryHuman, entryMaybe, entryCall, entryResult, entryItem, entryPoll, entryReply, entryTurnID, entryModel, entryBegin, entryEnd, entryBreak:
		}
	}
	return nil
}

func compacted(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.kind == entryCompacted })
}
