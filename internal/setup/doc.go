// Package setup finds out what a project is made of and which of its own commands check it,
// tries them, and writes the project's first policy.
//
// Sources are read in their order of trust: what CI runs, what the task runners offer, what
// the git hooks call, what the manifests imply. A command is proposed only after it was
// read: one that rewrites files, downloads, publishes or never ends is refused, with the
// reason.
//
// Ring 3. It reads the project through an fs.FS and runs nothing but the trial.
package setup
