package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/profile"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
)

// CompleteTools completes the ids of tools.
func CompleteTools(env *Environment, tools *[]string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		set, err := Load(env, *tools, nil)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, loaded := range set.Tools {
			ids = append(ids, cobra.CompletionWithDesc(loaded.Tool.ID, FirstLine(loaded.Tool.Description)))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteProfiles reads the profiles when somebody asks: every start of the program would wait for it.
func CompleteProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	profiles, _ := profile.All()
	return ProfileNames(profiles), cobra.ShellCompDirectiveNoFileComp
}

// AgentNames returns the names of the agents that are known.
func AgentNames() []string {
	var names []string
	for _, agent := range agents.Known() {
		names = append(names, agent.Name)
	}
	return names
}

// KnownAgents says which agents are known, and which of them was probably meant.
func KnownAgents(meant string) string {
	names := AgentNames()
	known := "known are " + strings.Join(names, ", ")
	if near := spelling.Nearest(meant, names); near != "" {
		return "did you mean " + near + "? " + known
	}
	return known
}

// ProfileNames returns the names of profiles.
func ProfileNames(all []profile.Profile) []string {
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}
