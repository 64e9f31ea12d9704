package wire

// Reviewer is a client's command line with flags that allow reading and nothing
// else. The prompt goes to its stdin, the answer comes from its stdout.
type Reviewer struct {
	Name string
	// Programs are the names it is installed under, the most specific first.
	Programs []string
	Args     []string
	// Env is added for this reviewer. Unset is removed: variables of a session
	// that this process may itself be running in.
	Env, Unset []string
	// Starts are paths in a project that make the client start programs (hooks, servers of
	// tools), where it has no flag against that. A project that has one of them is
	// reviewed from an empty directory, by the diff alone.
	Starts []string
	// Secrets are prefixes of the names of variables that it needs to answer at
	// all. It does not get the other secrets of the environment.
	Secrets []string
}
