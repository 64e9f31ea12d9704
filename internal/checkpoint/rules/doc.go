// Package rules decides what a stop still owes: the actions the changed files call for,
// minus those the transcript proves were done, plus what looks wrong in how the work was
// done.
//
// It is pure: values in, values out. Git, transcripts, clocks, files and memory are read by
// the caller and passed in as an Input. It may import event, config, redact and shell,
// and nothing that touches the outside.
package rules
