package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// Checked is how many were looked at: all, and those of them that came with the program.
type Checked struct{ All, Included int }

// in says how many are fine, by a name for one of them, and one for many.
func (c Checked) in(one, many string) string {
	says := display.Count(c.All, one+" is fine", many+" are fine")
	if c.Included > 0 {
		says += fmt.Sprintf(": %d of yours, %d included in a2a-acp", c.All-c.Included, c.Included)
	}
	return says
}

// CheckCommand makes a verb out of a way to check files: read gives everything that is to be said of them,
// and how many it looked at. What that is has a name for one of it, and one for many.
func CheckCommand(env *Environment, cmd *cobra.Command, one, many string,
	read func(env *Environment, files []string) (yamldoc.Errors, Checked, error)) *cobra.Command {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	f := AddFormat(cmd)
	cmd.RunE = func(_ *cobra.Command, files []string) error {
		found, checked, err := read(env, files)
		if err != nil {
			return err
		}
		if *f != FormatTable {
			if err := WriteData(env.Stdout, *f, append(yamldoc.Errors{}, found...)); err != nil {
				return err
			}
		} else {
			for _, e := range found {
				fmt.Fprintln(env.Stdout, FoldText(env.Stdout, e.Shown()))
			}
			if summary := found.Summary(); summary != "" {
				fmt.Fprintln(env.Stderr, summary)
			}
		}
		if found.Broken() {
			return Silent(exit.Usage)
		}
		if *f == FormatTable {
			fmt.Fprintln(env.Stderr, checked.in(one, many))
		}
		return nil
	}
	return cmd
}

// ToList returns the mistakes that err holds. Any other error is returned as it is.
func ToList(err error) (yamldoc.Errors, Checked, error) {
	list := yamldoc.List(err)
	if len(list) == 0 {
		return nil, Checked{}, Fail(exit.Usage, err)
	}
	return list, Checked{}, nil
}
