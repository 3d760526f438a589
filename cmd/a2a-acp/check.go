package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/config"
)

// checkCommand makes a verb out of a way to check files: read gives everything that is to be said of them, and how many of
// what it looked at are fine.
func checkCommand(env *environment, cmd *cobra.Command, noun string, read func(env *environment, files []string) (config.Errors, int, error)) *cobra.Command {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	f := addFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		found, fine, err := read(env, files)
		if err != nil {
			return err
		}
		if *f != formatTable {
			if err := writeData(env.stdout, *f, append(config.Errors{}, found...)); err != nil {
				return err
			}
		} else {
			for _, e := range found {
				fmt.Fprintln(env.stdout, e)
			}
		}
		if found.Broken() {
			return silent(exitUsage)
		}
		if *f == formatTable {
			fmt.Fprintf(env.stderr, "%d %s are fine\n", fine, noun)
		}
		return nil
	}
	return cmd
}
