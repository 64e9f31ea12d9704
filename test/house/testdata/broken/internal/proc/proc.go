package proc

import (
	"os"
	"os/exec"

	"gauntlet/internal/event"
)

type Cmd struct {
	Args      []string
	Env       []string
	Unguarded bool
}

func Run(c Cmd) error {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Env = c.environ()
	return cmd.Run()
}

func Detach(c Cmd) error {
	cmd := exec.Command(c.Args[0]) // breaks: guard
	return cmd.Start()
}

func Open(c Cmd) error {
	cmd := exec.Command(c.Args[0]) // breaks: guard
	cmd.Env = c.environ()
	cmd.Env = c.Env
	return cmd.Start()
}

func Direct(name string) error {
	return (&exec.Cmd{Path: name}).Start() // breaks: guard
}

func (c Cmd) environ() []string { // breaks: guard
	return append(c.Env, "PATH="+os.DevNull)
}

func guard() string { return event.GuardVar }
