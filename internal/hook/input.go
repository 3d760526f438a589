package hook

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// input is what a tool gets. A member is found by its very name, as the agent's tool finds it: for
// encoding/json "Content" would be "content", and a person would be shown what the tool does not get.
type input struct {
	members map[string]json.RawMessage
	wrong   error // what is of another type than the tools here have it; the first of it
}

// readEvent reads what a hook is told. A key that stands there twice, or in another case beside itself, is an
// error: the agent would go by one value, and we by the other.
func readEvent(event []byte) (*input, error) {
	if err := ndjson.StrictKeys(event); err != nil {
		return nil, err
	}
	return readInput(event)
}

func readInput(object json.RawMessage) (*input, error) {
	in := &input{}
	if err := json.Unmarshal(object, &in.members); err != nil {
		return nil, err
	}
	return in, nil
}

// text returns a member that is a text; "" where it is none, or not there.
func (in *input) text(name string) string {
	if text := in.optional(name); text != nil {
		return *text
	}
	return ""
}

// optional returns a member that is a text; nil where it is none, or not there.
func (in *input) optional(name string) (text *string) {
	in.read(name, &text)
	return text
}

// objects returns a member that is a list of objects.
func (in *input) objects(name string) (list []*input) {
	var objects []json.RawMessage
	in.read(name, &objects)
	for _, object := range objects {
		inner, err := readInput(object)
		if err != nil {
			in.fail(name, err)
			continue
		}
		list = append(list, inner)
	}
	return list
}

func (in *input) read(name string, into any) {
	if value, given := in.members[name]; given {
		if err := json.Unmarshal(value, into); err != nil {
			in.fail(name, err)
		}
	}
}

func (in *input) fail(name string, err error) {
	if in.wrong == nil {
		in.wrong = fmt.Errorf("%s: %w", name, err)
	}
}

// has reports whether there are no other members than these.
func (in *input) has(names ...string) bool {
	for name := range in.members {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// about returns the first of some members that says something, for a title.
func (in *input) about(names ...string) string {
	for _, name := range names {
		if text := in.text(name); text != "" {
			return text
		}
	}
	return ""
}
