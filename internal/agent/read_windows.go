package agent

import (
	"io"
	"os"
	"time"
)

// patientReader reads f until the patience is over.
func patientReader(f *os.File, patience time.Duration) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, f)
		_ = w.CloseWithError(err)
	}()
	time.AfterFunc(patience, func() { _ = w.CloseWithError(errNoInput) })
	return r
}
