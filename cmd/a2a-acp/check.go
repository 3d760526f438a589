package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// checkCommand makes a verb out of a way to check files: read gives everything that is to be said of them, and how many of
// what it looked at are fine. What that is has a name for one of it, and one for many.
func checkCommand(env *environment, cmd *cobra.Command, one, many string, read func(env *environment, files []string) (yamldoc.Errors, int, error)) *cobra.Command {
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
			if err := writeData(env.stdout, *f, append(yamldoc.Errors{}, found...)); err != nil {
				return err
			}
		} else {
			for _, e := range found {
				fmt.Fprintln(env.stdout, e.Shown())
			}
			if summary := found.Summary(); summary != "" {
				fmt.Fprintln(env.stderr, summary)
			}
		}
		if found.Broken() {
			return silent(exit.Usage)
		}
		if *f == formatTable {
			if fine == 1 {
				fmt.Fprintf(env.stderr, "1 %s is fine\n", one)
				return nil
			}
			fmt.Fprintf(env.stderr, "%d %s are fine\n", fine, many)
		}
		return nil
	}
	return cmd
}
