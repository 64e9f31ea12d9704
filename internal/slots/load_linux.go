package slots

import (
	"strconv"
	"strings"

	"gauntlet/internal/safefile"
)

// loadAverage is how many tasks wanted a processor in the last minute.
func loadAverage() (float64, bool) {
	b, err := safefile.ReadLinked("/proc/loadavg", 4<<10)
	if err != nil {
		return 0, false
	}
	word, _, _ := strings.Cut(string(b), " ")
	load, err := strconv.ParseFloat(word, 64)
	return load, err == nil
}
