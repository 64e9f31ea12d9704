package stop

import (
	"os"
	"time"
)

// arrives: here nobody can ask without reading.
func arrives(*os.File, time.Duration) bool { return true }
