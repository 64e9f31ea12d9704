// Package proc runs a child process and makes sure that it ends: own process group, no
// inherited stdin, bounded time, TERM to the group, KILL after a grace period, and on Linux
// also an end for processes that left the group. Every subprocess of the program is started
// here and gets the recursion guard. Ring 0: standard library, x/sys and event only.
package proc
