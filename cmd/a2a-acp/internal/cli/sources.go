package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// AppOptions is what the App of a verb is made of.
func (e *Environment) AppOptions(tools, policies []string) app.Options {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	return app.Options{ToolFiles: tools, PolicyFiles: policies, Getenv: e.Getenv, Dir: dir, Home: e.Home,
		Say: e.Say, Version: e.Version}
}

// Load reads the configuration. A mistake in a file is the person's.
func Load(env *Environment, tools, policies []string) (*config.Set, error) {
	set, err := config.Load(app.Sources(env.AppOptions(tools, policies)))
	if err != nil {
		return nil, Fail(exit.Usage, err)
	}
	return set, nil
}

// WouldCount says why files that come into the configuration directory would not count; nil where they would.
func WouldCount(env *Environment) error {
	return app.Sources(env.AppOptions(nil, nil)).WouldCount()
}

// AddSources gives a verb the flags that name configuration files.
func AddSources(cmd *cobra.Command, tools, policies *[]string) {
	cmd.Flags().StringArrayVar(tools, "tools", nil, "a tools file, in addition to the others; may be repeated")
	_ = cmd.MarkFlagFilename("tools", "yaml", "yml")
	AddPolicies(cmd, policies)
}

// AddPolicies gives a verb the flag that names policy files.
func AddPolicies(cmd *cobra.Command, policies *[]string) {
	cmd.Flags().StringArrayVar(policies, "policies", nil,
		"a policy file, in addition to the others; may be repeated")
	_ = cmd.MarkFlagFilename("policies", "yaml", "yml")
}
