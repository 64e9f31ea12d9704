package slots

import (
	"runtime"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/safefile"
)

// busyPercent is the share of the last ten seconds in which a task waited for a processor,
// above which a machine is busy.
const busyPercent = 20

// Busy reports whether the machine has no processor to spare.
func Busy() bool {
	if text, ok := pressure(); ok {
		avg, err := strconv.ParseFloat(value(text, "avg10="), 64)
		return err == nil && avg > busyPercent
	}
	load, ok := loadAverage()
	return ok && load > float64(runtime.NumCPU())
}

// Stall measures how much of a time tasks of this machine waited for a processor.
type Stall struct {
	at    time.Time
	total time.Duration // that tasks were stalled since the machine started
	known bool
}

// Now begins to measure.
func Now(now time.Time) Stall {
	text, ok := pressure()
	us, err := strconv.ParseInt(value(text, "total="), 10, 64)
	return Stall{at: now, total: time.Duration(us) * time.Microsecond, known: ok && err == nil}
}

// Share is the part of the time since s that was stalled, from 0 to 1. Where the kernel does
// not count it, it is how far the load exceeds the processors.
func (s Stall) Share(now time.Time) float64 {
	end := Now(now)
	if s.known && end.known {
		if took := now.Sub(s.at); took > 0 {
			return min(1, max(0, float64(end.total-s.total)/float64(took)))
		}
		return 0
	}
	if load, ok := loadAverage(); ok && load > 0 {
		return max(0, 1-float64(runtime.NumCPU())/load)
	}
	return 0
}

// pressure is the kernel's line about tasks that wait for a processor.
func pressure() (line string, ok bool) {
	b, err := safefile.ReadLinked("/proc/pressure/cpu", 4<<10)
	if err != nil {
		return "", false
	}
	line, _, _ = strings.Cut(string(b), "\n")
	return line, strings.HasPrefix(line, "some ")
}

// value is the word of a line that begins with a name.
func value(line, name string) string {
	_, after, _ := strings.Cut(line, name)
	word, _, _ := strings.Cut(after, " ")
	return word
}
