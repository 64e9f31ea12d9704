package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"gauntlet/internal/proc"
	"gauntlet/internal/safefile"
)

// machine checks what Gauntlet needs of the system: a POSIX shell, a git that is not too
// old, file systems with locks.
func (d *Doctor) machine(ctx context.Context) {
	if sh, err := proc.Shell(); err != nil {
		d.add(Check{Name: "shell", State: Fail, Message: "no POSIX shell was found: no gate can run", Fix: "install Git for Windows, which brings one, or put sh on PATH"})
	} else if runtime.GOOS == "windows" {
		d.add(Check{Name: "shell", State: OK, Message: "gates run in " + sh})
	}
	out, _, res := proc.Output(ctx, proc.Cmd{Args: []string{"git", "version"}, Timeout: 10 * time.Second}, 1<<10)
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); res.OK() && err == nil && (major < 2 || major == 2 && minor < 30) {
		d.add(Check{Name: "git", State: Warn, Message: fmt.Sprintf("git %d.%d is older than 2.30, the oldest that Gauntlet was tried with", major, minor), Fix: "install a newer git"})
	}
	dirs := []string{d.State}
	if d.Site.InRepo && d.Site.IsProject() {
		dirs = append(dirs, filepath.Join(d.Site.Repo.GitDir, "gauntlet"))
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
			continue
		}
		l, err := safefile.TryAcquire(filepath.Join(dir, "doctor.lock"))
		if err != nil {
			continue // another doctor, or nothing can be written there
		}
		if l.Loose() {
			d.add(Check{Name: "locks", State: Warn, Message: "the file system of " + d.Short(dir) + " has no locks: two runs at once are not kept apart", Fix: "keep it on a local disk if several agents work at once"})
		}
		_ = l.Remove()
	}
}
