package git

import "os/exec" // breaks: imports

func shell() *exec.Cmd { return exec.Command("cmd") }
