package rules

import (
	"os"
	"time"

	"gauntlet/internal/checkpoint" // breaks: imports
)

func Owed() ([]byte, error) {
	return os.ReadFile("config.yml") // breaks: pure, files
}

func Old(start time.Time) bool {
	return time.Now().Sub(start) > time.Minute // breaks: pure
}

func Older(start, now time.Time) bool { return now.Sub(start) > time.Minute }

func Most() int { return checkpoint.Limit }
