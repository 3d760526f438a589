package cli

import (
	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Commands returns what is known of programs: with the person's own commands.yaml, where there is one.
func Commands(env *Environment) (*command.Catalogue, error) {
	commands, err := config.ReadCommands(app.Sources(env.AppOptions(nil, nil)))
	if err != nil {
		return nil, Fail(exit.Usage, err)
	}
	return commands, nil
}

// ReadFile reads a file of tools or of rules that a person has named, to be checked by what is known of
// programs.
func ReadFile(name string, commands *command.Catalogue) (config.File, error) {
	file, err := config.ReadFile(name, tool.LayerFlag)
	file.Commands = commands
	return file, err
}
