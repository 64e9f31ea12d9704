package gate

import (
	"testing"

	"go.uber.org/goleak"
)

// No process of a gate may still run when the gate is over.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
