//go:build !linux

package slots

import (
	"context"
	"runtime"
	"strings"
	"time"

	"gauntlet/internal/proc"
)

// OnBattery reports whether the machine runs on its battery; false where that is not known.
func OnBattery(ctx context.Context) bool {
	if runtime.GOOS != "darwin" {
		return false
	}
	out, _, _ := proc.Output(ctx, proc.Cmd{Args: []string{"pmset", "-g", "batt"}, Timeout: 2 * time.Second}, 4<<10)
	return strings.Contains(string(out), "'Battery Power'")
}
