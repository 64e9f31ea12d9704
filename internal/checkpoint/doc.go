// Package checkpoint is the room of the context-aware checkpoint: what a turn
// changed, what is still owed for it, what was said about it before. The facts
// are handed in; what they mean is decided by checkpoint/rules, values in,
// values out. Ring 3: imports rings 0 to 2.
package checkpoint
