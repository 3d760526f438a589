package render

import (
	"encoding/json"
	"regexp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// class says how much a value can be.
type class int

const (
	free    class = iota // any text that the agent chooses
	listed               // one of the texts that the author listed: an enum, true or false
	numeric              // a number
)

// resolved is the declaration that a tag's value has, as far as the script alone tells. An item of a list
// or a field of an object can bear the name of a parameter and hide it, so every value is checked against
// its class when it is rendered.
type resolved struct {
	param *tool.Parameter // nil for an item, an entry or a field that nothing declares
	class class
}

func resolve(p *tool.Parameter) resolved { return resolved{param: p, class: classOf(p)} }

func classOf(p *tool.Parameter) class {
	if p == nil {
		return free
	}
	if len(p.Enum) > 0 {
		all := numeric
		for _, item := range p.Enum {
			switch item.(type) {
			case json.Number:
			case string, bool:
				all = listed
			default:
				return free
			}
		}
		return all
	}
	switch p.Type {
	case tool.TypeInteger, tool.TypeNumber:
		return numeric
	case tool.TypeBoolean:
		return listed
	}
	return free
}

// integers reports whether the values can be integers: what arithmetic needs.
func (r resolved) integers() bool {
	if r.param == nil {
		return r.class == numeric // the number of an item
	}
	for _, item := range r.param.Enum {
		if text, ok := scalarText(item); ok && integerPattern.MatchString(text) {
			return true
		}
	}
	return len(r.param.Enum) == 0 && (r.param.Type == tool.TypeInteger || r.param.Type == tool.TypeNumber)
}

// sql reports whether the author says that the agent writes SQL here.
func (r resolved) sql() bool { return r.param != nil && r.param.Code == tool.CodeSQL }

func (r resolved) dashAllowed() bool { return r.param != nil && r.param.AllowLeadingDash }

// The texts that count as numbers. An integer has no leading zero, which bash would read as octal, and fits
// 64 bits.
var (
	integerPattern = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})$`)
	digitsPattern  = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})$`)
	decimalPattern = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
)

// holds reports whether a text is one that the class promises.
func (r resolved) holds(s string) bool {
	switch {
	case r.class == free:
		return true
	case r.param == nil:
		return r.class == numeric && decimalPattern.MatchString(s)
	case len(r.param.Enum) > 0:
		for _, item := range r.param.Enum {
			if text, ok := scalarText(item); ok && text == s {
				return true
			}
		}
		return false
	case r.class == listed:
		return s == "true" || s == "false"
	}
	return decimalPattern.MatchString(s)
}
