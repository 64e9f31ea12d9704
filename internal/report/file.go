package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/run"
	"gauntlet/internal/safefile"
)

// Format is a file format for machines.
type Format string

// Formats.
const (
	JUnit Format = "JUnit"
	SARIF Format = "SARIF"
)

// FormatOf is the format by the extension of a file name.
func FormatOf(path string) (Format, error) {
	name := strings.ToLower(filepath.Base(path))
	switch {
	case strings.HasSuffix(name, ".xml"):
		return JUnit, nil
	case strings.HasSuffix(name, ".sarif"), strings.HasSuffix(name, ".sarif.json"):
		return SARIF, nil
	}
	return "", fmt.Errorf("unknown format of the report %q: end its name in .xml for JUnit, in .sarif or .sarif.json for SARIF", path)
}

// About is what a report contains besides the result.
type About struct {
	Version string    // of this program
	Started time.Time // when the run began
	Took    time.Duration
}

// Write writes the report in the format of its name.
func Write(path string, res run.Result, about About) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	var data []byte
	switch format {
	case JUnit:
		data = junit(res, about)
	case SARIF:
		if data, err = sarif(res, about); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	if err := safefile.Write(path, data, 0o644); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
