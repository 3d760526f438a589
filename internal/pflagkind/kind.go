package pflagkind

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// Kind is what a flag takes.
type Kind struct {
	Of     tool.Type // of a value, or of each item of a list
	Format tool.Format
	List   bool
	Form   tool.FlagForm
	Enum   []string
	From0  bool // no less than 0
}

// InHelp returns what a flag takes beside which a help says the word; ok is false where that is no type's.
func InHelp(word string) (k Kind, ok bool) {
	k, ok = kinds[word]
	return k, ok
}

// OfType returns what a flag of a type takes, by its pflag.Value.Type; ok is false where that is a program's own.
func OfType(name string) (k Kind, ok bool) {
	if name == "" {
		return Kind{}, false
	}
	if word, other := inHelp[name]; other {
		name = word
	}
	return InHelp(name)
}

// inHelp are the types that a help calls otherwise (pflag.UnquoteUsage).
var inHelp = map[string]string{
	"bool": "", "boolfunc": "", "float64": "float", "int64": "int", "uint64": "uint", "stringSlice": "strings",
	"boolSlice": "bools", "intSlice": "ints", "uintSlice": "uints",
}

// kinds are what pflag calls its types in a help.
var kinds = map[string]Kind{
	"": {Of: tool.TypeBoolean}, "string": {Of: tool.TypeString}, "strings": {Of: tool.TypeString, List: true, Form: tool.FormCSV},
	"stringSlice": {Of: tool.TypeString, List: true, Form: tool.FormCSV}, "stringArray": {Of: tool.TypeString, List: true},
	"int": {Of: tool.TypeInteger}, "int8": {Of: tool.TypeInteger}, "int16": {Of: tool.TypeInteger}, "int32": {Of: tool.TypeInteger},
	"int64": {Of: tool.TypeInteger}, "uint": {Of: tool.TypeInteger, From0: true}, "uint8": {Of: tool.TypeInteger, From0: true},
	"uint16": {Of: tool.TypeInteger, From0: true}, "uint32": {Of: tool.TypeInteger, From0: true},
	"uint64": {Of: tool.TypeInteger, From0: true}, "count": {Of: tool.TypeInteger},
	"float": {Of: tool.TypeNumber}, "float32": {Of: tool.TypeNumber}, "float64": {Of: tool.TypeNumber},
	"duration": {Of: tool.TypeString, Format: tool.FormatDuration}, "ip": {Of: tool.TypeString, Format: tool.FormatIP},
	"ipNet": {Of: tool.TypeString, Format: tool.FormatCIDR}, "ipMask": {Of: tool.TypeString}, "time": {Of: tool.TypeString},
	"bytesHex": {Of: tool.TypeString, Format: tool.FormatHex}, "bytesBase64": {Of: tool.TypeString, Format: tool.FormatBase64},
	"bools": {Of: tool.TypeBoolean, List: true}, "ints": {Of: tool.TypeInteger, List: true},
	"int32Slice": {Of: tool.TypeInteger, List: true}, "int64Slice": {Of: tool.TypeInteger, List: true},
	"uints":        {Of: tool.TypeInteger, List: true, From0: true},
	"float32Slice": {Of: tool.TypeNumber, List: true}, "float64Slice": {Of: tool.TypeNumber, List: true},
	"durationSlice":  {Of: tool.TypeString, Format: tool.FormatDuration, List: true},
	"ipSlice":        {Of: tool.TypeString, Format: tool.FormatIP, List: true},
	"ipNetSlice":     {Of: tool.TypeString, Format: tool.FormatCIDR, List: true},
	"stringToString": {Of: tool.TypeObject, Form: tool.FormCSV}, "stringToInt": {Of: tool.TypeObject, Form: tool.FormPlain},
	"stringToInt64": {Of: tool.TypeObject, Form: tool.FormPlain},
}

// Parameter returns the parameter that a flag becomes.
func (k Kind) Parameter(flag, description string) tool.Parameter {
	p := tool.Parameter{Name: flag, Flag: "--" + flag, Type: k.Of, Format: k.Format, Form: k.Form, Description: description}
	if k.From0 {
		p.Minimum = "0"
	}
	for _, value := range k.Enum {
		p.Enum = append(p.Enum, value)
	}
	if k.List && k.Of != tool.TypeObject {
		p.Items = &tool.Parameter{Type: p.Type, Format: p.Format, Enum: p.Enum, Minimum: p.Minimum}
		p.Type, p.Format, p.Enum, p.Minimum = tool.TypeArray, "", nil, ""
	}
	return p
}
