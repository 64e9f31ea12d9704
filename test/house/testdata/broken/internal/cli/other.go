package cli

import (
	"fmt"
	"os"
)

func Print() {
	fmt.Fprintln(os.Stdout, "verdict") // breaks: streams
	os.Exit(1)                         // breaks: exits
}
