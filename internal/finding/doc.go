// Package finding turns what a tool prints into findings: which rule complains about which
// line of which file, or which test failed. It also decides which findings are new, by
// fingerprints that have no line numbers in them.
//
// Bytes in, values out: nothing is run and no file is opened here; the text of lines is
// passed in. Reports are untrusted: a path that leaves the project is rejected, control
// characters are removed, and every size is bounded. Ring 3: it imports shell, redact
// and the errorformat library.
package finding
