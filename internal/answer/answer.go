package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Reading is what an author says of the answers to a tool's requests, compiled. It never changes and is safe for
// concurrent use. The nil Reading takes every answer as it is.
type Reading struct {
	pick  path
	shape *expression
	when  []*expression
	pages *pages
	job   *job
	// stream says what the answer is a stream of; "" for none.
	stream tool.StreamKind
}

// expressionSees is the cure of an expression.
const expressionSees = "an expression sees status, headers and body"

// Compile reads what an author says of answers: what is in the tool, and the conditions of its error_mapping. Its
// errors are *Mistake.
func Compile(result tool.Answer, when []string) (*Reading, []error) {
	var wrong []error
	r := &Reading{stream: result.Stream}
	var err error
	if r.pick, err = parsePath(result.Pick); err != nil {
		wrong = append(wrong, &Mistake{At: "result.pick", Message: err.Error()})
	}
	if result.Shape != "" {
		if r.shape, err = compile(result.Shape, false); err != nil {
			wrong = append(wrong, &Mistake{At: "result.shape", Message: err.Error(), Cure: expressionSees})
		}
	}
	for i, text := range when {
		e, err := compile(text, true)
		if err != nil {
			wrong = append(wrong, &Mistake{At: "when", Item: i, Message: err.Error(), Cure: expressionSees})
		}
		r.when = append(r.when, e)
	}
	if result.Pages != (tool.Pages{}) {
		if r.pages, err = newPages(result.Pages); err != nil {
			wrong = append(wrong, err)
		}
	}
	if result.Job.IsJob() {
		var picked path
		if r.job, picked, err = newJob(result.Job); err != nil {
			wrong = append(wrong, err)
		}
		if picked != nil {
			r.pick = picked
		}
	}
	if r.stream != "" && (r.pages != nil || r.job != nil || len(r.when) > 0) {
		wrong = append(wrong, &Mistake{At: "result.stream", Message: "paginate, poll and conditions of error_mapping look at a whole " +
			"answer, and a stream is told as it comes", Cure: "take stream out, or what it does not go with"})
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	if r.stream == "" && r.pick == nil && r.shape == nil && r.pages == nil && r.job == nil && len(r.when) == 0 {
		return nil, nil
	}
	return r, nil
}

// Mistake is something wrong with what an author says, and where that stands: under http, or which item of when.
type Mistake struct {
	At      string
	Item    int
	Message string
	Cure    string // "" where the message says it
}

func (m *Mistake) Error() string { return m.Message }

// Whole reports whether the answer has to be there as a whole before anything can be said of it.
func (r *Reading) Whole() bool { return r != nil && r.stream == "" }

// Meaning returns which of the conditions holds, the first that does; -1 for none. One that cannot be decided, such as
// about a member that is not there, does not hold.
func (r *Reading) Meaning(a Answer) int {
	if r == nil || len(r.when) == 0 {
		return -1
	}
	v := variables(a)
	for i, e := range r.when {
		if is, err := e.holds(v); err == nil && is {
			return i
		}
	}
	return -1
}

// Result returns the part of an answer that is the tool's result, as JSON; the whole, as it is, where the author says
// nothing of that. The error says what is not there, and holds nothing of the answer.
func (r *Reading) Result(a Answer) ([]byte, error) {
	if r == nil || r.pick == nil && r.shape == nil {
		return a.Body, nil
	}
	body := bytes.TrimSpace(a.Body)
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, errors.New("the answer is no JSON")
	}
	if r.pick != nil {
		picked, ok := r.pick.in(body)
		if !ok {
			return nil, fmt.Errorf("the answer has nothing at %s", r.pick)
		}
		body = picked
	}
	if r.shape == nil {
		return body, nil
	}
	a.Body = body
	return r.shape.value(variables(a))
}

// path leads to a part of JSON. Nil leads nowhere.
type path []string

// parsePath reads a JSON pointer (RFC 6901), or names with dots between them, as seed 002 has it.
func parsePath(text string) (path, error) {
	switch {
	case text == "":
		return nil, nil
	case text == "$" || text == "/":
		return path{}, nil
	case strings.HasPrefix(text, "/"):
		var p path
		for _, part := range strings.Split(text[1:], "/") {
			p = append(p, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
		return p, nil
	}
	text = strings.TrimPrefix(text, "$.")
	var p path
	for _, part := range strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(text), ".") {
		if part == "" || strings.ContainsAny(part, "*?@()'\"") {
			return nil, errors.New("want a JSON pointer such as /data/items, or names with dots such as data.items")
		}
		p = append(p, part)
	}
	return p, nil
}

func (p path) String() string {
	var b strings.Builder
	for _, part := range p {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}

// in returns the part of a value, byte for byte.
func (p path) in(value json.RawMessage) (json.RawMessage, bool) {
	for _, part := range p {
		value = bytes.TrimSpace(value)
		if len(value) == 0 {
			return nil, false
		}
		switch value[0] {
		case '{':
			var object map[string]json.RawMessage
			if json.Unmarshal(value, &object) != nil {
				return nil, false
			}
			member, ok := object[part]
			if !ok {
				return nil, false
			}
			value = member
		case '[':
			i, ok := index(part)
			var list []json.RawMessage
			if !ok || json.Unmarshal(value, &list) != nil || i >= len(list) {
				return nil, false
			}
			value = list[i]
		default:
			return nil, false
		}
	}
	return bytes.TrimSpace(value), true
}

// index reads an index as RFC 6901 has it: no sign, no zero before another digit.
func index(text string) (int, bool) {
	if text == "" || len(text) > 9 || len(text) > 1 && text[0] == '0' {
		return 0, false
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
