package run

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// errNotProved is why a runner's answer counts for nothing.
var errNotProved = errors.New("its runner did not prove that it ran the command")

// witness lets a runner prove that it ran a command: the script prints, last of all, the
// exit code beside a text that was sent with it. The text is sent in two halves, so that a
// runner that only repeats what it got does not print it.
type witness struct {
	halves [2]string
	out    io.Writer
	held   []byte // the end of the output, which may be the proof
}

func newWitness(out io.Writer) *witness {
	return &witness{halves: [2]string{"gauntlet-" + rand.Text(), rand.Text()}, out: out}
}

// script runs the command and then prints the proof.
func (w *witness) script(command string) string {
	return fmt.Sprintf(`sh -c %s < /dev/null; s=$?; printf '\n%%s%%s %%s\n' %s %s "$s"; exit "$s"`, quote(command), w.halves[0], w.halves[1])
}

// maxProof bounds the line of the proof, and what a connection may print after it.
const maxProof = 4 << 10

// Write passes the output on, except its end.
func (w *witness) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	if n := len(w.held) - maxProof; n > 0 {
		if _, err := w.out.Write(w.held[:n]); err != nil {
			return 0, err
		}
		w.held = append(w.held[:0], w.held[n:]...)
	}
	return len(p), nil
}

// end passes on the rest of the output, without the proof, and returns the exit code that it
// names.
func (w *witness) end() (code int, ok bool) {
	said := []byte("\n" + w.halves[0] + w.halves[1] + " ")
	if before, after, found := bytes.Cut(w.held, said); found {
		line, rest, whole := bytes.Cut(after, []byte("\n"))
		n, err := strconv.Atoi(string(line))
		code, ok = n, whole && err == nil && n >= 0
		w.held = append(before, rest...)
	}
	_, _ = w.out.Write(w.held) // the log reports its own errors
	w.held = nil
	return code, ok
}
