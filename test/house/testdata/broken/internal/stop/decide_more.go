package stop

import "time"

func late(at time.Time) bool { return time.Since(at) > time.Hour } // breaks: pure
