package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// parameter is an entry of parameters, or the items of an array, that is being read.
type parameter struct {
	entry     *toolEntry
	at        yamldoc.Value
	parameter tool.Parameter
	badType   bool // the type is wrong, so nothing can be checked against it

	// Places of what is checked once the type is known. A value without a node was not given.
	defaultAt, minimumAt, maximumAt, patternAt, formatAt, codeAt, itemsAt, enumAt, secretAt, propertiesAt, slashAt yamldoc.Value
	askAt                                                                                                          yamldoc.Value

	lengths map[string]yamldoc.Value // the bounds of how long it is, by their keys
	enum    []yamldoc.Value
	// membersAt is where it is said which members an object has to have; without a node where it is not.
	membersAt yamldoc.Value
	pattern   *regexp.Regexp // for the whole value
}

// parameterMapping is what an entry of parameters may say.
func parameterMapping() yamldoc.Mapping[*parameter] {
	return yamldoc.Mapping[*parameter]{
		Name:     "a parameter",
		Synonyms: typeNamesElsewhere(),
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"optional"},
				Hint: "say required instead: a parameter is optional unless it says `required: true`"},
			{Names: []string{"additionalProperties"},
				Hint: "%s is not known here: an object has the members under properties and no others, or any where there is no such key"},
			{Names: []string{"sandbox", "script", "examples"},
				Hint: "%s belongs to the tool, beside parameters: look at the indentation"},
		},
		Keys: append([]yamldoc.Key[*parameter]{
			yamldoc.NewKey("name", "a text", (*parameter).readName),
			yamldoc.NewKey("required", "true or false", (*parameter).readRequired),
			yamldoc.NewKey("default", "a value of the parameter's type", (*parameter).readDefault),
			yamldoc.NewKey("code", "sql", (*parameter).readCode),
			yamldoc.NewKey("allow_leading_dash", "true or false", func(p *parameter, v yamldoc.Value) {
				v.SetBool(&p.parameter.AllowLeadingDash)
			}),
			yamldoc.NewKey("ask", "true or false", func(p *parameter, v yamldoc.Value) {
				p.askAt = v
				v.SetBool(&p.parameter.Ask)
			}),
			yamldoc.NewKey("secret", "true or false", func(p *parameter, v yamldoc.Value) {
				v.SetBool(&p.parameter.Secret)
			}),
			yamldoc.NewKey("flag", "a flag of the program, such as --name", (*parameter).readFlag),
			yamldoc.NewKey("form", "how the value stands behind its flag", (*parameter).readForm),
			yamldoc.NewKey("empty", "omit or pass", func(p *parameter, v yamldoc.Value) {
				v.OneOf([]string{"omit", "pass"}, func(text string) { p.parameter.PassEmpty = text == "pass" })
			}),
			yamldoc.NewKey("slash", "encoded or segments", (*parameter).readSlash),
		}, typeKeys()...),
	}
}

var parametersTable, itemsTable, propertyTable keyTable[*parameter]

// itemsMapping is what may be said about the items of an array.
func itemsMapping() yamldoc.Mapping[*parameter] {
	return yamldoc.Mapping[*parameter]{Name: "items", Synonyms: typeNamesElsewhere(),
		Keys: append([]yamldoc.Key[*parameter]{
			yamldoc.NewKey("required", "a list of members of the items", (*parameter).readRequiredMembers),
		}, typeKeys()...)}
}

// propertyMapping is what may be said about a member of an object.
func propertyMapping() yamldoc.Mapping[*parameter] {
	return yamldoc.Mapping[*parameter]{
		Name: "a property", Synonyms: typeNamesElsewhere(),
		Keys: append([]yamldoc.Key[*parameter]{
			yamldoc.NewKey("required", "true or false", (*parameter).readRequired),
			yamldoc.NewKey("default", "a value of the property's type", (*parameter).readDefault),
		}, typeKeys()...),
		Elsewhere: []yamldoc.Misplaced{{Names: []string{"secret"},
			Hint: "%s belongs to the parameter: all of it is secret, or nothing"}},
	}
}

// typeNamesElsewhere are what other programs call what a parameter may say.
func typeNamesElsewhere() map[string]string {
	return map[string]string{
		"min": "minimum", "max": "maximum", "regex": "pattern", "regexp": "pattern", "match": "pattern",
		"choices": "enum", "values": "enum", "options": "enum", "oneof": "enum", "allowed": "enum",
		"desc": "description", "help": "description", "kind": "type", "datatype": "type",
		"mandatory": "required", "defaultvalue": "default", "id": "name", "key": "name",
		"sensitive": "secret", "password": "secret",
	}
}

