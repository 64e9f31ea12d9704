// Package shellcmd answers two questions about one shell command line: which
// commands did it really run, and does its exit status prove that they
// succeeded? On the way it notes which files the line showed and wrote.
//
// It reads text and answers with values: nothing is run, no file is touched,
// no variable of the environment is looked up. What cannot be parsed proves
// nothing. Ring 1: it imports only the shell parser, redact and the standard library.
package shellcmd
