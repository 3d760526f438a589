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
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// schemaName is the file beside tools.yaml that editors read, and modeline the line of tools.yaml that names it
// (github.com/redhat-developer/yaml-language-server, "Using inlined schema").
const (
	schemaName = "tools.schema.json"
	Modeline   = "# yaml-language-server: $schema=" + schemaName + "\n"
)

func toolsSchemaCommand(env *cli.Environment) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of tools files, for editors",
		Long: `schema prints what an editor needs to complete and check tools files: a JSON Schema (draft-07). init
writes it beside tools.yaml, whose first line names it:

  # yaml-language-server: $schema=tools.schema.json

Zed, VS Code (with the YAML extension), Neovim and Helix read that line. What a schema cannot say, such as a
tag in a place that cannot be made safe, a2a-acp tools check says.`,
		Example: `  a2a-acp tools schema > ~/.config/a2a-acp/tools.schema.json`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := config.ToolsSchema()
			if err != nil {
				return cli.Fail(exit.Host, err)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s\n", text)
			return err
		},
	}
}

// WriteSchema puts the schema beside tools.yaml. It is ours, so an older one is replaced; what is no plain
// file is left alone.
func WriteSchema(env *cli.Environment, dir string) error {
	text, err := config.ToolsSchema()
	if err != nil {
		return err
	}
	text = append(text, '\n')
	path := filepath.Join(dir, schemaName)
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(old, text):
		fmt.Fprintf(env.Stderr, "kept   %s\n", path)
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := replaceFile(path, text, 0o600); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "wrote  %s\n", path)
	return nil
}

// replaceFile puts a file in the place of another, or of none, so that nobody ever reads a part. One that
// is there keeps its permissions, and a link goes on leading to it.
func replaceFile(path string, data []byte, mode fs.FileMode) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no plain file", path)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
