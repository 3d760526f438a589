package tools

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
)

func toolsExportCommand(env *cli.Environment) *cobra.Command {
	var tools []string
	form := "yaml"
	cmd := &cobra.Command{
		Use:   "export [TOOL...]",
		Short: "Print tools to give away: as a tools file, as JSON, or as MCP shows them",
		Long: `export prints the named tools, or all of your own: as a tools file (yaml),
the same as JSON (json), as the list that an MCP client gets (mcp), or as that
list alone, as Ophis writes mcp-tools.json (mcp-tools). It leaves out comments
and secrets: values of variables that are credentials, defaults and examples
of secret parameters. It says what it left out. It refuses an entry with a
credential in its script.`,
		Example: `  a2a-acp tools export recent_changes > recent_changes.yaml
  a2a-acp tools export -o mcp > mcp-tools.json`,
		ValidArgsFunction: completeManyTools(env, &tools),
	}
	cmd.Flags().StringArrayVar(&tools, "tools", nil, "a tools file, in addition to the others; may be repeated")
	cmd.Flags().StringVarP(&form, "output", "o", form, "form of the output: yaml, json, mcp or mcp-tools")
	_ = cmd.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions([]string{"yaml", "json", "mcp", "mcp-tools"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(_ *cobra.Command, ids []string) error { return exportTools(env, ids, tools, form) }
	return cmd
}

func exportTools(env *cli.Environment, ids, files []string, form string) error {
	set, err := loadTold(env, files)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := findTool(set, id); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		for _, loaded := range set.Tools {
			if !loaded.Tool.Shipped() {
				ids = append(ids, loaded.Tool.ID)
			}
		}
	}
	if len(ids) == 0 {
		return cli.Fail(exit.Usage,
			errors.New("you have no tools of your own; name the ones to export, or make one: a2a-acp tools new"))
	}
	switch form {
	case "mcp", "mcp-tools":
		return exportMCP(env, set, ids, form == "mcp-tools")
	case "yaml", "json":
	default:
		return cli.Fail(exit.Usage, fmt.Errorf("-o %s: want yaml, json, mcp or mcp-tools", form))
	}
	data, told, err := config.Export(set, ids)
	if err != nil {
		return cli.Fail(exit.Usage, err)
	}
	for _, line := range told {
		env.Say(line)
	}
	if form == "yaml" {
		_, err = env.Stdout.Write(data)
		return err
	}
	plain, err := config.PlainJSON(data)
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	return cli.WriteData(env.Stdout, cli.FormatJSON, plain)
}

// exportMCP prints what tools/list says (MCP 2025-11-25), or the tools alone.
func exportMCP(env *cli.Environment, set *config.Set, ids []string, alone bool) error {
	list := []mcpserver.Tool{}
	tokens := 0
	for _, id := range ids {
		loaded, err := findTool(set, id)
		if err != nil {
			return err
		}
		shown := mcpserver.FromTool(&loaded.Tool)
		tokens += shown.Tokens()
		if alone {
			shown.Title = "" // it is among the annotations
		}
		list = append(list, shown)
	}
	cli.SayTokens(env, len(list), tokens)
	if alone {
		return cli.WriteData(env.Stdout, cli.FormatJSON, list)
	}
	return cli.WriteData(env.Stdout, cli.FormatJSON, map[string]any{"tools": list})
}
