package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"gauntlet/internal/buildinfo"
)

func (app *App) versionCmd() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version. With --check also how this copy was installed and how to
upgrade it. Nothing is fetched, and nothing updates itself.`,
		Example: "  gauntlet version\n  gauntlet version --check",
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(app.Out, "gauntlet "+version())
			if !check {
				return nil
			}
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			if real, err := filepath.EvalSymlinks(program); err == nil {
				program = real
			}
			origin := buildinfo.OriginOf(program, func(name string) bool {
				_, err := os.Stat(name)
				return err == nil
			})
			fmt.Fprintf(app.Out, "program:   %s\ninstalled: %s\nupgrade:   %s\n", program, origin.How, origin.Upgrade)
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "also show how this copy was installed and how to upgrade it")
	return cmd
}

// version is also what --version prints.
func version() string {
	return fmt.Sprintf("%s (%s, %s/%s)", buildinfo.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
