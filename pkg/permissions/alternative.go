package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of a hint: it is read by a model, with every refusal.
const (
	mostHinted   = 6  // commands that are named
	mostProbed   = 20 // commands of a text, and rules' commands, that are looked at
	longestLabel = 40 // bytes of a command's name
)

// Alternatives says in a sentence what would be allowed in place of an act that was not, without anybody
// being asked; "" when there is nothing to say. Everything in it was put to the rules in force. It speaks of
// what they approve, and never of what a rejecting rule looks for, so that nobody learns to get past one.
func (a *Authority) Alternatives(r Request) (words string) {
	defer a.sayPanic(&words, "nothing can be said: ")
	var said []string
	if r.Shell != nil {
		said = append(said, a.alternativesToCommand(r)...)
	}
	if r.Shell == nil && r.Action != ActionCall {
		if allowed := a.filesAllowed(r); allowed != "" {
			said = append(said, "allowed without asking: "+allowed)
		}
	}
	return strings.Join(said, "; ")
}

// alternativesToCommand names the commands of a text that keep it from being approved, those that do not, and
// what else of the same programs is approved.
func (a *Authority) alternativesToCommand(r Request) (said []string) {
	approved := a.approvedCommands(r)
	var fine, not, programs []string
	for _, c := range r.Shell.Commands[:min(len(r.Shell.Commands), mostProbed)] {
		label := labelOf(c, approved)
		argv, fixed := argvOf(c)
		if fixed && a.approves(r, argv) {
			fine = append(fine, label)
			continue
		}
		not = append(not, label)
		programs = append(programs, c.Name)
	}
	fine, not = once(fine), once(not)
	fine = slices.DeleteFunc(fine, func(label string) bool { return slices.Contains(not, label) })
	if problems := r.Shell.Problems; len(problems) > 0 && a.Decide(r).Verdict != Reject {
		said = append(said, "nobody can tell all that it runs: "+display.Line(problems[0].Text))
	}
	if len(not) > 0 && len(fine) > 0 {
		said = append(said, fmt.Sprintf("not allowed by itself: %s; allowed: %s", quotedList(not),
			quotedList(fine)))
	}
	var others []string
	for _, prefix := range approved {
		label := strings.Join(prefix, " ")
		if slices.Contains(programs, prefix[0]) && !slices.Contains(fine, label) &&
			!slices.Contains(not, label) && a.approves(r, prefix) {
			others = append(others, label)
		}
		if len(others) == mostHinted {
			break
		}
	}
	if len(others) > 0 {
		said = append(said, "allowed without asking: "+quotedList(others))
	}
	return said
}

// approvedCommands are the first words of commands that approving rules name.
func (a *Authority) approvedCommands(r Request) (prefixes [][]string) {
	for _, file := range a.policies.files {
		if file.tightens(r.Workspace) {
			continue
		}
		for _, rule := range file.rules {
			if rule.Verdict != Approve || rule.fault != "" {
				continue
			}
			for _, list := range rule.commands {
				prefixes = append(prefixes, list.prefixes...)
			}
		}
	}
	return prefixes
}

// approves asks the rules about one command, alone.
func (a *Authority) approves(r Request, argv []string) bool {
	script := shellscan.ScanArgv(argv, a.commands)
	r.Shell, r.ShellText, r.Prompt, r.Doubts, r.RequiresConfirmation = &script, strings.Join(argv, " "),
		false, nil, false
	r.Arguments = map[string]any{"command": r.ShellText}
	return a.Decide(r).Verdict == Approve
}

// filesAllowed tells what may be done with plain files of the workspace.
func (a *Authority) filesAllowed(r Request) string {
	if r.Workspace.Root == "" {
		return ""
	}
	var words []string
	for _, act := range []struct {
		action Action
		tool   string
		words  string
	}{
		{ActionRead, "functions.acp_fs__read_text_file", "reading plain files inside the workspace"},
		{ActionWrite, "functions.acp_fs__write_text_file", "writing plain files inside the workspace"},
	} {
		probe := Request{
			Door: tool.DoorACP, Action: act.action, Tools: []string{act.tool}, Agent: r.Agent, Session: r.Session,
			Principal: r.Principal, Served: r.Served,
			Workspace: r.Workspace, Dir: r.Workspace.Root,
			Paths: []Path{{Name: filepath.Join(r.Workspace.Root, "some", "plain-file.txt"),
				Write: act.action == ActionWrite}},
		}
		if a.Decide(probe).Verdict == Approve {
			words = append(words, act.words)
		}
	}
	return strings.Join(words, ", ")
}

// subcommand is a word that says what a program is to do. What looks otherwise may be a value, and values
// may be secret.
var subcommand = lazyregexp.New(`^[a-z][a-z-]{1,20}$`)

// labelOf names a command without its arguments: the program, and its subcommand where rules tell those of
// it apart.
func labelOf(c shellscan.Command, approved [][]string) string {
	name := c.Name
	if len(name) > longestLabel {
		name = name[:longestLabel] + "…"
	}
	apart := slices.ContainsFunc(approved,
		func(prefix []string) bool { return len(prefix) > 1 && prefix[0] == c.Name })
	if apart && len(c.Args) > 0 && c.Args[0].Fixed && subcommand.MatchString(c.Args[0].Text) {
		name += " " + c.Args[0].Text
	}
	return display.Line(name)
}

func argvOf(c shellscan.Command) ([]string, bool) {
	words, fixed := fixedWords(c.Args)
	return append([]string{c.Name}, words...), fixed && c.Name != ""
}

func once(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// quotedList writes a list of commands, its beginning when it is long.
func quotedList(list []string) string {
	more := ""
	if len(list) > mostHinted {
		list, more = list[:mostHinted], " and others"
	}
	return "`" + strings.Join(list, "`, `") + "`" + more
}
