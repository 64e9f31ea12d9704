// Package ask holds the questions that people have about the history, as SQL over
// one view, gauntlet_facts. The store of one machine (SQLite) and the database of
// many (PostgreSQL) both have it, so that a question is written once and the page
// shows the same numbers in both.
package ask
