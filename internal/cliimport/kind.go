package cliimport

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// noValue is a value that no parser of a type takes.
const noValue = "@@"

// A reason of a parser that refuses noValue, and what it parses. They are those of pflag's types, which are the
// standard library's for the most part.
var reasons = []struct {
	said string
	kind pflagkind.Kind
}{
	{"strconv.ParseBool", pflagkind.Kind{Of: tool.TypeBoolean}},
	{"strconv.ParseUint", pflagkind.Kind{Of: tool.TypeInteger, From0: true}},
	{"strconv.ParseInt", pflagkind.Kind{Of: tool.TypeInteger}},
	{"strconv.Atoi", pflagkind.Kind{Of: tool.TypeInteger}},
	{"strconv.ParseFloat", pflagkind.Kind{Of: tool.TypeNumber}},
	{"time: invalid duration", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatDuration}},
	{"failed to parse IP mask", pflagkind.Kind{Of: tool.TypeString}},
	{"failed to parse IP", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatIP}},
	{"invalid string being converted to IP address", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatIP}},
	{"invalid IP address", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatIP}},
	{"invalid CIDR address", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatCIDR}},
	{"invalid string being converted to CIDR", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatCIDR}},
	{"encoding/hex", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatHex}},
	{"illegal base64 data", pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatBase64}},
	{"must be formatted as key=value", pflagkind.Kind{Of: tool.TypeObject}},
}

// kindOf returns what refuses noValue with that reason; known is false where no type is known to.
func kindOf(reason string) (k pflagkind.Kind, known bool) {
	for _, r := range reasons {
		if strings.Contains(reason, r.said) {
			return r.kind, true
		}
	}
	return pflagkind.Kind{Of: tool.TypeString, Enum: named(reason)}, false
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

// sample is a value that a flag takes.
func sample(k pflagkind.Kind) string {
	switch {
	case len(k.Enum) > 0:
		return k.Enum[0]
	case k.Of == tool.TypeBoolean:
		return "true"
	case k.Of == tool.TypeInteger, k.Of == tool.TypeNumber:
		return "1"
	case k.Of == tool.TypeObject:
		return "k=1"
	}
	switch k.Format {
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

// inWords says a kind to people.
func inWords(k pflagkind.Kind) string {
	what := string(k.Of)
	if k.Format != "" {
		what = string(k.Format)
	}
	if k.List {
		what = "list of " + what
	}
	return what
}
