// Package meaning finds out what a green result is worth: can this gate fail at all, does any
// test notice this change, do the tests of the prompt still pass? Each answer comes from
// running gates in a room, on content that differs in one thing. Ring 3: imports rings 0 to
// 2, and gate.
package meaning
