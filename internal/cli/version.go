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
			fmt.Fprintln(app.Out, "gauntlet "+version())
		},
	}
}

// version is also what --version prints.
func version() string {
	return fmt.Sprintf("%s (%s, %s/%s)", buildinfo.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
