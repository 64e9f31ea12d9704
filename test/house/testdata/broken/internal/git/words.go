package git

import "unsafe" // breaks: imports

// Changed is assigned to by another package.
var Changed int // breaks: globals

func size(p *int) uintptr { return unsafe.Sizeof(*p) }
