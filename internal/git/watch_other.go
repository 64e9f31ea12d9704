//go:build !linux

package git

// watch does not exist here: a tree is looked through a second time.
type watch struct{}

func newWatch(string, []string) *watch { return nil }

func (w *watch) quiet() bool { return false }

func (w *watch) close() {}
