package slots

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// loadAverage is how many tasks wanted a processor in the last minute: three fixed-point
// numbers, then their scale.
func loadAverage() (float64, bool) {
	b, err := unix.SysctlRaw("vm.loadavg")
	if err != nil || len(b) < 24 {
		return 0, false
	}
	scale := binary.NativeEndian.Uint64(b[16:])
	if scale == 0 {
		return 0, false
	}
	return float64(binary.NativeEndian.Uint32(b)) / float64(scale), true
}
