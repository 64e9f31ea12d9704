package git

import "os"

func library() string {
	return os.ExpandEnv("$HOME/Library") // breaks: environment
}
