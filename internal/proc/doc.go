// Package proc runs a child process and is sure to get rid of it: own process
// group, no inherited stdin, bounded time, TERM to the group, KILL after a
// grace, and on Linux also an end for what left the group. Every subprocess of
// the program goes through here and gets the recursion guard. Ring 0: standard
// library, x/sys and event only.
package proc
