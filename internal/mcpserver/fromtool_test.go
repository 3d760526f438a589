package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTokens: what a tool costs is told the same, whether what is told of it is at hand or only counted.
func TestTokens(t *testing.T) {
	t.Parallel()
	text := func(name, about string) tool.Parameter {
		return tool.Parameter{Name: name, Type: tool.TypeString, Description: about}
	}
	for _, made := range []tool.Tool{
		{},
		{ID: "a", Description: "b"},
		{ID: "texts", Parameters: []tool.Parameter{text("a", "<b>&\u2028\xff \"\\\n\x00"), text("ä", strings.Repeat("x", 999))}},
		{ID: "asked", Parameters: []tool.Parameter{{Name: "p", Type: tool.TypeString, Required: true, Ask: true}}},
		{ID: "values", Parameters: []tool.Parameter{{Name: "p", Type: tool.TypeNumber, Minimum: "1e3", Enum: []any{json.Number("1")},
			Default: json.Number("1")}}},
		{ID: "unsayable", Parameters: []tool.Parameter{{Name: "p", Type: tool.TypeString, Default: func() {}}}},
		{ID: "schema", Output: tool.Output{JSON: true, Schema: "{ \"type\" : \"object\" }"}},
		{ID: "broken", Output: tool.Output{JSON: true, Schema: "{"}},
	} {
		if got, want := Tokens(&made), FromTool(&made).Tokens(); got != want || want == 0 && made.ID != "broken" {
			t.Errorf("%s: %d tokens, want %d", made.ID, got, want)
		}
	}
}
