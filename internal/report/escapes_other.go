//go:build !windows

package report

import "os"

// enableEscapes: terminals here understand escape sequences as they are.
func enableEscapes(*os.File) bool { return true }
