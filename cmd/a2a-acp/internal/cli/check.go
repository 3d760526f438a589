package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// CheckCommand makes a verb out of a way to check files: read gives everything that is to be said of them,
// and how many of what it looked at are fine. What that is has a name for one of it, and one for many.
func CheckCommand(env *Environment, cmd *cobra.Command, one, many string,
	read func(env *Environment, files []string) (yamldoc.Errors, int, error)) *cobra.Command {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	f := AddFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		found, fine, err := read(env, files)
		if err != nil {
			return err
		}
		if *f != FormatTable {
			if err := WriteData(env.Stdout, *f, append(yamldoc.Errors{}, found...)); err != nil {
				return err
			}
		} else {
			for _, e := range found {
				fmt.Fprintln(env.Stdout, e.Shown())
			}
			if summary := found.Summary(); summary != "" {
				fmt.Fprintln(env.Stderr, summary)
			}
		}
		if found.Broken() {
			return Silent(exit.Usage)
		}
		if *f == FormatTable {
			if fine == 1 {
				fmt.Fprintf(env.Stderr, "1 %s is fine\n", one)
				return nil
			}
			fmt.Fprintf(env.Stderr, "%d %s are fine\n", fine, many)
		}
		return nil
	}
	return cmd
}

// ToList returns the mistakes that err holds. Any other error is returned as it is.
func ToList(err error) (yamldoc.Errors, int, error) {
	list := yamldoc.List(err)
	if len(list) == 0 {
		return nil, 0, Fail(exit.Usage, err)
	}
	return list, 0, nil
}
