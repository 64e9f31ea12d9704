// Command gauntlet checks that a coding agent may stop.
package main

import (
	"os"

	"gauntlet/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], cli.System(os.Exit))) }
