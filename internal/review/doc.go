// Package review runs review gates: a prompt and a diff go to another agent's
// command line, its findings come back and live on until they are answered.
//
// One job is one review of one entry point; its slots (num_reviews) are shared
// out over the reviewers that are installed. What a slot said is kept as JSON
// beside its log; the coding agent answers each finding there with a status.
//
// Ring 3: imports rings 0 to 2. It knows nothing of
// other gates, of locks or of run numbers: those are handed in. The command
// lines of reviewers are the agents' own (agent.Reviewers).
package review
