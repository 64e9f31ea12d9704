package run

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing of ours may go on running behind a result.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
