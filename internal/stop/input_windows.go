package stop

import (
	"os"
	"time"
)

// arrives cannot ask without reading here.
func arrives(*os.File, time.Duration) bool { return true }
