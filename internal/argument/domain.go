// Package argument says which texts an argument of a tool can be: before a call by what its parameter
// declares, at a call by its value.
package argument

import (
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Class says how much a value can be.
type Class int

// The classes.
const (
	Free    Class = iota // any text that the agent chooses
	Listed               // one of the texts that the author listed: an enum, true or false
	Numeric              // a number
)

// Domain is what a value can be. Holds tells at a call whether it is that.
type Domain struct {
	Parameter *tool.Parameter // what declares it; nil for an item, an entry or a field that nothing declares
	Class     Class
}

// DomainOf returns what the values of a parameter can be. For nil that is any text.
func DomainOf(p *tool.Parameter) Domain { return Domain{Parameter: p, Class: classOf(p)} }

func classOf(p *tool.Parameter) Class {
	if p == nil {
		return Free
	}
	if len(p.Enum) > 0 {
		all := Numeric
		for _, item := range p.Enum {
			switch item.(type) {
			case json.Number:
			case string, bool:
				all = Listed
			default:
				return Free
			}
		}
		return all
	}
	switch p.Type {
	case tool.TypeInteger, tool.TypeNumber:
		return Numeric
	case tool.TypeBoolean:
		return Listed
	}
	return Free
}

// IsInteger reports whether a text is an integer as arithmetic takes it.
func IsInteger(text string) bool { return integerPattern.MatchString(text) }

// Integers reports whether the values can be integers: what arithmetic needs.
func (d Domain) Integers() bool {
	if d.Parameter == nil {
		return d.Class == Numeric // the number of an item
	}
	for _, item := range d.Parameter.Enum {
		if text, ok := Text(item); ok && integerPattern.MatchString(text) {
			return true
		}
	}
	return len(d.Parameter.Enum) == 0 && (d.Parameter.Type == tool.TypeInteger || d.Parameter.Type == tool.TypeNumber)
}

// The texts that count as numbers. An integer has no leading zero, which bash would read as octal, and fits
// 64 bits.
var (
	integerPattern = lazyregexp.New(`^-?(0|[1-9][0-9]{0,17})$`)
	decimalPattern = lazyregexp.New(`^-?[0-9]+(\.[0-9]+)?$`)
)

// Holds reports whether a text is one that the class promises.
func (d Domain) Holds(s string) bool {
	switch {
	case d.Class == Free:
		return true
	case d.Parameter == nil:
		return d.Class == Numeric && decimalPattern.MatchString(s)
	case len(d.Parameter.Enum) > 0:
		for _, item := range d.Parameter.Enum {
			if text, ok := Text(item); ok && text == s {
				return true
			}
		}
		return false
	case d.Class == Listed:
		return s == "true" || s == "false"
	}
	return decimalPattern.MatchString(s)
}
