package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/app"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// PairsToJSON makes an object of name=value pairs. A value is taken for what its parameter is: text for a
// string, JSON for everything else. The flags of a program stand in an object of their own.
func PairsToJSON(env *Environment, a *app.App, id string, pairs []string) (json.RawMessage, error) {
	types := map[string]tool.Type{}
	flags := map[string]bool{}
	o := env.AppOptions(nil, nil)
	if entry, ok := a.Configuration().Tools.LookupIn(o.Dirs().Workspace(o.Dir, nil), id); ok {
		for _, p := range entry.Tool.Parameters {
			types[p.Name] = p.Type
			flags[p.Name] = entry.Tool.Exec != nil && p.Flag != ""
		}
	}
	object, behindFlags := map[string]any{}, map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("-p %s: want name=value", pair)
		}
		// JSON would put another character in the place of each byte, and the tool would get another value.
		if !utf8.ValidString(pair) {
			return nil, fmt.Errorf("-p %q: the value is not UTF-8, and a tool's parameters are; "+
				"hand bytes on as base64, or in a file", name)
		}
		to := object
		if flags[name] {
			to = behindFlags
		}
		if _, twice := to[name]; twice {
			return nil, fmt.Errorf("-p %s is given twice; a list is given as JSON: -p %s='[\"a\",\"b\"]'",
				name, name)
		}
		if t := types[name]; t != "" && t != tool.TypeString && json.Valid([]byte(value)) {
			to[name] = json.RawMessage(value)
			continue
		}
		to[name] = value
	}
	if len(behindFlags) > 0 {
		object["flags"] = behindFlags
	}
	return json.Marshal(object)
}
