package review

import "example.com/unowned" // breaks: imports

func Status() int { return unowned.X }
