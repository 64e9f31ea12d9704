// Package config reads .gauntlet/ and the user's own configuration: strict,
// with file, line, column and field in every error, and with the source of
// every effective value. Ring 1: it imports the standard library, the YAML
// parser and the glob matcher, runs no process and reads no environment
// variable but through the function handed in.
package config
