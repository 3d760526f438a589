package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Terminals has the editor run a command exactly as it was decided about. What editors make of the words of
// terminal/create differs: some join them by blanks and give them to the person's shell, some start them as
// they are. Safe for concurrent use.
type Terminals interface {
	// Terminal returns a command that every editor starts alike, and that runs the one that was ordered,
	// once. An error says why it cannot be run.
	Terminal(TerminalOrder) (command string, args []string, err error)
}

// TerminalOrder is a command that an agent wants to be run in a terminal of the editor's.
type TerminalOrder struct {
	Session     string
	Command     []string // a program and its arguments
	Shell       string   // or shell text
	Dir         string   // absolute, without links
	Environment []permissions.Variable
}

// createTerminal owns terminal/create: the agent has the editor run a command. A command without args is
// shell text, one with args is a program and its arguments. The rest of terminal/* is about a terminal that
// was let through, and passes.
func (b *Bridge) createTerminal(frame ndjson.Frame, line []byte) error {
	p := readParams(frame.Params)
	session, command, args := p.text("sessionId"), p.text("command"), p.texts("args")
	dir, elsewhere := p.optional("cwd")
	order := TerminalOrder{Environment: p.variables("env")}
	limit := p.count("outputByteLimit")
	more := p.meta()
	unknown := p.others()
	if strings.ContainsRune(command+strings.Join(args, ""), 0) {
		p.fail("command: it holds a NUL, at which some readers end it")
	}
	if p.err() != nil {
		return b.refuseAgent(frame, methodTerminalCreate+": "+p.err().Error())
	}
	if limit != nil {
		more = append(more, member{"outputByteLimit", bytes.Clone(limit)})
	}
	more = append(more, unknown...)
	s, session := b.agentsSession(session)
	order.Session = session
	a := &act{session: s, frame: frame, line: line, unknown: unknown,
		request: b.newRequest(s, session, permissions.ActionExecute, "functions.shell")}
	if !elsewhere {
		dir = a.request.Dir
	}
	a.setDir(dir)
	p.trace(&a.request)
	a.request.Commands = b.o.Gate.Commands(a.request.Workspace)
	if len(args) > 0 {
		order.Command = append([]string{command}, args...)
		a.request.SetArgv(order.Command)
	} else {
		order.Shell = command
		a.request.SetShellText(command)
	}
	a.request.SetVariables(order.Environment)
	a.request.TakesObligations = true // see terminalParams
	a.request.Arguments = map[string]any{"command": a.request.ShellText}
	a.request.Doubts = append(a.request.Doubts, doubtUnknown(unknown)...)
	order.Dir = a.request.Dir
	a.effect = gate.Effect{
		Kind: permissions.ActionExecute, Command: order.Shell, Argv: order.Command, Dir: order.Dir,
		Env:  order.Environment,
		More: nameMore(more),
	}
	a.terminal, a.params = &order, more
	a.what = fmt.Sprintf("run %s", a.request.ShellText)
	return b.carryOut(a)
}

// setDir says in which directory the act's command runs.
func (a *act) setDir(dir string) {
	real, err := permissions.Resolve(a.request.Dir, dir)
	if err != nil {
		a.fault = err.Error()
		return
	}
	a.request.Dir = real
}

// variables returns the environment variables of a list. Which of two of one name counts is not the same
// everywhere, so there are none.
func (p *params) variables(key string) (list []permissions.Variable) {
	for _, entry := range p.objects(key) {
		v := permissions.Variable{Name: entry.text("name"), Value: entry.text("value")}
		entry.noMore()
		switch {
		case p.err() != nil:
			return nil
		case v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.ContainsRune(v.Value, 0):
			p.fail("%s: %q is no variable", key, v.Name)
		case slices.ContainsFunc(list, func(other permissions.Variable) bool { return other.Name == v.Name }):
			p.fail("%s: %s stands there twice", key, v.Name)
		}
		list = append(list, v)
	}
	return list
}

// terminalParams writes what the editor is to run: the command that was decided about, or what runs it. The
// variables that the decision obliges to hold, whatever the agent sets.
func (b *Bridge) terminalParams(a *act, obligation permissions.Obligation) ([]member, error) {
	order := *a.terminal
	order.Environment = over(order.Environment, obligation.Environment)
	command, args, env := order.Shell, order.Command, order.Environment
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	terminals, more := b.o.Terminals, a.params
	if b.o.Confinement != nil {
		// Nothing that nobody knows reaches the program that makes the sandbox.
		terminals = b.o.Confinement
		more = slices.DeleteFunc(slices.Clone(more), func(m member) bool { return m.key != "outputByteLimit" })
	}
	if terminals != nil {
		var err error
		if command, args, err = terminals.Terminal(order); err != nil {
			return nil, fmt.Errorf("the command cannot be run as it was decided about: %w", err)
		}
		env = nil // they wait with the command: LD_PRELOAD would change the program that starts it
	}
	members := []member{{"sessionId", encode(a.request.Session)}, {"command", encode(command)}}
	if len(args) > 0 {
		members = append(members, member{"args", encode(args)})
	}
	if len(env) > 0 {
		list := make([]Variable, len(env))
		for i, v := range env {
			list[i] = Variable(v)
		}
		members = append(members, member{"env", encode(list)})
	}
	members = append(members, member{"cwd", encode(a.session.editorsName(a.terminal.Dir))})
	return append(members, more...), nil
}

// over puts variables in the place of those of their names.
func over(variables, stronger []permissions.Variable) []permissions.Variable {
	left := slices.DeleteFunc(slices.Clone(variables), func(v permissions.Variable) bool {
		return slices.ContainsFunc(stronger, func(s permissions.Variable) bool { return s.Name == v.Name })
	})
	return append(left, stronger...)
}

// withoutTerminals returns the content of a card without the terminals in it, which it returns, too: what
// runs there prints whatever it likes, be it that of another card or session, or one that the editor has yet
// to make, whose id the agent has guessed.
func withoutTerminals(content []byte) (rest []byte, terminals []string) {
	kept := []json.RawMessage{}
	for item := range ndjson.Elements(content) {
		members, err := exactObject(item)
		if id := members.text("terminalId"); err == nil && (id != "" || members.text("type") == "terminal") {
			terminals = append(terminals, id)
			continue
		}
		kept = append(kept, item)
	}
	if terminals == nil {
		return content, nil
	}
	return encode(kept), terminals
}
