// Package ask contains the queries about the history. Facts are the few bytes of every
// record that sums are computed from: they are read once and kept in memory, because a
// database needs seconds for what a page must show immediately. Lists and single stops are
// SQL over one view, gauntlet_facts. The store of one machine (SQLite) and the database of
// many (PostgreSQL) serve both, so that a query is written once and the page, the commands
// and the fleet agree.
package ask
