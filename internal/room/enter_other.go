//go:build !linux

package room

import (
	"context"
	"errors"
	"os"
)

// mayMount is for Linux: elsewhere a room is a plain directory.
func mayMount(context.Context) bool { return false }

// Enter is for Linux.
func Enter(_, _ []string) error { return errors.New("room-exec is for Linux") }

// clone is for Linux.
func clone(_, _ *os.File) bool { return false }
