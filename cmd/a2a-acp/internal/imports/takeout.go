package imports

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// takeOut writes a tools file without the tools that are removed, once that was agreed to. Where data is nil nothing else is in
// it, and the file goes.
func takeOut(ctx context.Context, env *cli.Environment, path string, data []byte, removed []string, yes bool) (err error) {
	for _, id := range removed {
		fmt.Fprintln(env.Stdout, "- "+id)
	}
	if err := agreed(ctx, env, "Take them out of "+env.Short(path)+"?", yes); err != nil {
		return err
	}
	if data == nil {
		if err = os.Remove(path); err == nil && filepath.Base(filepath.Dir(path)) == "a2a-acp" {
			_ = os.Remove(filepath.Dir(path)) // an import made it for its file; one that holds anything stays
		}
	} else {
		err = cli.ReplaceFile(path, data, 0o600)
	}
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	env.Say(display.Count(len(removed), "tool is gone from ", "tools are gone from ") + env.Short(path))
	return nil
}

// agreed asks before a file is written.
func agreed(ctx context.Context, env *cli.Environment, question string, yes bool) error {
	if !yes {
		switch agreed, err := env.AskYes(ctx, question); {
		case err != nil:
			return err
		case !agreed:
			env.Say("nothing is written; --yes writes without asking")
			return cli.Silent(exit.Approval)
		}
	}
	return cli.Confirm(ctx, env)
}
