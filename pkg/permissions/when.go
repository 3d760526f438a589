package permissions

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/a2a-acp/a2a-acp/internal/celmistake"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of a condition: of its text, in bytes, and of what one evaluation may cost, in CEL's own units
// (a comparison is one, a search in a text about a tenth of its length). There are no loops but those over
// lists that are there.
const (
	longestCondition = 4096
	mostCost         = 100_000
)

// condition is the expression of a rule's when, compiled. What it can see:
//
//	params            the arguments, by name; a missing one is an error: has(params.url), params.?url.orValue("")
//	call.tool         the id of the tool; call.tools lists every id that the act has
//	call.action       read, write, delete, move, execute, fetch, search, switch_mode, call, other
//	call.agent        the name that the agent gave itself
//	call.session, call.door
//	call.mode         the mode that the agent is in; call.headless tells that nobody can be asked
//	call.paths        the files that it names: relative inside the workspace, absolute outside
//	call.commands     the programs that it runs; call.shell the text
//	call.env          the names of the variables that it sets
//	call.dir, call.workspace
//	call.risk         low, medium, high
//	call.request      the HTTP request that it sends: method, url, path, query, body (JSON parsed)
//	call.read_only    the tool's author says that it changes nothing
type condition struct {
	program cel.Program
	// partial is the program for an act of which some values are not known.
	partial func() (cel.Program, error)
	// arguments tells that the expression looks at params.
	arguments bool
}

