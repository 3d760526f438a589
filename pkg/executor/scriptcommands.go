package executor

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// scanDynamic reads the commands that come from values of this call, so that rules can be about them.
func (a *act) scanDynamic() {
	if len(workOf(a.invocation).dynamic) == 0 {
		return
	}
	all := &shellscan.Script{}
	var texts []string
	for _, command := range workOf(a.invocation).dynamic {
		one := a.scan(command)
		all.Commands = append(all.Commands, one.Commands...)
		all.Writes = append(all.Writes, one.Writes...)
		all.Reads = append(all.Reads, one.Reads...)
		all.Problems = append(all.Problems, one.Problems...)
		all.Redirections = append(all.Redirections, one.Redirections...)
		if command.Argv != nil {
			texts = append(texts, shownArgv(a.tool, command.Argv))
			if len(workOf(a.invocation).dynamic) == 1 {
				a.request.Argv = command.Argv
			}
		} else {
			texts = append(texts, command.Text)
		}
	}
	// A program's own flag of that name is about what the program does.
	if dir := workDir(a.tool, a.arguments, a.invocation.Dir); dir != a.invocation.Dir && a.tool.Exec == nil {
		all.Problems = append(all.Problems,
			shellscan.Problem{Line: 1,
				Text: "it runs in " + display.Line(dir) + ", where its names are those of other files"})
	}
	a.request.Shell = all
	a.request.OwnProgram = a.tool.Exec != nil && !a.tool.AllowDynamicCommand
	a.request.ShellText = strings.Join(texts, "\n")
	a.request.Doubts = append(a.request.Doubts, permissions.Doubtful(a.request.ShellText)...)
	a.hidePieces()
}

// shownArgv is the text of a command that is given as words. Of one that a script's parameter holds it is the
// words as they stand there, which answers of earlier questions are about.
func shownArgv(t *tool.Tool, words []string) string {
	if t.Exec != nil {
		return permissions.QuoteArgv(words)
	}
	return strings.Join(words, " ")
}

func (a *act) scan(command tool.DynamicCommand) shellscan.Script {
	if command.Argv != nil {
		return shellscan.ScanArgv(command.Argv, a.in.Commands)
	}
	return shellscan.Scan(command.Text, a.in.Commands)
}

// hidePieces makes secrets of the words that a secret value falls into where it is part of a command that
// the call chose: those that are not among the command's words when the value is masked first.
func (a *act) hidePieces() {
	if len(a.secrets) == 0 {
		return
	}
	public := map[string]bool{"": true}
	for _, command := range workOf(a.invocation).dynamic {
		masked := tool.DynamicCommand{Text: a.mask(command.Text)}
		for _, word := range command.Argv {
			masked.Argv = append(masked.Argv, a.mask(word))
		}
		for _, word := range words(a.scan(masked)) {
			public[word] = true
		}
	}
	for _, word := range words(*a.request.Shell) {
		if !public[word] {
			public[word] = true // once is enough
			a.secrets = append(a.secrets, word, display.Line(word))
		}
	}
	permissions.LongestFirst(a.secrets)
}

// words are all texts in a script that a rule, and so its reason, or the record can name.
func words(s shellscan.Script) []string {
	var all []string
	for _, command := range s.Commands {
		all = append(all, command.Name)
		for _, arg := range command.Args {
			all = append(all, arg.Text)
		}
	}
	for _, write := range s.Writes {
		all = append(all, write.Path)
	}
	for _, read := range s.Reads {
		all = append(all, read.Path)
	}
	return all
}
