// Package content says what is in a work tree, by an account of Gauntlet's own: every path
// that git does not ignore, with the id of its raw bytes, made from the files themselves.
// The index, settings, attributes, dates, reflogs and objects of git are not asked: any
// shell can rewrite them. Two accounts that are equal are two equal trees.
//
// Ring 1: imports ring 0, and git for where a repository is and which paths it tracks.
package content
