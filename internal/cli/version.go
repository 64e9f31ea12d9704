package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"gauntlet/internal/buildinfo"
)

func (app *App) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  gauntlet version",
		Args:    cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintf(app.Out, "gauntlet %s (%s, %s/%s)\n", buildinfo.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
