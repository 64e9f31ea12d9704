package gate

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing that ran a gate may still be running when it is over.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
