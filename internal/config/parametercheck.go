package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// check looks at what belongs together.
func (p *parameter) check() {
	if p.badType {
		return
	}
	p.requireMembers()
	declared := p.parameter.Type
	only := func(at yamldoc.Value, types ...tool.Type) {
		if at.Node != nil && !slices.Contains(types, declared) {
			hint := ""
			if declared == tool.TypeString && (at.Node == p.minimumAt.Node || at.Node == p.maximumAt.Node) {
				hint = `for a number write type: integer or number; for the length of a text, pattern: "^.{1,80}$"`
			}
			at.Fail(yamldoc.RuleValue, hint, "has no meaning for a parameter of type %s", declared)
		}
	}
	only(p.minimumAt, tool.TypeNumber, tool.TypeInteger)
	only(p.maximumAt, tool.TypeNumber, tool.TypeInteger)
	only(p.patternAt, tool.TypeString)
	only(p.formatAt, tool.TypeString)
	only(p.codeAt, tool.TypeString)
	only(p.itemsAt, tool.TypeArray)
	only(p.propertiesAt, tool.TypeObject)
	only(p.slashAt, tool.TypeString)
	only(p.lengths["minLength"], tool.TypeString)
	only(p.lengths["maxLength"], tool.TypeString)
	only(p.lengths["minItems"], tool.TypeArray)
	only(p.lengths["maxItems"], tool.TypeArray)
	p.checkLengths("minLength", "maxLength", p.parameter.MinLength, p.parameter.MaxLength)
	p.checkLengths("minItems", "maxItems", p.parameter.MinItems, p.parameter.MaxItems)
	low, high := p.parameter.Minimum, p.parameter.Maximum
	if low != "" && high != "" && yamldoc.CompareNumbers(json.Number(low), json.Number(high)) > 0 {
		p.maximumAt.Fail(yamldoc.RuleValue, "the two may have changed places",
			"the maximum %s is less than the minimum %s", high, low)
	}
	p.checkEnum()
	if p.defaultAt.Node == nil {
		return
	}
	why := p.misfit(p.parameter.Default)
	if why == "" && (p.parameter.Items != nil || p.parameter.Properties != nil || len(p.lengths) > 0) {
		why = p.misfitInside()
	}
	switch {
	case why != "":
		p.defaultAt.Fail(yamldoc.RuleValue, p.quoteHint(p.defaultAt), "%s", p.discreet(why))
	case len(p.parameter.Enum) > 0 && !contains(p.parameter.Enum, p.parameter.Default):
		p.defaultAt.Fail(yamldoc.RuleValue, "", "%s",
			p.discreet(fmt.Sprintf("%s is not one of enum: %s", show(p.parameter.Default),
				show(p.parameter.Enum))))
	case p.parameter.Required:
		p.defaultAt.Warn("unused-default", "take out one of the two",
			"the parameter is required, so its default is never used")
	}
}

func (p *parameter) checkEnum() {
	if p.enumAt.Node != nil && len(p.enum) == 0 && p.enumAt.IsList() {
		p.enumAt.Fail(yamldoc.RuleEmpty, "take the key out to allow every value",
			"the list is empty, so no value would be allowed")
	}
	for _, at := range p.enum {
		item, ok := at.JSON()
		if !ok {
			continue
		}
		if why := p.misfit(item); why != "" {
			at.Fail(yamldoc.RuleValue, p.quoteHint(at), "%s", p.discreet(why))
		}
		p.parameter.Enum = append(p.parameter.Enum, item)
	}
}

