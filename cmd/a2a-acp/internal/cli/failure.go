package cli

import "github.com/spf13/cobra"

// Failure is the error that a verb ended with. The library that draws help also draws errors, and asks the
// terminal for its colours first: a job in the background is stopped by that, and a terminal that does not
// answer costs seconds. So errors are kept from it, and explained without.
type Failure struct{ Err error }

// KeepFrom has the errors of a command, and of those below it, kept here instead of returned.
func (f *Failure) KeepFrom(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() { // before their parent, whose handler of flags is theirs, too
		f.KeepFrom(sub)
	}
	if args := cmd.Args; args != nil {
		cmd.Args = func(c *cobra.Command, words []string) error {
			f.Err = args(c, words)
			return nil
		}
	}
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(c *cobra.Command, words []string) error {
			if f.Err == nil {
				f.Err = run(c, words)
			}
			return nil
		}
	}
	wrong := cmd.FlagErrorFunc()
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		f.Err = wrong(c, err)
		return nil
	})
}
