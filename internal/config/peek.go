package config

import (
	"errors"
	"io/fs"

	"gauntlet/internal/safefile"
)

// Mentions reports whether one of words occurs anywhere in the policy's config.yml or in
// the user's own. It searches the bytes, which avoids parsing when a setting can only have
// its default. A file that cannot be read, or could spell a word in another way, counts as
// a mention.
func Mentions(policy Policy, getenv func(string) string, words ...string) bool {
	if policy.mentions(words...) {
		return true
	}
	data, err := ReadGlobal(getenv)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || mentionsAny(data, words)
}

// EnvTrust set to TrustAll makes every project's policy count without being allowed.
const (
	EnvTrust = "GAUNTLET_TRUST"
	TrustAll = "all"
)

// TrustEverything is a user's configuration in which every policy counts.
const TrustEverything = "trust: " + TrustAll + "\n"

// TrustsAll reports whether the user wants every policy to count, and which setting is the
// reason.
func TrustsAll(getenv func(string) string) (source string, all bool) {
	if getenv(EnvTrust) == TrustAll {
		return EnvTrust, true
	}
	data, err := ReadGlobal(getenv)
	if err != nil || !mentionsAny(data, []string{"trust"}) {
		return "", false
	}
	g, _ := loadGlobal(getenv)
	return GlobalPath(getenv), g.Trust == TrustAll
}

// ReadGlobal reads the bytes of the user's own configuration.
func ReadGlobal(getenv func(string) string) ([]byte, error) {
	path := GlobalPath(getenv)
	if path == "" {
		return nil, fs.ErrNotExist
	}
	return safefile.ReadLinked(path, maxFile)
}
