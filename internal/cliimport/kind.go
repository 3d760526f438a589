package cliimport

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// kind is what a flag takes.
type kind struct {
	of     tool.Type // of a value, or of each item of a list
	format tool.Format
	list   bool
	form   tool.FlagForm
	enum   []string
	from0  bool // no less than 0
}

// noValue is a value that no parser of a type takes.
const noValue = "@@"

// A reason of a parser that refuses noValue, and what it parses. They are those of pflag's types, which are the
// standard library's for the most part.
var reasons = []struct {
	said string
	kind kind
}{
	{"strconv.ParseBool", kind{of: tool.TypeBoolean}},
	{"strconv.ParseUint", kind{of: tool.TypeInteger, from0: true}},
	{"strconv.ParseInt", kind{of: tool.TypeInteger}},
	{"strconv.Atoi", kind{of: tool.TypeInteger}},
	{"strconv.ParseFloat", kind{of: tool.TypeNumber}},
	{"time: invalid duration", kind{of: tool.TypeString, format: tool.FormatDuration}},
	{"failed to parse IP mask", kind{of: tool.TypeString}},
	{"failed to parse IP", kind{of: tool.TypeString, format: tool.FormatIP}},
	{"invalid string being converted to IP address", kind{of: tool.TypeString, format: tool.FormatIP}},
	{"invalid IP address", kind{of: tool.TypeString, format: tool.FormatIP}},
	{"invalid CIDR address", kind{of: tool.TypeString, format: tool.FormatCIDR}},
	{"invalid string being converted to CIDR", kind{of: tool.TypeString, format: tool.FormatCIDR}},
	{"encoding/hex", kind{of: tool.TypeString, format: tool.FormatHex}},
	{"illegal base64 data", kind{of: tool.TypeString, format: tool.FormatBase64}},
	{"must be formatted as key=value", kind{of: tool.TypeObject}},
}

// kindOf returns what refuses noValue with that reason; known is false where no type is known to.
func kindOf(reason string) (k kind, known bool) {
	for _, r := range reasons {
		if strings.Contains(reason, r.said) {
			return r.kind, true
		}
	}
	return kind{of: tool.TypeString, enum: named(reason)}, false
}

// The ways in which a reason names the values that it would take.
var (
	braces = lazyregexp.New(`\{([A-Za-z0-9_.-]+(?:\|[A-Za-z0-9_.-]+)+)\}`)
	oneOf  = lazyregexp.New(`(?i)(?:must be|should be|expected|want|wants|allowed|valid (?:values|options) are|one of):? ` +
		`(?:one of:? ?)?[\["'(]*((?:['"]?[A-Za-z0-9_.-]+['"]?(?:, (?:or |and )?|,| or |\|| and )){1,30}['"]?[A-Za-z0-9_.-]+['"]?)`)
	between = lazyregexp.New(`, (?:or |and )?|,| or |\|| and `)
)

// named returns the values that a reason names; nil where it names none.
func named(reason string) []string {
	var list []string
	if m := braces.FindStringSubmatch(reason); m != nil {
		list = strings.Split(m[1], "|")
	} else if m := oneOf.FindStringSubmatch(reason); m != nil {
		list = between.Get().Split(m[1], -1)
	}
	for i, value := range list {
		list[i] = strings.Trim(value, `'"`)
	}
	list = slices.DeleteFunc(list, func(s string) bool { return s == "" || s == noValue })
	slices.Sort(list)
	if list = slices.Compact(list); len(list) < 2 {
		return nil
	}
	return list
}

// words are what pflag calls its types in a help.
var words = map[string]kind{
	"": {of: tool.TypeBoolean}, "string": {of: tool.TypeString}, "strings": {of: tool.TypeString, list: true, form: tool.FormCSV},
	"stringSlice": {of: tool.TypeString, list: true, form: tool.FormCSV}, "stringArray": {of: tool.TypeString, list: true},
	"int": {of: tool.TypeInteger}, "int8": {of: tool.TypeInteger}, "int16": {of: tool.TypeInteger}, "int32": {of: tool.TypeInteger},
	"int64": {of: tool.TypeInteger}, "uint": {of: tool.TypeInteger, from0: true}, "uint8": {of: tool.TypeInteger, from0: true},
	"uint16": {of: tool.TypeInteger, from0: true}, "uint32": {of: tool.TypeInteger, from0: true},
	"uint64": {of: tool.TypeInteger, from0: true}, "count": {of: tool.TypeInteger},
	"float": {of: tool.TypeNumber}, "float32": {of: tool.TypeNumber}, "float64": {of: tool.TypeNumber},
	"duration": {of: tool.TypeString, format: tool.FormatDuration}, "ip": {of: tool.TypeString, format: tool.FormatIP},
	"ipNet": {of: tool.TypeString, format: tool.FormatCIDR}, "ipMask": {of: tool.TypeString}, "time": {of: tool.TypeString},
	"bytesHex": {of: tool.TypeString, format: tool.FormatHex}, "bytesBase64": {of: tool.TypeString, format: tool.FormatBase64},
	"bools": {of: tool.TypeBoolean, list: true}, "ints": {of: tool.TypeInteger, list: true},
	"int32Slice": {of: tool.TypeInteger, list: true}, "int64Slice": {of: tool.TypeInteger, list: true},
	"uints":        {of: tool.TypeInteger, list: true, from0: true},
	"float32Slice": {of: tool.TypeNumber, list: true}, "float64Slice": {of: tool.TypeNumber, list: true},
	"durationSlice":  {of: tool.TypeString, format: tool.FormatDuration, list: true},
	"ipSlice":        {of: tool.TypeString, format: tool.FormatIP, list: true},
	"ipNetSlice":     {of: tool.TypeString, format: tool.FormatCIDR, list: true},
	"stringToString": {of: tool.TypeObject, form: tool.FormCSV}, "stringToInt": {of: tool.TypeObject, form: tool.FormPlain},
	"stringToInt64": {of: tool.TypeObject, form: tool.FormPlain},
}

// sample is a value that a flag takes.
func (k kind) sample() string {
	switch {
	case len(k.enum) > 0:
		return k.enum[0]
	case k.of == tool.TypeBoolean:
		return "true"
	case k.of == tool.TypeInteger, k.of == tool.TypeNumber:
		return "1"
	case k.of == tool.TypeObject:
		return "k=1"
	}
	switch k.format {
	case tool.FormatDuration:
		return "1s"
	case tool.FormatIP:
		return "127.0.0.1"
	case tool.FormatCIDR:
		return "127.0.0.0/8"
	case tool.FormatHex:
		return "00"
	case tool.FormatBase64:
		return "AA=="
	}
	return noValue
}

// words says a kind to people.
func (k kind) words() string {
	what := string(k.of)
	if k.format != "" {
		what = string(k.format)
	}
	if k.list {
		what = "list of " + what
	}
	return what
}
