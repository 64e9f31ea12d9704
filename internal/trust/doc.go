// Package trust decides whose policy counts. A project's .gauntlet/** names commands that
// Gauntlet runs with the user's rights, so only a policy that a person has allowed counts;
// after a change the one allowed before still judges. Copies of allowed policies and their
// digests are kept in the state home, per repository. Ring 2: imports rings 0 and 1.
package trust
