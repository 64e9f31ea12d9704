// Command gauntlet-fleet is what many machines share, and what is too heavy for
// the hook.
package main

import (
	"os"

	"gauntlet/fleet"
)

func main() { os.Exit(fleet.Main(os.Args[1:], fleet.System())) }
