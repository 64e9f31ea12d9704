// Package review runs review gates: a prompt and a diff go to another agent's command line,
// its findings are returned and stay open until they are answered.
//
// One job is one review of one entry point; its slots (num_reviews) are distributed over
// the installed reviewers. The result of a slot is stored as JSON beside its log; the
// coding agent answers each finding there with a status.
//
// Ring 3: imports rings 0 to 2. It knows nothing of other gates, of locks or of run
// numbers: those are passed in. The command lines of reviewers come from the agents'
// adapters (agent.Reviewers).
package review
