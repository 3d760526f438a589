package a2aclient

import (
	"slices"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Option is an answer that a task takes.
type Option struct {
	ID, Name string
	Kind     string // allow_once, allow_always, reject_once or reject_always, as ACP has it; "" for another one
}

// mostOptions bounds the answers of a question that are looked at.
const mostOptions = 50

// Ask is what a task asks that waits for its client.
type Ask struct {
	Text    string
	Options []Option // none where any text is an answer
	Login   bool     // it is a login's end that is waited for, which any message says
	// Question is its id, which an answer may repeat; "" where it has none.
	Question string
}

// AskOf reads what a task asks. The protocol has no words for options; these are those of the agents that there are:
// a list of objects with an id, in a data part or in the metadata of the message.
func AskOf(status wire.TaskStatus) Ask {
	var a Ask
	if status.Message == nil {
		return a
	}
	var texts []string
	objects := []map[string]any{}
	for _, part := range status.Message.Parts {
		if text := part.Text(); text != "" {
			texts = append(texts, text)
		}
		if data, ok := part.Data().(map[string]any); ok {
			objects = append(objects, data)
		}
	}
	for _, object := range append(objects, status.Message.Metadata) {
		a.Question = first(a.Question, member(object, "requestId", "request_id"))
		a.Login = a.Login || member(object, "type") == "login"
		for _, name := range []string{"options", "permission_options"} {
			if list, ok := object[name].([]any); ok && a.Options == nil {
				a.Options = optionsOf(list)
			}
		}
	}
	a.Text = strings.Join(texts, "\n")
	return a
}

func optionsOf(list []any) []Option {
	var options []Option
	for _, item := range list[:min(len(list), mostOptions)] {
		object, _ := item.(map[string]any)
		if id := member(object, "optionId", "id", "option_id"); id != "" {
			options = append(options, Option{ID: id, Name: first(member(object, "name", "label"), id), Kind: member(object, "kind")})
		}
	}
	return options
}

// member returns the first of an object's members that is a text.
func member(object map[string]any, names ...string) string {
	for _, name := range names {
		if text, _ := object[name].(string); text != "" {
			return text
		}
	}
	return ""
}

// Answer returns the message that says a text, or picks the option that the text is the id of.
func (a Ask) Answer(text string) *wire.Message {
	message := a.About(wire.NewTextPart(text))
	if slices.ContainsFunc(a.Options, func(o Option) bool { return o.ID == text }) {
		message.SetMeta("optionId", text)
	}
	return message
}

// About returns a message that says which question it answers: while a person reads, another one may have taken its place.
func (a Ask) About(parts ...*wire.Part) *wire.Message {
	message := wire.NewMessage(wire.MessageRoleUser, parts...)
	if a.Question != "" {
		message.SetMeta("requestId", a.Question)
		message.SetMeta("request_id", a.Question)
	}
	return message
}
