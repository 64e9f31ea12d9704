//go:build !windows

package agent

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// patientReader reads f until the patience is over. It asks the kernel before
// each read instead of reading in a goroutine: starting one costs more than
// everything else a hook does when there is nothing to do.
func patientReader(f *os.File, patience time.Duration) io.Reader {
	return &pollReader{f: f, end: time.Now().Add(patience)}
}

type pollReader struct {
	f   *os.File
	end time.Time
}

func (p *pollReader) Read(b []byte) (int, error) {
	for {
		left := time.Until(p.end)
		if left <= 0 {
			return 0, errNoInput
		}
		fds := []unix.PollFd{{Fd: int32(p.f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(left.Milliseconds())+1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if n == 0 {
			return 0, errNoInput
		}
		return p.f.Read(b)
	}
}
