package cli

import (
	"fmt"
	"os"
)

func Print() {
	fmt.Fprintln(os.Stdout, "verdict") // breaks: streams
	fmt.Println(os.Args)               // breaks: streams, environment
	println("verdict")                 // breaks: streams
	os.Exit(1)                         // breaks: exits
}
