package review

import (
	"flag"    // breaks: imports
	"log"     // breaks: imports
	"testing" // breaks: imports

	"example.com/unowned" // breaks: imports
)

func Status() int {
	log.SetPrefix(flag.Arg(0))
	if testing.Testing() {
		return 0
	}
	return unowned.X
}
