package governor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/a2a-acp/a2a-acp/internal/celmistake"
)

// The bounds of an expression, so that no argument of an agent's makes it take long: CEL's own measure of
// work, and how often the time is looked at within a comprehension.
const (
	expressionCost  = 1_000_000
	expressionCheck = 1000
)

// expression is a governor that is a CEL expression over what a script would be told. True lets the act
// pass, false objects. A map says more: {"status": "reject", "messages": ["…"]}.
type expression struct {
	program cel.Program
	err     error
	verb    Verb
	message string
	yesNo   bool // it gives true or false, and nothing else
}

// CheckExpression says what is wrong with an expression; nil when it can be used.
func CheckExpression(text string) error {
	_, _, err := compileExpression(text)
	return err
}

func newExpression(spec CEL, message string) *expression {
	e := &expression{verb: spec.Otherwise, message: message}
	e.program, e.yesNo, e.err = compileExpression(spec.Expression)
	return e
}

// compileExpression compiles an expression over these variables. yesNo says that it gives true or false,
// and nothing else.
func compileExpression(text string) (program cel.Program, yesNo bool, err error) {
	env, err := cel.NewEnv(
		cel.OptionalTypes(),
		cel.Variable("phase", cel.StringType),
		cel.Variable("agent", cel.StringType),
		cel.Variable("session", cel.StringType),
		cel.Variable("door", cel.StringType),
		cel.Variable("tool", cel.StringType),
		cel.Variable("kind", cel.StringType),
		cel.Variable("call", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("params", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("paths", cel.ListType(cel.MapType(cel.StringType, cel.DynType))),
		cel.Variable("commands", cel.ListType(cel.StringType)),
		cel.Variable("policy", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("output", cel.MapType(cel.StringType, cel.DynType)),
	)
	if err != nil {
		return nil, false, err
	}
	ast, issues := env.Compile(text)
	if wrong := celmistake.First(text, issues); wrong != nil {
		return nil, false, wrong
	}
	switch kind := ast.OutputType(); {
	case kind.IsExactType(cel.BoolType), kind.IsExactType(cel.DynType), kind.Kind() == types.MapKind:
	default:
		return nil, false, &celmistake.Mistake{Line: 1, Column: 1,
			Message: fmt.Sprintf("it gives %s; want true or false, or a map with a status", kind)}
	}
	program, err = env.Program(ast, cel.CostLimit(expressionCost), cel.InterruptCheckFrequency(expressionCheck))
	return program, ast.OutputType().IsExactType(cel.BoolType), err
}

func (e *expression) judge(ctx context.Context, in *input) (answer, error) {
	if e.err != nil {
		return answer{}, e.err
	}
	value, _, err := e.program.ContextEval(ctx, variables(in))
	if err != nil {
		return answer{}, fmt.Errorf("the expression gives no answer: %s", cut(err.Error(), 300))
	}
	switch v := value.(type) {
	case types.Bool:
		if v {
			return answer{status: statusApprove}, nil
		}
		a := answer{status: verbStatus(e.verb)}
		if e.message != "" {
			a.messages = []string{e.message}
		} else {
			a.messages = []string{"its expression is false"}
		}
		return a, nil
	case traits.Mapper:
		return saidByMap(v)
	}
	return answer{}, fmt.Errorf("the expression gives %s; want true or false, or a map with a status",
		value.Type().TypeName())
}

// saidByMap reads a map as if a script had written it.
func saidByMap(v ref.Val) (answer, error) {
	native, err := v.ConvertToNative(types.JSONStructType)
	if err != nil {
		return answer{}, errors.New("the map that the expression gives is no JSON")
	}
	encoded, err := json.Marshal(native)
	if err != nil {
		return answer{}, errors.New("the map that the expression gives is no JSON")
	}
	return parseReply(encoded)
}

func verbStatus(v Verb) status {
	if v == VerbAsk {
		return statusAttention
	}
	return statusReject
}

// variables returns what is told as CEL sees it: the very JSON, with whole numbers as whole numbers.
func variables(in *input) map[string]any {
	var told map[string]any
	dec := json.NewDecoder(strings.NewReader(string(in.encoded)))
	dec.UseNumber()
	if err := dec.Decode(&told); err != nil {
		told = map[string]any{}
	}
	told, _ = plain(told).(map[string]any)
	call := child(told, "toolCall")
	commands, _ := call["commands"].([]any)
	paths, _ := call["paths"].([]any)
	return map[string]any{
		"phase": in.Phase, "agent": in.Agent, "session": in.SessionID, "door": in.Door,
		"tool": in.ToolCall.ToolID, "kind": in.ToolCall.Kind,
		"call": call, "params": child(call, "parameters"), "paths": paths, "commands": commands,
		"policy": child(told, "policy"), "output": child(told, "agentOutput"),
	}
}

func child(m map[string]any, name string) map[string]any {
	if below, ok := m[name].(map[string]any); ok {
		return below
	}
	return map[string]any{}
}

// plain gives JSON values as CEL takes them: a whole number is an int, any other a double.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String() // too large for both: a text, which compares with no number
		}
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	}
	return value
}
