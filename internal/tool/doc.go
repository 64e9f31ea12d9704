// Package tool answers what a program is, what it does and what it printed: the one place
// that names programs. It knows them by the records in catalogue/, one file per program or
// group of programs that are alike, samples included; docs/how-to-add.md says how to write
// one. The records become sorted tables at build time (go generate), so that no start and
// no stop reads them.
//
// It takes values and returns values: it runs nothing, touches no file and reads no
// environment variable. Ring 1: it imports redact and the standard library only.
package tool

//go:generate go test -run TestTheTableIsCurrent . -update
