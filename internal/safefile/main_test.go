package safefile

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"
)

// TestMain is also the child process of tests that need one.
func TestMain(m *testing.M) {
	path := os.Getenv("SAFEFILE_PATH")
	switch os.Getenv("SAFEFILE_CHILD") {
	case "hold":
		if _, err := TryAcquire(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		time.Sleep(time.Minute)
	case "write":
		if err := Write(path, bytes.Repeat([]byte("x"), 1<<20), 0o600); err == nil {
			fmt.Println("write of 1 MiB succeeded under ulimit -f 4")
			os.Exit(1)
		}
		fmt.Println("write failed as it should")
	default:
		os.Exit(m.Run())
	}
}
