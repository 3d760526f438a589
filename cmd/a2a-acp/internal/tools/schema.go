package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// The files beside tools.yaml and commands.yaml that editors read, and the line of tools.yaml that names its
// own (github.com/redhat-developer/yaml-language-server, "Using inlined schema").
const (
	schemaName         = "tools.schema.json"
	commandsSchemaName = "commands.schema.json"
	Modeline           = "# yaml-language-server: $schema=" + schemaName + "\n"
)

func toolsSchemaCommand(env *cli.Environment) *cobra.Command {
	commands := false
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of tools files, for editors",
		Long: `schema prints what an editor needs to complete and check tools files, or with --commands your own
commands.yaml: a JSON Schema (draft-07). init writes both beside tools.yaml. The first line of each file names its
own:

  # yaml-language-server: $schema=tools.schema.json
  # yaml-language-server: $schema=commands.schema.json

Zed, VS Code (with the YAML extension), Neovim and Helix read that line. What a schema cannot say, such as a
tag in a place that cannot be made safe, a2a-acp tools check says.`,
		Example: `  a2a-acp tools schema > ~/.config/a2a-acp/tools.schema.json
  a2a-acp tools schema --commands > ~/.config/a2a-acp/commands.schema.json`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&commands, "commands", false, "the schema of your own commands.yaml")
	cmd.RunE = func(*cobra.Command, []string) error {
		schema := config.ToolsSchema
		if commands {
			schema = command.Schema
		}
		text, err := schema()
		if err != nil {
			return cli.Fail(exit.Host, err)
		}
		_, err = fmt.Fprintf(env.Stdout, "%s\n", text)
		return err
	}
	return cmd
}

// WriteSchema puts the schemas beside tools.yaml and commands.yaml.
func WriteSchema(env *cli.Environment, dir string) error {
	return errors.Join(writeSchema(env, filepath.Join(dir, schemaName), config.ToolsSchema),
		writeSchema(env, filepath.Join(dir, commandsSchemaName), command.Schema))
}

// writeSchema writes a schema. It is ours, so an older one is replaced; what is no plain file is left alone.
func writeSchema(env *cli.Environment, path string, schema func() ([]byte, error)) error {
	text, err := schema()
	if err != nil {
		return err
	}
	text = append(text, '\n')
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, text):
		fmt.Fprintf(env.Stderr, "kept   %s\n", path)
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := cli.ReplaceFile(path, text, 0o600); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "wrote  %s\n", path)
	return nil
}
