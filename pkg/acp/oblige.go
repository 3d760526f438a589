package acp

import (
	"bytes"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// oblige gives the line by which a terminal is asked for with what the decision obliges to: its variables stand behind those
// that the agent gave, so that they hold. Without an obligation it gives the line as it came.
func (a *act) oblige(o permissions.Obligation) []byte {
	if o.None() {
		return a.line
	}
	var variables [][]byte
	for _, v := range o.Environment {
		variables = append(variables, encode(map[string]string{"name": v.Name, "value": v.Value}))
		if a.terminal != nil {
			a.terminal.Environment = append(a.terminal.Environment, Variable(v))
		}
	}
	more := bytes.Join(variables, []byte(","))
	if env, ok := ndjson.Get(a.frame.Params, "env"); ok && string(env) != "null" {
		return ndjson.AppendElement(a.line, env, more)
	}
	return ndjson.SetMember(a.line, a.frame.Params, "env", join("[", more, "]"))
}
