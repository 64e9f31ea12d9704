package install

import "gauntlet/internal/proc"

func version(binary string) error {
	c := proc.Cmd{Args: []string{binary}, Unguarded: true} // breaks: guard
	c.Unguarded = true                                     // breaks: guard
	return proc.Run(c)
}
