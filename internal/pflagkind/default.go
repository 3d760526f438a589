package pflagkind

import (
	"encoding/csv"
	"encoding/json"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// List reads a default as pflag writes a list, [a,b], as a value of a parameter with items of a type; nil where it is
// none, or empty.
func List(text string, of tool.Type) (list []any) {
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
		switch of {
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

// Fits reports whether a parameter takes a value.
func Fits(p *tool.Parameter, value any) bool {
	arguments, err := json.Marshal(map[string]any{p.Name: value})
	if err != nil {
		return false
	}
	one := *p
	one.Flag, one.Form, one.Default = "", "", nil
	checking := tool.Tool{Parameters: []tool.Parameter{one}}
	_, failure := checking.CheckArguments(arguments)
	return failure == nil
}
