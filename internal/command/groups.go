package command

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// Group is what several programs have in common that somebody asks about; see commands.yaml.
type Group string

// The groups.
const (
	Builtins                Group = "builtins"
	NetworkClients          Group = "network clients"
	NetworkReaching         Group = "network reaching"
	NetworkCommands         Group = "network commands"
	NetworkScripts          Group = "network scripts"
	Verbs                   Group = "verbs"
	Makes                   Group = "makes"
	ProjectTools            Group = "project tools"
	WholeCommands           Group = "whole commands"
	Families                Group = "families"
	Builders                Group = "builders"
	Removers                Group = "removers"
	Unpackers               Group = "unpackers"
	Copiers                 Group = "copiers"
	OtherRepositories       Group = "other repositories"
	OtherRepositoriesValues Group = "other repositories, values"
	Launchers               Group = "launchers"
	ScriptReaders           Group = "script readers"
	StartersOfAgents        Group = "starters of agents"
	VariablePrinters        Group = "variable printers"
	Splitters               Group = "splitters"
	ItemGivers              Group = "item givers"
	Opaque                  Group = "opaque"
	MetaCommands            Group = "meta commands"
	ClientWords             Group = "client words"
	NetworkAlone            Group = "network alone"
	VersionWords            Group = "version words"
	SilentClients           Group = "silent clients"
	Counters                Group = "counters"

	Asked Group = "asked" // of a person\'s own file: covered only where a rule spells the whole command
)

// group is what the file says of one, by program.
type group struct {
	names map[string]bool
	of    map[string]map[string]bool // the subcommands of a program
	// because says why a program is in the group, where that differs. Those of begins end with a *, and
	// stand for all that begin so.
	because map[string]string
	begins  []string
}

// In reports whether a program, by its name without a directory, is in a group.
func In(g Group, program string) bool {
	group := groups()[g]
	return group != nil && group.names[program] || added().groups[g][program]
}

// Subcommands returns those subcommands of a program that are in a group; nil for none.
func Subcommands(g Group, program string) map[string]bool {
	group := groups()[g]
	if group == nil {
		return nil
	}
	return group.of[program]
}

// Because says why a program is in a group; "" where it is not.
func Because(g Group, program string) string {
	group := groups()[g]
	if group == nil {
		return ""
	}
	for _, begin := range group.begins {
		if strings.HasPrefix(program, begin) {
			return group.because[begin+"*"]
		}
	}
	return group.because[program]
}

func readGroups(n plainyaml.Node) (map[Group]*group, error) {
	all := map[Group]*group{}
	for _, item := range n.Nodes {
		var is, says, of, because, names string
		if err := Entries(item, map[string]any{"is": &is, "says": &says, "of": &of, "because": &because,
			"names": &names}); err != nil {
			return nil, err
		}
		if is == "" || names == "" {
			return nil, At(item, "a group has is and names")
		}
		g := all[Group(is)]
		if g == nil {
			g = &group{names: map[string]bool{}, of: map[string]map[string]bool{}, because: map[string]string{}}
			all[Group(is)] = g
		}
		to := g.names
		if of != "" {
			if to = g.of[of]; to == nil {
				to = map[string]bool{}
				g.of[of] = to
			}
		}
		for name := range strings.FieldsSeq(names) {
			if to[name] {
				return nil, At(item, name+" stands in the group twice")
			}
			to[name] = true
			if because != "" {
				g.because[name] = because
			}
			if begin, open := strings.CutSuffix(name, "*"); open {
				g.begins = append(g.begins, begin)
			}
		}
	}
	return all, nil
}
