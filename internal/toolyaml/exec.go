package toolyaml

import (
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Exec is the entry's exec.
func Exec(x *tool.Exec) *yaml.Node {
	node := Flow(Mapping("command", Text(x.Command)))
	if len(x.Argv) > 0 {
		Add(node, "argv", Texts(x.Argv))
	}
	if x.EndOfFlags {
		Add(node, "end_of_flags", Plain("true"))
	}
	if x.SHA256 != "" {
		Add(node, "sha256", Text(x.SHA256))
	}
	if x.Pin {
		Add(node, "pin", Plain("true"))
	}
	return node
}

// Hints is the entry's annotations: those that are said.
func Hints(a tool.Annotations) *yaml.Node {
	node := Flow(Mapping())
	if a.Title != "" {
		Add(node, "title", Text(a.Title))
	}
	for _, hint := range []struct {
		name string
		is   *bool
	}{
		{"readOnlyHint", a.ReadOnly}, {"destructiveHint", a.Destructive},
		{"idempotentHint", a.Idempotent}, {"openWorldHint", a.OpenWorld},
	} {
		if hint.is != nil {
			Add(node, hint.name, Plain(strconv.FormatBool(*hint.is)))
		}
	}
	return node
}
