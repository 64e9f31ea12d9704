package transcript

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/event"
)

// add adds the entries of one more line; false means that is enough.
func (c *collector) add(group []entry) bool {
	c.groups = append(c.groups, group)
	c.offsets = append(c.offsets, c.at)
	if c.settled {
		return c.earlier(group)
	}
	for i := len(group) - 1; i >= 0; i-- {
		e := &group[i]
		if c.human != nil {
			if c.continues(e, mark{len(c.groups) - 1, i}) {
				return c.settle(group)
			}
			continue
		}
		if e.kind != entryHuman && e.kind != entryMaybe || c.isOwn(e.text) {
			continue
		}
		here := &mark{len(c.groups) - 1, i}
		if c.fallback == nil {
			c.fallback = here
		}
		c.candidates++
		switch {
		case e.kind == entryMaybe:
		case e.unsure && c.opts.Prompt != "" && !isPrompt(e.text, c.opts.Prompt):
			if c.candidates >= maxCandidates {
				c.human = c.fallback
			}
		default:
			c.human = here
		}
		if c.human != nil {
			c.begin, c.work = c.human, continued{queued: e.queued}
		}
	}
	return true
}

// settle ends the search for the turn's start with the first line before it. It
// reports whether an earlier part of the conversation may explain an edit.
func (c *collector) settle(group []entry) bool {
	c.settled = true
	c.wanted = unread(pair(c.forward(0)).calls)
	c.needles = needlesFor(c.wanted)
	if last := len(c.groups) - 1; c.begin.group < last {
		if len(c.wanted) == 0 || c.line != nil && !c.mayExplain(c.line) {
			c.groups = c.groups[:last]
			return len(c.wanted) > 0
		}
	}
	return c.earlier(group)
}

// isPrompt reports whether a user text is the prompt, as typed or with the files
// it names spelled out after it.
func isPrompt(text, prompt string) bool {
	text, prompt = strings.TrimSpace(text), strings.TrimSpace(clip(prompt))
	return text == prompt || strings.HasPrefix(text, prompt+"\n")
}

// mayExplain reports whether a line before the turn is worth reading.
func (c *collector) mayExplain(line []byte) bool {
	if c.format == FormatGemini && bytes.Contains(line, []byte(`"$`)) {
		c.needles = nil // it may rewrite earlier messages: from here on every line counts
	}
	for _, n := range c.asked {
		if n.in(line) {
			return true
		}
	}
	return c.needles == nil || slices.ContainsFunc(c.needles, func(n needle) bool { return n.in(line) }) || isFailed(line)
}

// earlier searches a line before the turn for files that the turn edits.
func (c *collector) earlier(group []entry) bool {
	for i := range group {
		e := &group[i]
		if e.res != nil {
			if e.res.outcome == event.Failure {
				c.failed[e.id] = true
			}
			if !c.named(e.res.output) {
				e.res.output = ""
			} else if e.kind == entryResult && len(c.asked) < maxNeedles && isPlainText(e.id) {
				c.asked[e.id] = newNeedle(e.id)
			}
		}
		if e.call == nil || c.failed[e.id] {
			continue
		}
		delete(c.asked, e.id)
		for _, p := range e.call.Paths {
			for name := range c.wanted {
				if sameFile(p, name) {
					delete(c.wanted, name)
				}
			}
		}
	}
	return len(c.wanted) > 0
}

// named reports whether the text names a file that the turn edits.
func (c *collector) named(text string) bool {
	for name := range c.wanted {
		if strings.Contains(text, filepath.Base(name)) {
			return true
		}
	}
	return false
}

// isOwn reports whether Gauntlet sent a prompt.
func (c *collector) isOwn(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), event.CheckpointHeader) || c.opts.Own != nil && c.opts.Own(text)
}

// start is where the turn begins: its human message, or nil when it was not seen.
func (c *collector) start() *mark {
	if c.human != nil {
		return c.human
	}
	return c.fallback
}