// typeKeys say what a value may be.
func typeKeys() []yamldoc.Key[*parameter] {
	return []yamldoc.Key[*parameter]{
		yamldoc.NewKey("type", "a type", (*parameter).readType),
		yamldoc.NewKey("description", "a text", func(p *parameter, v yamldoc.Value) {
			v.SetText(&p.parameter.Description)
		}),
		yamldoc.NewKey("enum", "a list of values", func(p *parameter, v yamldoc.Value) {
			p.enumAt = v
			p.enum, _ = v.List("")
		}),
		yamldoc.NewKey("minimum", "a number", func(p *parameter, v yamldoc.Value) {
			p.minimumAt = v
			v.SetNumber(&p.parameter.Minimum)
		}),
		yamldoc.NewKey("maximum", "a number", func(p *parameter, v yamldoc.Value) {
			p.maximumAt = v
			v.SetNumber(&p.parameter.Maximum)
		}),
		yamldoc.NewKey("pattern", "a regular expression", (*parameter).readPattern),
		yamldoc.NewKey("properties", "a mapping of names to {type, …}", (*parameter).readProperties),
		yamldoc.NewKey("nullable", "true or false", func(p *parameter, v yamldoc.Value) {
			v.SetBool(&p.parameter.Nullable)
		}),
		lengthKey("minLength", func(p *tool.Parameter) **int { return &p.MinLength }),
		lengthKey("maxLength", func(p *tool.Parameter) **int { return &p.MaxLength }),
		lengthKey("minItems", func(p *tool.Parameter) **int { return &p.MinItems }),
		lengthKey("maxItems", func(p *tool.Parameter) **int { return &p.MaxItems }),
		yamldoc.NewKey("items", "what each item may be: {type, …}", (*parameter).readItems),
		yamldoc.NewKey("format", "a format", (*parameter).readFormat),
	}
}

// parameterName is what a template can name.
var parameterName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// flagName is what a parameter can be called besides that becomes a flag: no template names it.
var flagName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

func (p *parameter) readName(v yamldoc.Value) {
	name, ok := v.Text()
	if !ok {
		return
	}
	lower := strings.ToLower(name)
	_, isFlag := p.at.Get("flag")
	switch {
	case !parameterName.MatchString(name) && !(isFlag && flagName.MatchString(name)):
		v.Fail(yamldoc.RuleValue, parameterHint(name),
			"a parameter's name has 1 to 64 letters, digits, _ or -, and begins with a letter or _; found %s",
			yamldoc.Quote(name))
	case strings.HasPrefix(lower, "__a2a"), strings.HasPrefix(lower, "a2a_"):
		v.Fail(yamldoc.RuleValue, "", "names that begin with a2a_ or __a2a belong to this program")
	default:
		p.parameter.Name = name
	}
}

func (p *parameter) readFlag(v yamldoc.Value) {
	flag, ok := v.Text()
	switch {
	case !ok:
	case !flagWord.MatchString(flag):
		hint := ""
		if flagWord.MatchString("--" + strings.TrimRight(flag, "=")) {
			hint = "write --" + strings.TrimRight(flag, "=")
		} else if flagWord.MatchString(strings.TrimRight(flag, "=")) {
			hint = "write " + strings.TrimRight(flag, "=")
		}
		v.Fail(yamldoc.RuleValue, hint, "want a flag such as --name or -n; found %s", yamldoc.Quote(flag))
	default:
		p.parameter.Flag = flag
		p.entry.flags = append(p.entry.flags, v)
	}
}

func (p *parameter) readForm(v yamldoc.Value) {
	var names []string
	for _, form := range tool.FlagForms() {
		names = append(names, string(form))
	}
	v.OneOf(names, func(text string) { p.parameter.Form = tool.FlagForm(text) })
}

// parameterHint is a name made of what was written; "" where none can be.
func parameterHint(name string) string {
	id := strings.Trim(strings.ReplaceAll(strings.ReplaceAll(name, " ", "_"), ".", "_"), "_")
	if id != name && parameterName.MatchString(id) {
		return "for example " + id
	}
	return ""
}

