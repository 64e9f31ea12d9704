// Package install writes and removes hook entries in the agents' own settings files without
// touching any other byte. What is true of one agent only
// is in that agent's adapter. Ring 3: imports rings 0 to 2; never stop or cli.
package install