// checkAsk says what a client cannot ask its person for: what must go through no client, and what no form has a
// field for.
func (p *parameter) checkAsk() {
	switch {
	case !p.parameter.Ask:
	case p.parameter.Secret:
		p.askAt.Fail(yamldoc.RuleValue, "a2a-acp secrets set keeps it, and environment_variables: {NAME: {secret: NAME}} hands it on",
			"a client is never asked for a secret")
	case p.secretAt.Node == nil && p.parameter.Type == tool.TypeString && askedSecrets.MatchString(p.parameter.Name):
		p.askAt.Fail(yamldoc.RuleValue, "a2a-acp secrets set keeps one, and environment_variables: {NAME: {secret: NAME}} "+
			"hands it on; where it is none, write `secret: false`",
			"the name says that this is a secret, and a client is never asked for one: it would pass through the client "+
				"and stand on record")
	case p.parameter.Type == tool.TypeArray, p.parameter.Type == tool.TypeObject:
		p.askAt.Fail(yamldoc.RuleValue, "", "a client has no field for a list or an object")
	case p.parameter.Flag != "":
		p.askAt.Fail(yamldoc.RuleValue, "", "a client is asked for no flag of a program")
	}
}

// askedSecrets are names of texts that are most often secrets. What only bears such a word in the middle
// (token_budget) is not meant.
var askedSecrets = lazyregexp.New(`(?i:(?:^|[-_.])(?:password|passwd|passphrase|passcode|pwd|secret|token|` +
	`credential|creds?|cookie|otp|pin|(?:api|access|private|client|auth|ssh|signing|encryption)[-_.]?key)s?$)|` +
	`(?i:(?:password|passphrase|secret|apikey)s?$)|[a-z](?:Token|Credential|Cookie)s?$|(?:[Aa]pi|[Aa]ccess|[Pp]rivate)Key$`)

// quoteHint is the cure for a text that YAML takes for something else.
func (p *parameter) quoteHint(at yamldoc.Value) string {
	text := at.Node.Value
	plain := at.Node.Kind == yaml.ScalarNode && at.Node.Tag == "!!str"
	switch {
	case p.parameter.Secret:
	case p.parameter.Type == tool.TypeString && !at.IsMapping() && !at.IsList() && !plain:
		return fmt.Sprintf("put quotes around it: %q", text)
	case p.parameter.Type == tool.TypeInteger && at.IsNumber():
		return yamldoc.WholeHint(json.Number(text))
	case (p.parameter.Type == tool.TypeInteger || p.parameter.Type == tool.TypeNumber) && plain &&
		yamldoc.IsJSONNumber(text):
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
		if low := p.parameter.Minimum; low != "" && yamldoc.CompareNumbers(number, json.Number(low)) < 0 {
			return fmt.Sprintf("%s is less than the minimum %s", number, low)
		}
		if high := p.parameter.Maximum; high != "" && yamldoc.CompareNumbers(number, json.Number(high)) > 0 {
			return fmt.Sprintf("%s is more than the maximum %s", number, high)
		}
	}
	if text, ok := given.(string); ok && p.pattern != nil && !p.pattern.MatchString(text) {
		return fmt.Sprintf("%s does not match the pattern as a whole", yamldoc.Quote(text))
	}
	if text, ok := given.(string); ok && !p.parameter.Format.Holds(text) {
		return fmt.Sprintf("want %s, found %s", p.parameter.Format.Words(), yamldoc.Quote(text))
	}
	return ""
}

// checkLengths wants a least length that is not beyond the greatest.
func (p *parameter) checkLengths(least, most string, low, high *int) {
	if low != nil && high != nil && *low > *high {
		p.lengths[most].Fail(yamldoc.RuleValue, "the two may have changed places", "%s %d is less than %s %d", most, *high, least, *low)
	}
}

// misfitInside says why the default does not fit, as a call would be told, with its items and members.
func (p *parameter) misfitInside() string {
	declared := p.parameter
	declared.Name, declared.Default, declared.Required, declared.Enum = "value", nil, false, nil
	if declared.Type == tool.TypeArray {
		declared.Name = "item"
	}
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
	case nil:
		fits = p.Nullable
	case string:
		fits = p.Type == tool.TypeString
	case bool:
		fits = p.Type == tool.TypeBoolean
	case json.Number:
		fits = p.Type == tool.TypeNumber || p.Type == tool.TypeInteger &&
			!strings.ContainsAny(string(v), ".eE")
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

// show returns a value as JSON, shortened.
func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	return yamldoc.Shorten(string(text))
}
