package run

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"gauntlet/internal/beside"
	"gauntlet/internal/event"
)

type job struct{ Command string }

func prepare(dir string) {
	_ = os.MkdirAll(dir, 0o777) // breaks: directories
	_ = os.RemoveAll(dir)       // breaks: removals
	time.Sleep(2 * time.Second) // breaks: sleeps
}

func oneInTen() bool { return rand.IntN(10) == 0 } // breaks: chance

func everything(child io.Reader) ([]byte, error) { return io.ReadAll(child) } // breaks: reads

func atMost(child io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(child, 1<<20)) }

func memory(root string, ev event.Event) string {
	return filepath.Join(root, ev.SessionID+".json") // breaks: paths
}

func place(root string, ev event.Event) string { return filepath.Join(root, key(ev.SessionID)) }

func key(id string) string { return id }

func count(file string) []string { return []string{"sh", "-c", "wc -l " + file} } // breaks: shells

func check(j job) []string { return []string{"sh", "-c", j.Command} }

func publish(ctx context.Context, send func(context.Context)) {
	late := context.WithoutCancel(ctx)  // breaks: detached
	beside.Start(func() { send(late) }) // breaks: waited
	done := make(chan struct{})
	beside.Start(func() { close(done) })
	<-done
}

func edits(tool string) bool { return tool == "Bash" || tool == "apply_patch" } // breaks: tool names
