// Package room lays content out in a directory of Gauntlet's own, so that a check can judge
// it while agent and person go on working. A room holds exactly one account's content; it is
// kept and moved to the next content, and only what differs is written. Where the kernel
// allows it, a room stands at the project's own path for the check alone; elsewhere it is a
// plain directory. Nothing that a check writes in a room reaches the work tree. Ring 2.
package room
