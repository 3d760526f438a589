package command

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/plainyaml"
)

// Group is what several programs have in common that somebody asks about; see commands.yaml.
type Group string

// The groups.
const (
	Builtins        Group = "builtins"
	NetworkClients  Group = "network clients"
	NetworkReaching Group = "network reaching"
	NetworkCommands Group = "network commands"
	NetworkScripts  Group = "network scripts"
	Verbs           Group = "verbs"
	Makes           Group = "makes"
	ProjectTools    Group = "project tools"
)

// group is what the file says of one, by program.
type group struct {
	names map[string]bool
	of    map[string]map[string]bool // the subcommands of a program
}

// In reports whether a program, by its name without a directory, is in a group.
func In(g Group, program string) bool {
	group := groups()[g]
	return group != nil && group.names[program]
}

// Subcommands gives those subcommands of a program that are in a group; nil for none.
func Subcommands(g Group, program string) map[string]bool {
	group := groups()[g]
	if group == nil {
		return nil
	}
	return group.of[program]
}

// Names lists the programs of a group.
func Names(g Group) map[string]bool {
	if group := groups()[g]; group != nil {
		return group.names
	}
	return nil
}

func readGroups(n plainyaml.Node) (map[Group]*group, error) {
	all := map[Group]*group{}
	for _, item := range n.Nodes {
		var is, says, of, names string
		if err := Entries(item, map[string]any{"is": &is, "says": &says, "of": &of, "names": &names}); err != nil {
			return nil, err
		}
		if is == "" || names == "" {
			return nil, At(item, "a group has is and names")
		}
		g := all[Group(is)]
		if g == nil {
			g = &group{names: map[string]bool{}, of: map[string]map[string]bool{}}
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
		}
	}
	return all, nil
}
