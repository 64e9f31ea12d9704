package slots

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOnBattery(t *testing.T) {
	for name, tt := range map[string]struct {
		supplies map[string]map[string]string
		want     bool
	}{
		"a desktop":                      {},
		"a laptop that is unplugged":     {map[string]map[string]string{"AC": {"type": "Mains", "online": "0"}, "BAT0": {"type": "Battery", "status": "Discharging"}}, true},
		"a laptop that is plugged in":    {map[string]map[string]string{"AC": {"type": "Mains", "online": "1"}, "BAT0": {"type": "Battery", "status": "Charging"}}, false},
		"plugged in by USB, still drawn": {map[string]map[string]string{"usb": {"type": "USB", "online": "1"}, "BAT0": {"type": "Battery", "status": "Discharging"}}, false},
		"the battery of a mouse":         {map[string]map[string]string{"hid": {"type": "Battery", "status": "Discharging", "scope": "Device"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for supply, files := range tt.supplies {
				if err := os.Mkdir(filepath.Join(dir, supply), 0o755); err != nil {
					t.Fatal(err)
				}
				for file, text := range files {
					if err := os.WriteFile(filepath.Join(dir, supply, file), []byte(text+"\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := onBattery(dir); got != tt.want {
				t.Errorf("on battery: %v", got)
			}
		})
	}
}
