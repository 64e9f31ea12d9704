package rules

import (
	"os"
	"time"
)

func Owed() ([]byte, error) {
	return os.ReadFile("config.yml") // breaks: pure, files
}

func Old(start time.Time) bool {
	return time.Now().Sub(start) > time.Minute // breaks: pure
}

func Older(start, now time.Time) bool { return now.Sub(start) > time.Minute }
