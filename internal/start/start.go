// Package start makes every start of the program cheaper. It imports nothing, so
// the language initialises it before the packages that have something to do then:
// they are sorted by import path, each after its own imports. Ring 0: nothing at all.
package start

// depth is more stack than the initialisation of all packages and a hook need.
const depth = 20 << 10

// The stack of the main goroutine grows once, while it is nearly empty. Otherwise it
// would double three times on the way to the same size, and each time the runtime
// would look up every frame in tables that are not in memory yet, and fill a pool of
// stacks of that size. That takes a tenth of the time of an empty program.
var _ = grow(false)

//go:noinline
func grow(use bool) byte {
	if use { // never: the frame is reserved, and not touched
		return last([depth]byte{})
	}
	return 0
}

//go:noinline
func last(b [depth]byte) byte { return b[depth-1] }
