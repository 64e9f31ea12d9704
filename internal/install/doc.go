// Package install brings Gauntlet into a project and an agent: it proposes a
// configuration (init), writes and removes hook entries in the agents' own
// settings files without touching anybody else's byte, and examines the result
// (doctor). What is true of one agent only stands in that agent's adapter.
// Ring 3: imports agent, config, git, session and the leaves; never stop or cli.
package install
