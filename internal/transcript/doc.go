// Package transcript reads what a coding agent recorded about its own session and
// determines what happened in the current turn. It is the one place that knows the
// transcript formats, in three layers: bounded raw reading from the end of the file, one
// normaliser per format, and the turn with its tool calls and usage figures. The format is
// recognised by content, never by the agent's name.
//
// Everything it reads is untrusted and may be huge, torn or not a file at all: nothing here
// panics, hangs, or reads more than its bound. Ring 1: imports event and safefile only.
package transcript
