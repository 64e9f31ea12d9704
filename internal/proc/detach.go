package proc

import (
	"fmt"
	"os"
	"os/exec"
)

// Detach starts a process that outlives this one, in a session of its own and with no
// terminal, input or output: a browser, an upload after the verdict. It has no limits; the
// process must end by itself. It gets the files as descriptors from 3 on, where the system
// can pass them on.
func Detach(c Cmd, files ...*os.File) error {
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:noctx // it outlives every context
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.environ(), detached()
	if PassesFiles {
		cmd.ExtraFiles = files
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", c.Args[0], err)
	}
	return cmd.Process.Release()
}
