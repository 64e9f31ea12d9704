package config

import "os"

func Save(data []byte) error {
	return os.WriteFile(".gauntlet/config.yml", data, 0o644) // breaks: files
}

func Lock() error {
	f, err := os.OpenFile("lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // breaks: files, locks
	if err != nil {
		return err
	}
	return f.Close()
}

func Open(flag int) (*os.File, error) {
	return os.OpenFile("x", flag, 0o600) // breaks: files, locks
}

func Read() (*os.File, error) {
	return os.OpenFile("x", os.O_RDONLY, 0) // breaks: files
}

func Move(root *os.Root) error {
	return root.Rename("a", "b") // breaks: files
}

func LockByDirectory() bool {
	return os.Mkdir("lock", 0o700) == nil // breaks: locks
}
