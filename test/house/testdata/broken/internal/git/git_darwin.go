package git

import "os"

func library() string {
	return os.ExpandEnv("$HOME/Library") // breaks: environment
}

func list() ([]os.DirEntry, error) {
	return os.ReadDir(library()) // breaks: files
}

func watch() {
	go list() // breaks: goroutines
}
