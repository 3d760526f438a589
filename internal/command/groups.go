package command

import "github.com/a2a-acp/a2a-acp/internal/plainyaml"

// Group is what several programs have in common that somebody asks about; see commands.yaml.
type Group string

// The groups.
const (
	NetworkClients          Group = "network clients"
	NetworkCommands         Group = "network commands"
	NetworkScripts          Group = "network scripts"
	Verbs                   Group = "verbs"
	TestsAndBuilds          Group = "tests and builds"
	Targets                 Group = "targets"
	PackageCommands         Group = "package commands"
	LinkedPackages          Group = "linked packages"
	Makes                   Group = "makes"
	WholeCommands           Group = "whole commands"
	Families                Group = "families"
	Builders                Group = "builders"
	Copiers                 Group = "copiers"
	CommandRunners          Group = "command runners"
	OtherRepositories       Group = "other repositories"
	OtherRepositoriesValues Group = "values of other repositories"
	Launchers               Group = "launchers"
	ReadAlike               Group = "read alike"
	StartersOfAgents        Group = "starters of agents"
	ShellState              Group = "shell state"
	VariablePrinters        Group = "variable printers"
	Splitters               Group = "splitters"
	ProjectOperands         Group = "project operands"
	Kinds                   Group = "kinds"
	ItemGivers              Group = "item givers"
	LineFilters             Group = "line filters"
	OtherOutput             Group = "other output"
	Listers                 Group = "listers"
	ListerOptions           Group = "options of listers"
	PatternOptions          Group = "options of patterns"
	NullOptions             Group = "options of null"
	RemotePrefixes          Group = "remote prefixes"
	HandingOn               Group = "handing on"
	MetaCommands            Group = "meta commands"
	ClientWords             Group = "client words"
	NetworkAlone            Group = "network alone"
	VersionWords            Group = "version words"
	CodeFinders             Group = "finders of code"
	CodeCheckers            Group = "checkers of code"
	ModuleOptions           Group = "module options"
	SilentClients           Group = "silent clients"
	HostOperands            Group = "host operands"
	Counters                Group = "counters"
	RepositoryTools         Group = "repository tools"
	FileWorkers             Group = "file workers"
	Scripts                 Group = "scripts"
	Packers                 Group = "packers"
	ImagePackers            Group = "packers of images"
	DirectoryPackers        Group = "packers of a directory"
	Takers                  Group = "takers"
	NewTakers               Group = "takers of new files"
	OperandTakers           Group = "takers of operands"
	IgnoredTakers           Group = "takers of ignored files"
	TakingNothing           Group = "taking nothing"
	Templaters              Group = "templaters"
	Recipes                 Group = "recipes"
	Quoters                 Group = "quoters"
	Showers                 Group = "showers of changes"
	NameKeepers             Group = "keepers of names"
	PassingOn               Group = "passing on"
)

// OpenGroup is a group that a person's own commands.yaml can put a program in, too.
type OpenGroup Group

// The open groups.
const (
	Asked           OpenGroup = "asked" // covered only where a rule spells the whole command; none of ours is
	NetworkReaching OpenGroup = "network reaching"
	ProjectTools    OpenGroup = "project tools"
	Removers        OpenGroup = "removers"
	Unpackers       OpenGroup = "unpackers"
)

// In reports whether a program, by its name without a directory, is in a group.
func In(g Group, program string) bool { return programs().named(program).is[g] }

// In reports whether a program, by its name without a directory, is in a group.
func (c *Catalogue) In(g OpenGroup, program string) bool {
	return In(Group(g), program) || c.own().groups[g][program]
}

// Subcommands returns those subcommands and other words of a program that are in a group; nil for none.
func Subcommands[G Group | OpenGroup](g G, program string) map[string]bool {
	return programs().named(program).groups[Group(g)]
}

// Opaque says why it cannot be told what a program runs, whatever its words are; "" where it can.
func Opaque(program string) (why string) { return programs().named(program).opaque }

// Builtin reports whether bash does a command itself.
func Builtin(name string) bool { return builtins()[name] }

// readGroups reads those of the words of a program.
func readGroups(n plainyaml.Node) (map[Group]map[string]bool, error) {
	all := map[Group]map[string]bool{}
	for _, item := range n.Nodes {
		var is, names string
		if err := Entries(item, map[string]any{"is": &is, "names": &names}); err != nil {
			return nil, err
		}
		if is == "" || names == "" || all[Group(is)] != nil {
			return nil, At(item, "want is, which stands there once, and names")
		}
		all[Group(is)] = set(names)
	}
	return all, nil
}
