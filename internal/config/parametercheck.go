package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// check looks at what belongs together.
func (p *parameter) check() {
	if p.badType {
		return
	}
	declared := p.parameter.Type
	only := func(at value, types ...tool.Type) {
		if at.node != nil && !slices.Contains(types, declared) {
			hint := ""
			if declared == tool.TypeString && (at.node == p.minimumAt.node || at.node == p.maximumAt.node) {
				hint = `for a number write type: integer or number; for the length of a text, pattern: "^.{1,80}$"`
			}
			at.fail(ruleValue, hint, "has no meaning for a parameter of type %s", declared)
		}
	}
	only(p.minimumAt, tool.TypeNumber, tool.TypeInteger)
	only(p.maximumAt, tool.TypeNumber, tool.TypeInteger)
	only(p.patternAt, tool.TypeString)
	only(p.formatAt, tool.TypeString)
	only(p.codeAt, tool.TypeString)
	only(p.itemsAt, tool.TypeArray)
	low, high := p.parameter.Minimum, p.parameter.Maximum
	if low != "" && high != "" && compare(json.Number(low), json.Number(high)) > 0 {
		p.maximumAt.fail(ruleValue, "the two may have changed places", "the maximum %s is less than the minimum %s", high, low)
	}
	p.checkEnum()
	if p.defaultAt.node == nil {
		return
	}
	why := p.misfit(p.parameter.Default)
	if why == "" && p.parameter.Items != nil {
		why = p.misfitItems()
	}
	switch {
	case why != "":
		p.defaultAt.fail(ruleValue, p.quoteHint(p.defaultAt), "%s", p.discreet(why))
	case len(p.parameter.Enum) > 0 && !contains(p.parameter.Enum, p.parameter.Default):
		p.defaultAt.fail(ruleValue, "", "%s", p.discreet(fmt.Sprintf("%s is not one of enum: %s", show(p.parameter.Default), show(p.parameter.Enum))))
	case p.parameter.Required:
		p.defaultAt.warn("unused-default", "take out one of the two", "the parameter is required, so its default is never used")
	}
}

func (p *parameter) checkEnum() {
	if p.enumAt.node != nil && len(p.enum) == 0 && isList(p.enumAt) {
		p.enumAt.fail(ruleEmpty, "take the key out to allow every value", "the list is empty, so no value would be allowed")
	}
	for _, at := range p.enum {
		item, ok := at.open()
		if !ok {
			continue
		}
		if why := p.misfit(item); why != "" {
			at.fail(ruleValue, p.quoteHint(at), "%s", p.discreet(why))
		}
		p.parameter.Enum = append(p.parameter.Enum, item)
	}
}

// quoteHint is the cure for a text that YAML takes for something else.
func (p *parameter) quoteHint(at value) string {
	text := at.node.Value
	plain := at.node.Kind == yaml.ScalarNode && at.node.Tag == "!!str"
	switch {
	case p.parameter.Secret:
	case p.parameter.Type == tool.TypeString && !isMapping(at) && !isList(at) && !plain:
		return fmt.Sprintf("put quotes around it: %q", text)
	case p.parameter.Type == tool.TypeInteger && isNumber(at.node):
		return wholeHint(json.Number(text))
	case (p.parameter.Type == tool.TypeInteger || p.parameter.Type == tool.TypeNumber) && plain && jsonNumber.MatchString(text) && exponent(text) <= maxExponent:
		return "take the quotes out: " + text
	case p.parameter.Type == tool.TypeBoolean && plain:
		switch strings.ToLower(text) {
		case "true", "yes", "on", "y":
			return "write true"
		case "false", "no", "off", "n":
			return "write false"
		}
	}
	return ""
}

// discreet is why a value does not fit, without the value where that is a secret.
func (p *parameter) discreet(why string) string {
	if p.parameter.Secret {
		return "the value does not fit what the parameter says, and is secret, so it is not shown"
	}
	return why
}

// misfit says why a value does not fit the parameter, "" when it does.
func (p *parameter) misfit(given any) string {
	if why := misfitType(&p.parameter, given); why != "" {
		return why
	}
	if number, ok := given.(json.Number); ok {
		if low := p.parameter.Minimum; low != "" && compare(number, json.Number(low)) < 0 {
			return fmt.Sprintf("%s is less than the minimum %s", number, low)
		}
		if high := p.parameter.Maximum; high != "" && compare(number, json.Number(high)) > 0 {
			return fmt.Sprintf("%s is more than the maximum %s", number, high)
		}
	}
	if text, ok := given.(string); ok && p.pattern != nil && !p.pattern.MatchString(text) {
		return fmt.Sprintf("%s does not match the pattern as a whole", quote(text))
	}
	if text, ok := given.(string); ok && !p.parameter.Format.Holds(text) {
		return fmt.Sprintf("want %s, found %s", p.parameter.Format.Words(), quote(text))
	}
	return ""
}

// misfitItems says why the items of the default do not fit, as a call would be told.
func (p *parameter) misfitItems() string {
	declared := p.parameter
	declared.Name, declared.Default, declared.Required, declared.Enum = "item", nil, false, nil
	arguments, err := json.Marshal(map[string]any{declared.Name: p.parameter.Default})
	if err != nil {
		return err.Error()
	}
	_, failure := (&tool.Tool{Parameters: []tool.Parameter{declared}}).CheckArguments(arguments)
	if failure != nil {
		return failure.Message
	}
	return ""
}

// misfitType says why a value is not of a parameter's type, items included.
func misfitType(p *tool.Parameter, given any) string {
	fits := false
	switch v := given.(type) {
	case string:
		fits = p.Type == tool.TypeString
	case bool:
		fits = p.Type == tool.TypeBoolean
	case json.Number:
		fits = p.Type == tool.TypeNumber || p.Type == tool.TypeInteger && !strings.ContainsAny(string(v), ".eE")
	case map[string]any:
		fits = p.Type == tool.TypeObject
	case []any:
		fits = p.Type == tool.TypeArray
		for i, item := range v {
			if p.Items != nil && fits {
				if why := misfitType(p.Items, item); why != "" {
					return fmt.Sprintf("item %d: %s", i, why)
				}
			}
		}
	}
	if !fits {
		return fmt.Sprintf("want a value of type %s, found %s", p.Type, show(given))
	}
	return ""
}

func contains(list []any, want any) bool {
	for _, item := range list {
		if reflect.DeepEqual(item, want) {
			return true
		}
	}
	return false
}

// show gives a value as JSON, shortened.
func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	return shorten(string(text))
}
