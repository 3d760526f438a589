package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2a-acp/a2a-acp/internal/celmistake"
)

// The bounds of an expression: of its text, in bytes, and of what one evaluation may cost, in CEL's own units. What it
// looks at is a stranger's.
const (
	longestExpression = 4096
	mostCost          = 1_000_000
)

// expression is one over an answer:
//
//	status    the status, a number
//	headers   the headers, by their names in small letters; several of a name are one text, with ", " between them
//	body      the body: JSON as data, anything else as a text
type expression struct{ program cel.Program }

// env is what expressions are checked against; made when the first is read, since that takes some milliseconds.
var env = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true), cel.ASTValidators(cel.ValidateRegexLiterals()),
		cel.Variable("status", cel.IntType), cel.Variable("headers", cel.MapType(cel.StringType, cel.StringType)),
		cel.Variable("body", cel.DynType))
})

// checking is held while an expression is checked: a cel.Env that finds a mistake writes what the check of another
// expression reads (cel-go 0.33, checker.Env.Catalog).
var checking sync.Mutex

// compile compiles an expression; a condition is one that is true or false.
func compile(text string, condition bool) (*expression, error) {
	if len(text) > longestExpression {
		return nil, fmt.Errorf("the expression is longer than %d bytes", longestExpression)
	}
	env, err := env()
	if err != nil {
		return nil, err
	}
	checking.Lock()
	ast, issues := env.Compile(text)
	checking.Unlock()
	if wrong := celmistake.First(text, issues); wrong != nil {
		return nil, wrong
	}
	if kind := ast.OutputType(); condition && kind != cel.BoolType && kind != cel.DynType {
		return nil, fmt.Errorf("the expression gives %s, and a condition is true or false", kind)
	}
	program, err := env.Program(ast, cel.CostLimit(mostCost), cel.InterruptCheckFrequency(1000))
	if err != nil {
		return nil, err
	}
	return &expression{program}, nil
}

func (e *expression) holds(v map[string]any) (bool, error) {
	value, _, err := e.program.Eval(v)
	if err != nil {
		return false, err
	}
	is, ok := value.(types.Bool)
	return bool(is), errors.Join(map[bool]error{false: errors.New("it is neither true nor false")}[ok])
}

// value evaluates the expression and returns what it gives, as JSON. Neither the library's words nor any part of the
// answer stand in the error.
func (e *expression) value(v map[string]any) ([]byte, error) {
	value, _, err := e.program.Eval(v)
	if err != nil {
		return nil, errors.New("result: shape gives nothing of this answer; what it names may be missing there")
	}
	native, err := value.ConvertToNative(types.JSONValueType)
	if err != nil {
		return nil, errors.New("result: shape gives something that is no JSON")
	}
	message, ok := native.(*structpb.Value)
	if !ok {
		return nil, errors.New("result: shape gives something that is no JSON")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(message.AsInterface()); err != nil {
		return nil, errors.New("result: shape gives something that is no JSON")
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// variables are what an expression sees of an answer.
func variables(a Answer) map[string]any {
	headers := map[string]string{}
	for name, values := range a.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return map[string]any{"status": int64(a.Status), "headers": headers, "body": data(a.Body)}
}

// data is a body as data, with whole numbers told from others.
func data(body []byte) any {
	if !utf8.Valid(body) {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return string(body)
	}
	return plain(value)
}

func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = plain(member)
		}
	case []any:
		for i, item := range v {
			v[i] = plain(item)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return math.Inf(1)
		}
		return f
	}
	return value
}
