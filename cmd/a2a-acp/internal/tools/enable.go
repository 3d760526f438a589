package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

// toolsSwitchCommand is `tools enable` or `tools disable`.
func toolsSwitchCommand(env *cli.Environment, on bool) *cobra.Command {
	word, does := "disable", "Switch tools off: nobody is offered them, and no call runs"
	if on {
		word, does = "enable", "Switch tools on again"
	}
	var tools []string
	cmd := &cobra.Command{
		Use:   word + " TOOL…",
		Short: does,
		Long: does + `.

It writes enabled: ` + fmt.Sprint(on) + ` into the entry of each, in the file that it stands in. Nothing else in that file
changes, and what runs takes it over by itself. Of the shipped tools those are offered that expose: names.`,
		Example:           "  a2a-acp tools " + word + " web_request",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: cli.CompleteTools(env, &tools),
	}
	cmd.Flags().StringArrayVar(&tools, "tools", nil, "a tools file, in addition to the others; may be repeated")
	allowed := cli.CheckToTighten
	if on {
		allowed = cli.CheckPerson // an agent would choose its own tools
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := allowed(); err != nil {
			return err
		}
		set, err := loadTold(env, tools)
		if err != nil {
			return err
		}
		if on {
			if err := cli.Confirm(cmd.Context(), env); err != nil {
				return err
			}
		}
		for _, id := range args {
			loaded, err := findTool(set, id)
			if err != nil {
				return err
			}
			if loaded.Tool.Shipped() {
				return cli.Fail(exit.Usage, fmt.Errorf("%s is shipped with the program: agents are offered it where expose: in a2a-acp.yaml "+
					"names it", id))
			}
			if err := switchTool(env, loaded.Tool.Source.File, id, on); err != nil {
				return cli.Fail(exit.Usage, err)
			}
		}
		return nil
	}
	return cmd
}

// switchTool switches a tool on or off in its file.
func switchTool(env *cli.Environment, file, id string, on bool) error {
	path, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	changed, err := toolyaml.Switch(data, id, on)
	if err != nil {
		return fmt.Errorf("%s: %w", env.Short(file), err)
	}
	if err := atomicfile.Write(path, changed, info.Mode().Perm()); err != nil {
		return errors.Join(fmt.Errorf("%s is as it was", env.Short(file)), err)
	}
	env.Say(fmt.Sprintf("%s is switched %s in %s", id, map[bool]string{true: "on", false: "off"}[on], env.Short(file)))
	return nil
}
