package buildinfo

// Where the project is published. Everything that names it (packages, manifests,
// upgrade commands) reads it from here.
const (
	// Module is the published module path. `scripts/publish-module.sh` gives it
	// to a copy of the sources; in this repository the module is named "gauntlet".
	Module = "github.com/gauntlet-gates/gauntlet"
	// Home is the project's page; releases lie below it.
	Home = "https://" + Module
	// NPM is the scope of the npm packages, and NPM+"/gauntlet" the one to install.
	NPM = "@gauntlet-gates"
	// Tap is the Homebrew tap.
	Tap = "gauntlet-gates/tap"
)
