package cliimport

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// defaultValue returns the default that the help tells, as a value of the parameter; nil where there is none that says
// anything. It is told to those who call, and never sent: the program has it.
func (f *flag) defaultValue(p *tool.Parameter) any {
	text := f.help.value
	if !f.help.hasValue || len(text) > toolyaml.LongestText || text != toolyaml.Clean(text) {
		return nil
	}
	var value any
	switch p.Type {
	case tool.TypeBoolean:
		if text != "true" {
			return nil
		}
		value = true
	case tool.TypeInteger, tool.TypeNumber:
		if !json.Valid([]byte(text)) || strings.ContainsAny(text, `"[{tfn`) {
			return nil
		}
		value = json.Number(text)
	case tool.TypeString:
		// pflag quotes the default of a text; what stands there without is about the default.
		prose := f.help.isPflag && p.Format == "" && len(p.Enum) == 0 && !strings.HasPrefix(text, `"`)
		plain := plainText(text)
		if plain == "" || prose || plain != toolyaml.Clean(plain) { // within quotes it can name what nobody sees
			return nil
		}
		value = plain
	case tool.TypeArray:
		list := f.listDefault(p, text)
		if len(list) == 0 {
			return nil
		}
		value = list
	default:
		return nil
	}
	return f.checked(p, value)
}

// checked returns the value if the parameter takes it.
func (f *flag) checked(p *tool.Parameter, value any) any {
	arguments, err := json.Marshal(map[string]any{p.Name: value})
	if err != nil {
		return nil
	}
	one := *p
	one.Flag, one.Form, one.Default = "", "", nil
	checking := tool.Tool{Parameters: []tool.Parameter{one}}
	if _, failure := checking.CheckArguments(arguments); failure != nil {
		return nil
	}
	return value
}

// listDefault reads [a,b], as pflag writes a list.
func (f *flag) listDefault(p *tool.Parameter, text string) (list []any) {
	inner, ok := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !ok || !closed || inner == "" {
		return nil
	}
	items, err := csv.NewReader(strings.NewReader(inner)).Read()
	if err != nil {
		return nil
	}
	for _, item := range items {
		switch p.Items.Type {
		case tool.TypeString:
			list = append(list, item)
		case tool.TypeBoolean:
			list = append(list, item == "true")
		default:
			if !json.Valid([]byte(item)) {
				return nil
			}
			list = append(list, json.Number(item))
		}
	}
	return list
}

// plainText takes the quotes off.
func plainText(text string) string {
	if unquoted, err := strconv.Unquote(text); err == nil {
		return unquoted
	}
	return strings.Trim(text, "'")
}
