package proc

import (
	"fmt"
	"os/exec"
)

// Detach starts a process that outlives this one, in a session of its own and with no
// terminal, input or output: a browser, an upload after the verdict. It has no limits; the
// process must end by itself.
func Detach(c Cmd) error {
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:noctx // it outlives every context
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.environ(), detached()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", c.Args[0], err)
	}
	return cmd.Process.Release()
}
