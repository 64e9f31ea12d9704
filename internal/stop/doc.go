// Package stop turns one stop event into one verdict, under a deadline, always:
// guards, autonomy, gates, checkpoint, in this order. Whatever breaks on the
// way, the answer is a verdict that lets the agent stop and says why. Ring 4:
// imports rings 0 to 3.
package stop
