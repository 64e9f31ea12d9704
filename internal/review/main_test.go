package review

import (
	"testing"

	"go.uber.org/goleak"
)

// No process of Gauntlet may still run after a result.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
