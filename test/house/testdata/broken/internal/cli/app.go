// Package cli is where everything may enter: nothing is found here.
package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gauntlet/internal/history/store"
)

func Main() int {
	_, _ = context.Background(), cobra.Command{}
	store.Open()
	fmt.Fprintln(os.Stdout, os.Getenv("HOME"))
	return 0
}
