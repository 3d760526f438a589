package acp

import (
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// createTerminal owns terminal/create: the agent has the editor run a command. A command without args is shell text, one
// with args is a program and its arguments. The rest of terminal/* is about a terminal that was let through, and passes.
func (b *Bridge) createTerminal(frame ndjson.Frame, line []byte) error {
	params, err := exactObject(frame.Params)
	if err != nil {
		return b.refuseAgent(frame, methodTerminalCreate+": "+err.Error())
	}
	session, err := params.wanted("sessionId")
	if err != nil {
		return b.refuseAgent(frame, methodTerminalCreate+": "+err.Error())
	}
	command, err := params.wanted("command")
	if err != nil {
		return b.refuseAgent(frame, methodTerminalCreate+": "+err.Error())
	}
	s := b.session(session)
	a := act{session: s, frame: frame, line: line, request: b.newRequest(s, session, permissions.ActionExecute, "functions.shell")}
	if dir := params.text("cwd"); dir != "" {
		a.request.Dir = resolved(a.request.Dir, dir)
	}
	order := TerminalOrder{Session: session, Dir: a.request.Dir}
	var script shellscan.Script
	if args := params.texts("args"); len(args) > 0 {
		order.Command = append([]string{command}, args...)
		script = shellscan.ScanArgv(order.Command)
		a.request.Argv = order.Command
		a.request.ShellText = permissions.QuoteArgv(a.request.Argv)
	} else {
		script = shellscan.Scan(command)
		order.Shell, a.request.ShellText = command, command
	}
	variables, complete := params.objects("env")
	if !complete {
		return b.refuseAgent(frame, methodTerminalCreate+": its env cannot be read in one way only")
	}
	var names []string
	for _, variable := range variables {
		name := variable.text("name")
		names = append(names, name)
		order.Environment = append(order.Environment, Variable{Name: name, Value: variable.text("value")})
	}
	if b.o.Confinement != nil {
		a.terminal, a.outputLimit = &order, slices.Clone(params["outputByteLimit"]) // the line is overwritten
	}
	a.request.Shell, a.request.TakesObligations = &script, true // see oblige
	a.request.SetsVariables(names)
	a.request.Arguments = map[string]any{"command": a.request.ShellText}
	a.request.Doubts = permissions.Doubtful(a.request.ShellText)
	a.ledger = permissions.Act{Kind: permissions.ActionExecute, Command: a.request.ShellText, Dir: a.request.Dir}
	a.what = fmt.Sprintf("run %s", a.request.ShellText)
	return b.carryOut(a)
}
