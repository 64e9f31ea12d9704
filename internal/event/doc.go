// Package event is the vocabulary of every other package: the event an
// agent sends, the tool calls its transcript shows, the verdict it gets back
// and the closed set of statuses. Ring 0: standard library only, no behaviour
// beyond the methods of a value.
package event