// conditionEnv is what expressions are checked against. It never changes, and costs some milliseconds to
// make, so it is made when the first rule needs it.
var conditionEnv = sync.OnceValues(func() (*cel.Env, error) {
	texts := cel.ListType(cel.StringType)
	return cel.NewEnv(
		cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true), cel.ASTValidators(cel.ValidateRegexLiterals()),
		cel.Variable("params", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("call.tool", cel.StringType), cel.Variable("call.tools", texts),
		cel.Variable("call.action", cel.StringType),
		cel.Variable("call.agent", cel.StringType), cel.Variable("call.session", cel.StringType),
		cel.Variable("call.door", cel.StringType),
		cel.Variable("call.mode", cel.StringType), cel.Variable("call.headless", cel.BoolType),
		cel.Variable("call.paths", texts), cel.Variable("call.commands", texts),
		cel.Variable("call.shell", cel.StringType),
		cel.Variable("call.env", texts), cel.Variable("call.dir", cel.StringType),
		cel.Variable("call.workspace", cel.StringType),
		cel.Variable("call.request", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("call.risk", cel.StringType), cel.Variable("call.read_only", cel.BoolType),
	)
})

// conditionCheck is held while an expression is checked: a cel.Env that finds a mistake writes what the check of another
// expression reads (cel-go 0.33, checker.Env.Catalog).
var conditionCheck sync.Mutex

// callNames are the fields of call, for the hint to a misspelled one.
const callNames = "call has tool, tools, action, agent, session, door, mode, headless, paths, commands, shell, env, " +
	"dir, workspace, request, risk, read_only; arguments are in params"

// compileCondition compiles an expression. The error is one that its author can use.
func compileCondition(text string) (*condition, error) {
	if len(text) > longestCondition {
		return nil, &globError{fmt.Sprintf("the expression is longer than %d bytes", longestCondition), ""}
	}
	env, err := conditionEnv()
	if err != nil {
		return nil, err
	}
	conditionCheck.Lock()
	ast, issues := env.Compile(text)
	conditionCheck.Unlock()
	if wrong := celmistake.First(text, issues); wrong != nil {
		if wrong.Hint == "" && wrong.Undeclared {
			wrong.Hint = callNames
		}
		return nil, &globError{wrong.Error(), wrong.Hint}
	}
	if ast.OutputType() != cel.BoolType && ast.OutputType() != cel.DynType {
		return nil, &globError{fmt.Sprintf("the expression gives %s, and a condition is true or false",
			ast.OutputType()), "compare it with something"}
	}
	options := []cel.ProgramOption{cel.CostLimit(mostCost), cel.InterruptCheckFrequency(1000)}
	program, err := env.Program(ast, options...)
	if err != nil {
		return nil, &globError{err.Error(), ""}
	}
	c := &condition{program: program, arguments: strings.Contains(text, "params")}
	c.partial = sync.OnceValues(func() (cel.Program, error) {
		return env.Program(ast, append(options, cel.EvalOptions(cel.OptPartialEval))...)
	})
	return c, nil
}

// matchWhen asks the expression. Where it ends in an error (a missing argument, too much work), an approval
// does not match, and a rule that stops does.
func (c *compiledRule) matchWhen(v *evaluation) (holds, string) {
	if c.when == nil {
		return yes, ""
	}
	is, err := c.when.ask(v)
	shownText := display.Line(shortened(c.When))
	switch {
	case errors.Is(err, errWithheld):
		return untold, fmt.Sprintf("when: %s: a value that it needs is not on record", shownText)
	case err != nil && c.Verdict == Approve:
		return no, fmt.Sprintf("when: %s: %s", shownText, display.Line(err.Error()))
	case err != nil:
		return yes, fmt.Sprintf("when: %s ended in an error, which counts as a match of a rule that stops: %s",
			shownText, display.Line(err.Error()))
	case !is:
		return no, fmt.Sprintf("when: %s is false", shownText)
	}
	return yes, ""
}

var errWithheld = errors.New("a value is not on record")

func (c *condition) ask(v *evaluation) (bool, error) {
	variables := v.variables()
	if len(v.Withheld) > 0 && c.arguments {
		return c.askPartial(v, variables)
	}
	out, _, err := c.program.Eval(variables)
	return truth(v, out, err)
}

// askPartial asks about an act of which some arguments are not known: often the rest is enough.
func (c *condition) askPartial(v *evaluation, variables map[string]any) (bool, error) {
	program, err := c.partial()
	if err != nil {
		return false, err
	}
	var unknown []*cel.AttributePatternType
	for name := range v.Withheld {
		unknown = append(unknown, cel.AttributePattern("params").QualString(name))
	}
	partial, err := cel.PartialVars(variables, unknown...)
	if err != nil {
		return false, err
	}
	out, _, err := program.Eval(partial)
	if types.IsUnknown(out) {
		return false, errWithheld
	}
	return truth(v, out, err)
}

// truth reads what an expression came to. Where arguments are secret, its errors may tell them (int("…")
// does).
func truth(v *evaluation, out any, err error) (bool, error) {
	if err != nil && len(v.Secret) > 0 {
		return false, errors.New("it ended in an error that may tell a secret argument")
	}
	if err != nil {
		return false, err
	}
	is, ok := out.(types.Bool)
	if !ok {
		return false, errors.New("it is neither true nor false")
	}
	return bool(is), nil
}

// variables are what expressions see of the act. They are made once for all rules.
func (v *evaluation) variables() map[string]any {
	if v.variablesSeen != nil {
		return v.variablesSeen
	}
	id := ""
	if len(v.Tools) > 0 {
		id = v.Tools[0]
	}
	paths, programs := []string{}, []string{}
	for _, p := range v.resources {
		name := p.name
		if p.err == nil {
			name = p.real
			if relative, ok := v.Workspace.Rel(p.real); ok {
				name = relative
			}
		}
		paths = append(paths, name)
	}
	if v.shell != nil {
		for _, c := range v.shell.commands {
			programs = append(programs, c.Name)
		}
	}
	params, _ := plainValue(v.Arguments).(map[string]any)
	if params == nil {
		params = map[string]any{}
	}
	sent := nothingSent
	if v.Sent != nil {
		sent, _ = plainValue(v.Sent).(map[string]any)
	}
	v.variablesSeen = map[string]any{
		"call.request": sent,
		"params":       params, "call.tool": id, "call.tools": listOf(known(v.Tools)),
		"call.action": string(v.Action), "call.agent": v.Agent,
		"call.session": v.Session, "call.door": string(v.Door), "call.mode": v.Mode, "call.headless": v.Headless,
		"call.paths": paths, "call.commands": programs, "call.shell": v.ShellText, "call.env": listOf(v.Env),
		"call.dir": v.Dir, "call.workspace": v.Workspace.Root, "call.risk": v.danger().risk.String(),
		"call.read_only": v.ReadOnly,
	}
	return v.variablesSeen
}

func listOf(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// plainValue returns a JSON value as CEL counts with it: whole numbers as int, others as double.
func plainValue(value any) any {
	return tool.MapLeaves(value, func(leaf any) any {
		number, ok := leaf.(json.Number)
		if !ok {
			return leaf
		}
		if n, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
			return n
		}
		if f, err := number.Float64(); err == nil {
			return f
		}
		return number.String()
	})
}

// shortened cuts a text that stands in a message.
func shortened(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return display.Cut(text, most) + "…"
}
