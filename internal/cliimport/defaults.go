package cliimport

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// defaultValue returns the default that the help tells, as a value of the parameter; nil where there is none that says
// anything. It is told to those who call, and never sent: the program has it.
func (f *flag) defaultValue(p *tool.Parameter) any {
	if f.own != nil && len(f.own.Default) > 0 {
		return f.own.defaultValue(p)
	}
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
		list := pflagkind.List(text, p.Items.Type)
		if len(list) == 0 {
			return nil
		}
		value = list
	default:
		return nil
	}
	if !pflagkind.Fits(p, value) {
		return nil
	}
	return value
}

// plainText takes the quotes off.
func plainText(text string) string {
	if unquoted, err := strconv.Unquote(text); err == nil {
		return unquoted
	}
	return strings.Trim(text, "'")
}
