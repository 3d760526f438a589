package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

func policyGrantsCommand(env *environment) *cobra.Command {
	var revoke []string
	var all bool
	cmd := &cobra.Command{
		Use:   "grants [--revoke ID]",
		Short: "List what was allowed for the rest of a session, and take it back",
		Long: `grants lists what you have allowed with "Allow in this session" (or an agent's own "always") in the
sessions that are open now, as narrowly as it is kept. --revoke takes one back: the next such act is
asked again. What is kept ends with its session.`,
		Example: `  a2a-acp policy grants
  a2a-acp policy grants --revoke 3f9c21ab
  a2a-acp policy grants --revoke-all`,
		Args: cobra.NoArgs,
	}
	f := addFormat(cmd)
	cmd.Flags().StringArrayVar(&revoke, "revoke", nil, "take this one back; may be repeated")
	cmd.Flags().BoolVar(&all, "revoke-all", false, "take all back")
	_ = cmd.RegisterFlagCompletionFunc("revoke", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		kept, _ := keptGrants(env)
		for _, k := range kept {
			ids = append(ids, k.ID+"\t"+permissions.ShowLine(k.Words))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RunE = func(*cobra.Command, []string) error {
		kept, err := keptGrants(env)
		if err != nil {
			return fail(exitHost, err)
		}
		if all {
			for _, k := range kept {
				revoke = append(revoke, k.ID)
			}
		}
		if len(revoke) > 0 {
			return revokeGrants(env, kept, revoke)
		}
		if *f != formatTable {
			return writeData(env.stdout, *f, append([]permissions.Kept{}, kept...))
		}
		if len(kept) == 0 {
			env.say("nothing is allowed for the rest of a session")
			return nil
		}
		out := table{head: []string{"ID", "SINCE", "AGENT", "SESSION", "ALLOWS"}}
		for _, k := range kept {
			out.add(k.ID, k.Since.Local().Format(time.DateTime), permissions.ShowLine(k.Agent), permissions.ShowLine(k.Session), permissions.ShowLine(k.Words))
		}
		out.write(env.stdout)
		return nil
	}
	return cmd
}

func keptGrants(env *environment) ([]permissions.Kept, error) {
	dir, err := app.StateDir(env.appOptions(nil, nil))
	if err != nil {
		return nil, err
	}
	return app.NewGrants(dir).List()
}

func revokeGrants(env *environment, kept []permissions.Kept, ids []string) error {
	known := map[string]bool{}
	for _, k := range kept {
		known[k.ID] = true
	}
	for _, id := range ids {
		if !known[id] {
			return fail(exitUsage, fmt.Errorf("nothing is kept under the id %q; a2a-acp policy grants lists what is", id))
		}
	}
	dir, err := app.StateDir(env.appOptions(nil, nil))
	if err != nil {
		return fail(exitHost, err)
	}
	if err := app.NewGrants(dir).Remove(ids...); err != nil {
		return fail(exitHost, errors.Join(errors.New("nothing was taken back"), err))
	}
	fmt.Fprintf(env.stderr, "%d taken back\n", len(ids))
	return nil
}
