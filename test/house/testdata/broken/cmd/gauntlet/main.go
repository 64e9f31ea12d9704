package main

import (
	"os"

	"gauntlet/internal/cli"
	"gauntlet/internal/history/store" // breaks: imports
)

func main() {
	store.Open()
	os.Exit(cli.Main())
}
