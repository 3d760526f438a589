package permissions

import (
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// SetShellText makes the request one that runs a shell text: what it runs, and whether the text can be
// believed, is read from it.
func (r *Request) SetShellText(text string) {
	script := shellscan.Scan(text, r.Commands)
	r.Shell, r.ShellText = &script, text
	r.Doubts = append(r.Doubts[:len(r.Doubts):len(r.Doubts)], Doubtful(text)...)
}

// SetArgv makes the request one that runs one command, given as words.
func (r *Request) SetArgv(argv []string) {
	script := shellscan.ScanArgv(argv, r.Commands)
	r.Shell, r.ShellText, r.Argv = &script, QuoteArgv(argv), argv
	r.Doubts = append(r.Doubts[:len(r.Doubts):len(r.Doubts)], Doubtful(r.ShellText)...)
}

// SetsVariables says which variables the act sets for its command. One can change what a command does as
// much as an argument can: PATH, LD_PRELOAD, GIT_SSH_COMMAND.
func (r *Request) SetsVariables(names []string) {
	r.Env = names
	for _, name := range names {
		r.sets(name)
		if !r.Commands.IsPlain(name, anyValue) {
			r.mayMean(name)
		}
		r.setsMore(name)
	}
}

// anyValue is what a variable may hold of which nobody knows the value: nothing that does nothing.
const anyValue = "/\x00"

// SetVariables is SetsVariables where their values are known.
func (r *Request) SetVariables(variables []Variable) {
	r.Env, r.Variables = make([]string, len(variables)), variables
	for i, v := range variables {
		if r.Env[i] = v.Name; !r.Commands.SetsNothing(v.Name, v.Value) {
			r.sets(v.Name)
		}
		if !r.Commands.IsPlain(v.Name, v.Value) {
			r.mayMean(v.Name)
		}
		if !shellscan.IsPlainValue(v.Value) {
			r.setsMore(v.Name)
		}
		if command.NamesEncoding(v.Name) && !command.KeepsEncoding(v.Name, v.Value) {
			r.cannotTell("it sets " + v.Name + ", and in some languages' encodings a shell reads other characters")
		}
	}
}

func (r *Request) sets(name string) {
	if r.Commands.ChangesCommands(name) {
		r.cannotTell("it sets " + name)
	}
}

// mayMean notes a variable as one that the command's text sets: a program that only reads may do something else by it.
func (r *Request) mayMean(name string) {
	if r.Shell != nil {
		r.Shell.Sets = append(r.Shell.Sets, name)
	}
}

// setsMore notes a variable whose value is more than a plain word, or not known.
func (r *Request) setsMore(name string) {
	if r.Shell != nil {
		r.Shell.SetsMore = append(r.Shell.SetsMore, name)
	}
}

// cannotTell adds why it cannot be told what the act runs.
func (r *Request) cannotTell(why string) {
	if r.Shell != nil {
		r.Shell.Problems = append(r.Shell.Problems, shellscan.Problem{Line: 1, Text: why})
	}
}