func (p *parameter) readType(v yamldoc.Value) {
	name, ok := v.Text()
	if p.badType = !ok; !ok {
		return
	}
	var known []string
	for _, t := range tool.Types() {
		known = append(known, string(t))
		if string(t) == name {
			p.parameter.Type = t
			return
		}
	}
	p.badType = true
	hint := ""
	if slices.Contains(tool.Formats(), tool.Format(name)) || otherFormats(name) != "" {
		format := tool.Format(name)
		if other := otherFormats(name); other != "" {
			format = other
		}
		hint = fmt.Sprintf("write type: string and format: %s", format)
	} else if near := otherNames(name); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	} else if near := spelling.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	v.Fail(yamldoc.RuleValue, hint, "want one of %s; found %s", strings.Join(known, ", "),
		yamldoc.Quote(name))
}

// otherNames returns JSON Schema's name for what programming languages call a type.
func otherNames(name string) tool.Type {
	switch strings.ToLower(name) {
	case "str", "text", "char", "file", "date", "datetime", "timestamp", "uuid", "regex", "secret",
		"password", "enum", "bytes":
		return tool.TypeString
	case "int", "long", "uint":
		return tool.TypeInteger
	case "float", "double", "decimal":
		return tool.TypeNumber
	case "bool", "flag":
		return tool.TypeBoolean
	case "list", "tuple", "slice":
		return tool.TypeArray
	case "dict", "map", "mapping":
		return tool.TypeObject
	}
	return ""
}

func (p *parameter) readCode(v yamldoc.Value) {
	code, ok := v.Text()
	if !ok {
		return
	}
	p.codeAt = v
	if tool.Code(code) != tool.CodeSQL {
		v.Fail(yamldoc.RuleValue, "", "want sql, the only language that a value may be written in; found %s",
			yamldoc.Quote(code))
		return
	}
	p.parameter.Code = tool.CodeSQL
}

func (p *parameter) readFormat(v yamldoc.Value) {
	name, ok := v.Text()
	if !ok {
		return
	}
	var known []string
	for _, f := range tool.Formats() {
		known = append(known, string(f))
		if string(f) == name {
			p.parameter.Format, p.formatAt = f, v
			return
		}
	}
	hint := "take it out, or say it as a pattern"
	if near := otherFormats(name); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	} else if near := spelling.Nearest(name, known); near != "" && len(name) > 4 { // date is no mistyped path
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	v.Fail(yamldoc.RuleValue, hint, "want one of %s; found %s", strings.Join(known, ", "),
		yamldoc.Quote(name))
}

// otherFormats returns our name for what JSON Schema and people call a format.
func otherFormats(name string) tool.Format {
	switch strings.ToLower(name) {
	case "url", "uri-reference", "iri", "href":
		return tool.FormatURI
	case "ipv4", "ipv6", "ip-address", "address":
		return tool.FormatIP
	case "network", "subnet":
		return tool.FormatCIDR
	case "file", "filename", "directory", "dir", "filepath":
		return tool.FormatPath
	case "byte", "binary", "bytes":
		return tool.FormatBase64
	case "mail", "idn-email":
		return tool.FormatEmail
	case "time", "timeout", "interval":
		return tool.FormatDuration
	}
	return ""
}

func (p *parameter) readDefault(v yamldoc.Value) {
	if v.IsNull() {
		v.Fail(yamldoc.RuleType, "take the key out: a parameter without a default has none",
			"want %s, found nothing", v.Want)
		return
	}
	if given, ok := v.JSON(); ok {
		p.parameter.Default, p.defaultAt = given, v
	}
}

func (p *parameter) readPattern(v yamldoc.Value) {
	pattern, ok := v.Text()
	if !ok {
		return
	}
	if p.entry.file.version == formatOriginal {
		whole, open := wholePattern(pattern)
		if open && !strings.HasSuffix(pattern, ".*") && !strings.HasSuffix(pattern, ".+") {
			v.Warn("pattern", "end it in $ if nothing may follow; with version: 2 a pattern is always for the whole value",
				"only the beginning of a value is held against the pattern, as this format has it")
		}
		pattern = whole
	}
	// Both must be read: a)(b is an expression between the parentheses only, and the deepest one that is
	// allowed only without them.
	_, err := regexp.Compile(pattern)
	var whole *regexp.Regexp
	if err == nil {
		whole, err = regexp.Compile(`^(?:` + pattern + `)$`)
	}
	if err != nil {
		hint := ""
		if strings.Contains(pattern, "(?") {
			hint = "the expressions are RE2's, which have no lookahead, lookbehind or backreferences"
		}
		v.Fail("pattern", hint, "%s is no regular expression: %s", yamldoc.Quote(pattern), regexpFault(err))
		return
	}
	p.parameter.Pattern, p.patternAt = pattern, v
	p.pattern = whole
}

