// Command gauntlet is what a coding agent has to pass before it may stop.
package main

import (
	"os"

	"gauntlet/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], cli.System())) }
