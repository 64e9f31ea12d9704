package session

import "os"

// Age asks the disk: anyone who has to be pure must not get here.
func Age() int {
	info, err := os.Stat("memory")
	if err != nil {
		return 0
	}
	return int(info.Size())
}
