package slots

import (
	"context"
	"path/filepath"
	"strings"

	"gauntlet/internal/safefile"
)

// OnBattery reports whether the machine runs on its battery.
func OnBattery(context.Context) bool { return onBattery("/sys/class/power_supply") }

// onBattery: some battery is discharged, and no supply is connected.
func onBattery(dir string) bool {
	supplies, _ := safefile.ReadDir("", dir, -1) // a machine without any
	word := func(supply, name string) string {
		b, _ := safefile.ReadLinked(filepath.Join(supply, name), 100) // not every supply has every file
		return strings.TrimSpace(string(b))
	}
	discharging := false
	for _, e := range supplies {
		s := filepath.Join(dir, e.Name())
		switch word(s, "type") {
		case "Battery": // one of a mouse has a scope
			discharging = discharging || word(s, "status") == "Discharging" && word(s, "scope") != "Device"
		default:
			if word(s, "online") == "1" {
				return false
			}
		}
	}
	return discharging
}
