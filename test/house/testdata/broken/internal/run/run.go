package run

import (
	"cmp"
	"sync"
	"time"

	"gauntlet/internal/config"
)

func logs(p config.Project) string { return cmp.Or(p.LogDir, "logs") } // breaks: defaults

func retries(p *config.Project) int {
	if p.MaxRetries != nil { // breaks: defaults
		return *p.MaxRetries
	}
	if n := p.MaxRetries; n != nil { // breaks: defaults
		return *n
	}
	if "" == p.LogDir { // breaks: defaults
		return 1
	}
	if p.Name == "" || cmp.Or(p.Name, "x") == "y" || p.LogDir == "elsewhere" {
		return 2
	}
	return 3
}

func start(f func()) {
	go f() // breaks: goroutines
}

func wait(all *sync.WaitGroup, f func()) {
	all.Go(f)                     // breaks: goroutines
	time.AfterFunc(time.Hour, f)  // breaks: goroutines
	panic("it has been too long") // breaks: panics
}
