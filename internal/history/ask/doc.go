// Package ask holds the questions that people have about the history. Facts are
// the few bytes of every record that sums are made of: they are read once and kept
// in memory, because a database needs seconds for what a page must show at once.
// Lists and single stops are SQL over one view, gauntlet_facts. The store of one
// machine (SQLite) and the database of many (PostgreSQL) serve both, so that a
// question is written once and the page, the commands and the fleet agree.
package ask
