package cliimport

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// The verbs that tell what a command does to the world. They are guesses, which a person is shown.
var (
	reads = strings.Fields(`get list ls show describe view status version logs log diff search find cat info inspect top
		history explain check lint validate verify tree du df size stat stats count which env print dump events ping
		api-resources api-versions cluster-info lsf lsl lsd lsjson md5sum sha1sum hashsum linters help doctor whoami browse`)
	destroys = strings.Fields(`delete del remove rm rmi rmdir destroy purge prune kill drain uninstall drop wipe clear clean
		cleanup forget erase reset revoke terminate evict purge-all delete-all truncate deletefile rmdirs disable`)
	runsOthers = strings.Fields(`exec ssh sh shell bash rsh console debug run-command plugin`)
)

// verb returns what a command is called by, without the commands above it.
func (c *command) verb() string {
	if len(c.path) == 0 {
		return ""
	}
	return strings.ToLower(c.path[len(c.path)-1])
}

// isVerb reports whether the command's name is one of the verbs, or begins or ends with one and a dash.
func (c *command) isVerb(verbs []string) bool {
	words := strings.FieldsFunc(c.verb(), func(r rune) bool { return r == '-' || r == '_' })
	return slices.Contains(verbs, c.verb()) || len(words) > 1 && slices.Contains(verbs, words[0])
}

// readsOnly reports whether the command only reads: by the program's own word, else by its name.
func (c *command) readsOnly() bool {
	if c.own != nil {
		said := c.own.Annotations.ReadOnly
		return said != nil && *said
	}
	return c.isVerb(reads) && !c.destructive() && !c.unread
}

func (c *command) destructive() bool { return c.isVerb(destroys) }

// runsOther reports whether the command runs what its arguments say.
func (c *command) runsOther() bool {
	return slices.Contains(runsOthers, c.verb()) || !c.group() && c.help.takesCommand()
}

// words is the command as a person types it.
func (c *command) words(program string) string {
	return strings.Join(append([]string{program}, c.path...), " ")
}

// selectorOf returns the selector that counts for a command.
func (m *maker) selectorOf(c *command) (config.Selector, bool) {
	for _, s := range m.Import.Selectors {
		if s.Matches(c.words(m.Program.Name), c.readsOnly()) {
			return s, true
		}
	}
	return config.Selector{}, len(m.Import.Selectors) == 0
}

// The names of flags that hold a credential, or make a call somebody else's.
var (
	credential = lazyregexp.New(`(?i)(?:^|[-_.])(?:token|password|passwd|passphrase|pwd|secrets?|credentials?|creds|` +
		`api-?key|access-?key|private-?key|client-?key|encryption-?key|bearer|pat|kubeconfig|netrc|auth-?key|pass)(?:$|[-_.])|` +
		`(?i)(?:password|passphrase|secret|token|credentials?|apikey|cookies?)$`)
	impersonation = lazyregexp.New(`(?i)^(?:as|as-.*|.*impersonate.*|sudo|run-?as|act-?as)$`)
	aboutBeing    = lazyregexp.New(`(?i)\bimpersonat`)
)

// unwanted says why a flag is left out; "" where it is wanted. own is what the program says of the command by itself,
// if it does.
func unwanted(s config.Selector, f *flag, own *ownTool) string {
	set := s.LocalFlags
	if f.inherited {
		set = s.InheritedFlags
	}
	switch {
	case f.name == "args":
		return "a call's other words are called so"
	case set.Names(f.name):
		return ""
	case set.None && f.inherited:
		return "it is one of all commands"
	case !set.Takes(f.name):
		return "it is not selected"
	case own != nil && !own.has(f.name):
		return "the program offers it to no MCP client itself"
	case credential.MatchString(f.name):
		return "it holds a credential"
	case impersonation.MatchString(f.name) || aboutBeing.MatchString(f.about):
		return "it makes the call somebody else's"
	}
	return ""
}
