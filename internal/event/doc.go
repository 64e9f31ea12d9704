// Package event is the vocabulary every other package speaks: the event an
// agent sends, the tool calls its transcript shows, the verdict it gets back
// and the closed set of statuses. Ring 0: standard library only, no behaviour
// beyond what a value can say about itself.
package event
