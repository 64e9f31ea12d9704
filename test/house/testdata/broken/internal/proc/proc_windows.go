package proc

import "os/exec"

func powershell() error {
	cmd := exec.Command("powershell") // breaks: guard
	go cmd.Wait()                     // breaks: goroutines
	return cmd.Start()
}
