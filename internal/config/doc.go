// Package config reads .gauntlet/ and the user's own configuration: strict, with file,
// line, column and field in every error, and with the source of every effective value. Ring
// 1: imports ring 0, the YAML parser, the glob matcher and the names of the errorformats;
// it runs no process and reads environment variables only through the function passed in.
package config