// wholePattern returns an expression for the whole value that means what a pattern of the original format
// means: it holds of the beginning, whatever follows (Python's re.match). open tells that something may
// follow.
func wholePattern(pattern string) (whole string, open bool) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return pattern, false // the reader has told
	}
	last := tree
	for last.Op == syntax.OpConcat || last.Op == syntax.OpCapture {
		last = last.Sub[len(last.Sub)-1]
	}
	if last.Op == syntax.OpEndText {
		return pattern, false
	}
	if strings.Contains(pattern, "|") {
		pattern = "(?:" + pattern + ")"
	}
	return pattern + `[\s\S]*`, true
}

// regexpFault is what is wrong with an expression, without repeating all of it.
func regexpFault(err error) string {
	var fault *syntax.Error
	if errors.As(err, &fault) {
		return fmt.Sprintf("%s: %s", fault.Code, yamldoc.Quote(fault.Expr))
	}
	return yamldoc.Shorten(err.Error())
}

func (p *parameter) readItems(v yamldoc.Value) {
	items := &parameter{entry: p.entry, at: v, parameter: tool.Parameter{Type: tool.TypeString}}
	if !v.Require("type", "") {
		items.badType = true
	}
	yamldoc.ReadKeys(v, itemsTable.get(itemsMapping), items)
	items.check()
	p.itemsAt, p.parameter.Items = v, &items.parameter
}

// readRequired reads whether there has to be a value, or, as JSON Schema has it, which members an object has to have.
func (p *parameter) readRequired(v yamldoc.Value) {
	if v.IsList() {
		p.membersAt = v
		return
	}
	v.SetBool(&p.parameter.Required)
}

// readRequiredMembers reads the members that each item of a list has to have.
func (p *parameter) readRequiredMembers(v yamldoc.Value) {
	if !v.IsList() {
		v.Mismatch("a list of members", "an item is always there; of an object write the members that it must have: required: [street]")
		return
	}
	p.membersAt = v
}

// requireMembers marks the members that an object has to have.
func (p *parameter) requireMembers() {
	if p.membersAt.Node == nil {
		return
	}
	names, ok := p.membersAt.Texts()
	for i, name := range names {
		at := slices.IndexFunc(p.parameter.Properties, func(m tool.Parameter) bool { return m.Name == name })
		if at < 0 && ok {
			p.membersAt.Item(i).Fail(yamldoc.RuleValue, "declare it under properties", "%s is required, and no property",
				yamldoc.Quote(name))
			continue
		}
		if at >= 0 {
			p.parameter.Properties[at].Required = true
		}
	}
}

// mostProperties bounds the members of one object.
const mostProperties = 1000

// readProperties reads the members of an object, in their order.
func (p *parameter) readProperties(v yamldoc.Value) {
	p.propertiesAt = v
	p.parameter.Properties = []tool.Parameter{}
	if v.IsList() {
		v.Mismatch("", "each member is a key:\nproperties:\n  street: {type: string, required: true}")
		return
	}
	entries, _ := v.AllEntries()
	if len(entries) > mostProperties {
		v.Fail(yamldoc.RuleTooLarge, "", "an object may have %d members, and this one has %d", mostProperties, len(entries))
		return
	}
	for _, e := range entries {
		member := &parameter{entry: p.entry, at: e.Value, parameter: tool.Parameter{Name: e.Name, Type: tool.TypeString}}
		if e.Value.IsNull() || e.Value.IsMapping() && !e.Value.Require("type", "") {
			member.badType = true
		}
		yamldoc.ReadKeys(e.Value, propertyTable.get(propertyMapping), member)
		member.check()
		p.parameter.Properties = append(p.parameter.Properties, member.parameter)
	}
}

// lengthKey is a bound of how long a value is.
func lengthKey(name string, field func(*tool.Parameter) **int) yamldoc.Key[*parameter] {
	return yamldoc.NewKey(name, "a whole number", func(p *parameter, v yamldoc.Value) {
		if p.lengths == nil {
			p.lengths = map[string]yamldoc.Value{}
		}
		p.lengths[name] = v
		if n, ok := v.Int(0, math.MaxInt32); ok {
			length := int(n)
			*field(&p.parameter) = &length
		}
	})
}

// readSlash reads what slashes mean in a value that stands in the path of a URL.
func (p *parameter) readSlash(v yamldoc.Value) {
	p.slashAt = v
	v.OneOf([]string{string(tool.SlashEncoded), string(tool.SlashSegments)}, func(text string) {
		p.parameter.Slash = tool.Slash(text)
	})
}
