// Package run is one gate run: lock, what changed, which gates, schedule,
// collect, record. The stop hook and `gauntlet run` call the same Execute; it
// returns a Result on every path and never ends the process. Ring 4: imports
// rings 0 to 3.
package run
