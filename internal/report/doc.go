// Package report shows a run to people and machines: a live view on a
// terminal, plain lines elsewhere, a summary, and JUnit and SARIF files. Ring 5:
// it reads results of run and gate and changes nothing; only cli imports it.
package report
