package cli

import "github.com/spf13/cobra"

func (app *App) proofsCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "proofs",
		Short: "Show and share what is already proved",
	}
	cmd.AddCommand(app.proofsKeyCmd(), app.proofsPublishCmd())
	return cmd
}
