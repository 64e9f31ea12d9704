package git

import (
	"context"
	"os"
	run "os/exec" // breaks: imports

	"github.com/ncruces/go-sqlite3/driver" // breaks: imports
)

func Status() error {
	ctx := context.Background() // breaks: contexts
	_ = driver.Name
	return run.CommandContext(ctx, "git", "status").Run() // breaks: guard
}

func Home() string { return os.Getenv("HOME") } // breaks: environment

func Spawn() {
	_, _ = os.StartProcess("/bin/true", nil, nil) // breaks: processes
}

// A package with files of its own for each platform is no hiding place.
type Reader interface { // breaks: interfaces
	Read41() int
}

type reader struct{}

func (reader) Read41() int { return 41 }

// Repo is a repository.
type Repo struct{}

// Status asks git.
func (Repo) Status() int { return 0 }
