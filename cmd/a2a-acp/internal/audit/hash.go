package audit

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/secret"
)

// hashed is a value as it stands on record, and where it does.
type hashed struct {
	Hash string        `json:"hash"`
	Acts []audit.Entry `json:"acts"`
}

func auditHashCommand(env *cli.Environment) *cobra.Command {
	filter := ActFilter{}
	cmd := &cobra.Command{
		Use:   "hash [VALUE]",
		Short: "Find a secret value in the record, which holds its keyed hash",
		Long: `hash prints what stands in the record in the place of a value: of a secret
parameter, or of a secret that a tool was given. Then it lists the acts in
whose record that stands, such as all that used a password that has leaked.

It asks for the value without showing it, or reads standard input; as an
argument it is seen by everybody on this machine who lists processes.

The hash is HMAC-SHA256 with a key of this installation, which is made with
the first value. A copy of the record without the key tells which acts used
the same value, and nothing about it. Whoever can read the state directory
has the key, and can try values: one that is short or can be guessed is no
secret to them.`,
		Example: `  a2a-acp audit hash < leaked-token
  a2a-acp audit hash --since 30d --json < leaked-token | jq .acts`,
		Args: cobra.MaximumNArgs(1),
	}
	f := cli.AddFormat(cmd)
	filter.addTo(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cli.CheckToTighten(); err != nil { // or an agent could try out what others were given
			return err
		}
		var value string
		var err error
		if len(args) == 1 {
			value = args[0]
		} else if value, err = cli.ReadHidden(cmd.Context(), env, "Value", secret.LongestValue); err != nil {
			return cli.Fail(exit.Usage, err)
		}
		if value == "" {
			return cli.Fail(exit.Usage, errors.New("the value is empty"))
		}
		dir, err := app.StateDir(env.AppOptions(nil, nil))
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		hash, err := secret.NewHashes(dir).Of(value)
		if errors.Is(err, fs.ErrNotExist) {
			env.Say("nothing is on record yet")
			return nil
		}
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		filter.hash = hash
		acts, err := filter.Acts(env)
		if *f != cli.FormatTable {
			list := []audit.Entry{}
			for _, act := range acts {
				list = append(list, act...)
			}
			return errors.Join(cli.WriteData(env.Stdout, *f, hashed{hash, list}), err)
		}
		fmt.Fprintln(env.Stdout, hash)
		if len(acts) > 0 {
			filter.writeList(env, acts, false)
		} else if err == nil {
			env.Say("it stands nowhere in the record")
		}
		return err
	}
	return cmd
}
