// Package shell answers two questions about one shell command line: which commands did
// it really run, and does its exit status prove that they succeeded? It also notes which
// files the line showed and wrote.
//
// It reads text and returns values: it runs nothing, touches no file and reads no
// environment variable. A line that cannot be parsed proves nothing. What a program is, it
// asks tool. Ring 1: it imports
// only the shell parser, redact, tool and the standard library.
package shell
