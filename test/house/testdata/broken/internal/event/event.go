package event

import (
	"github.com/spf13/cobra" // breaks: imports
)

type Event struct{ Agent string }

var Command = cobra.Command{}
