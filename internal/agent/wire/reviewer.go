package wire

// Reviewer is a client's command line, asked in a way that lets it read and
// nothing else. The prompt goes to its stdin, the answer comes from its stdout.
type Reviewer struct {
	Name string
	// Programs are the names it is installed under, the most specific first.
	Programs []string
	Args     []string
	// Env is added for this reviewer; Unset is removed: marks of a session that
	// this process may itself be running in.
	Env, Unset []string
	// Secrets are the beginnings of names of variables whose values it needs to
	// answer at all. Other secrets of the environment are not for it.
	Secrets []string
}
