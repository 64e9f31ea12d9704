package autonomy

import (
	"fmt"
	"strconv"
	"strings"

	"gauntlet/internal/config"
)

// Mode is what happens at the threshold.
type Mode string

// The modes. Off: nothing enables it, or something switches it off.
const (
	Off        Mode = "off"
	Normal     Mode = "normal"     // advisory: a prompt that suggests the save
	Autonomous Mode = "autonomous" // direct execution
	Loop       Mode = "loop"       // direct execution, enforced
)

// direct reports whether the hook makes the save itself.
func (m Mode) direct() bool { return m == Autonomous || m == Loop }

// Switches are all the places where autonomy is turned on or off.
type Switches struct {
	Config   *config.Autonomy // nil: no autonomy section
	Flag     bool             // ~/.claude/autonomous-mode.active exists
	LoopVar  string           // CLAUDE_LOOP_ACTIVE
	Disabled bool             // .claude/auto-continue-disabled exists in the project
}

// asked reports whether anything switches autonomy on.
func (s Switches) asked() bool { return s.Config != nil || s.Flag || LoopOn(s.LoopVar) }

// LoopOn reports whether the value of the loop variable switches loop mode on.
func LoopOn(value string) bool { return value == "1" || value == "true" }

// Mode decides which mode follows, and why when that is Off.
func (s Switches) Mode() (Mode, string) {
	var enabled *bool
	if s.Config != nil {
		enabled = s.Config.Enabled
	}
	switch {
	case enabled != nil && !*enabled:
		return Off, "autonomy.enabled is false"
	case !s.asked():
		return Off, "not switched on"
	case s.Disabled:
		return Off, DisabledFile + " exists"
	case LoopOn(s.LoopVar):
		return Loop, ""
	case s.Flag || enabled != nil:
		return Autonomous, ""
	}
	return Normal, ""
}

const (
	// perRise is how many points more use the next save needs.
	perRise = 5
	// maxPerSession bounds the saves of one session.
	maxPerSession = 20
)

// Threshold is the percentage at which a save is due, its source, and a warning for
// each source with an unusable value.
func Threshold(env string, c *config.Autonomy) (percent int, source string, warnings []string) {
	const want = "is not a whole number from 1 to 100"
	if env = strings.TrimSpace(env); env != "" {
		if n, err := strconv.Atoi(env); err == nil && env[0] != '+' && n >= 1 && n <= 100 {
			return n, ThresholdVar, nil
		}
		warnings = append(warnings, fmt.Sprintf("%s=%q %s; ignored", ThresholdVar, cut(env, 20), want))
	}
	if c != nil && c.ThresholdPercent != nil {
		if n := *c.ThresholdPercent; n >= 1 && n <= 100 {
			return n, "autonomy.threshold_percent", warnings
		}
		warnings = append(warnings, fmt.Sprintf("autonomy.threshold_percent: %d %s; ignored", *c.ThresholdPercent, want))
	}
	return *config.WithDefaults(config.Autonomy{}).ThresholdPercent, "default", warnings
}

// Memory is what a session remembers about its saves.
type Memory struct {
	Count int `json:"count,omitempty"`
	// Last is the percentage at the last save, Low the lowest seen since.
	Last int `json:"last,omitempty"`
	Low  int `json:"low,omitempty"`
}

// observe records a drop, and reports whether there was one.
func (m *Memory) observe(percent int) bool {
	if m.Count == 0 || percent >= m.Low {
		return false
	}
	m.Low = percent
	return true
}

// record records a save.
func (m *Memory) record(percent int) {
	m.Count++
	m.Last, m.Low = percent, percent
}

// due reports whether this use calls for a save, and why not.
func (m Memory) due(percent, threshold int) (bool, string) {
	switch {
	case percent < threshold:
		return false, fmt.Sprintf("%d%% is below the threshold of %d%%", percent, threshold)
	case m.Count >= maxPerSession:
		return false, fmt.Sprintf("this session has had its %d saves", maxPerSession)
	case m.Count == 0, m.Low < threshold && m.Low < m.Last:
		return true, ""
	case percent >= m.Low+perRise:
		return true, ""
	}
	return false, fmt.Sprintf("%d%% is less than %d points above the %d%% of the last save", percent, perRise, m.Low)
}

// allowed reports whether a save that was interrupted may be made again.
func (m Memory) allowed(percent, threshold int) bool {
	return percent >= threshold && m.Count < maxPerSession
}
