package executor

import (
	"bytes"
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// schemaName is what the schema is called in the messages of its compiler.
const schemaName = "parameters.json"

// validate checks a call's arguments twice. pkg/tool reads the agent's bytes, says in words what is wrong with them, and fills
// the defaults in. What comes out has to fit the schema that agents are shown, too, by a reader that is not ours: should ours
// ever let through what the schema does not, nothing runs.
func (e *Entry) validate(raw json.RawMessage) (map[string]any, *tool.Failure) {
	arguments, failure := e.Tool.CheckArguments(raw)
	if failure != nil {
		return nil, failure
	}
	schema, err := e.shown()
	if err == nil {
		err = schema.Validate(arguments)
	}
	if err != nil {
		// The error names values, and a parameter may be secret.
		return nil, tool.Failf(tool.FailInternal, "the arguments do not fit the schema that agents are shown of tool %q, though they passed our own check; "+
			"please report it with the tool's parameters", e.Tool.ID)
	}
	return arguments, nil
}

// shown compiles the schema, when the tool is called for the first time.
func (e *Entry) shown() (*jsonschema.Schema, error) {
	e.schemaOnce.Do(func() { e.schema, e.schemaErr = compileSchema(e.Tool) })
	return e.schema, e.schemaErr
}

func compileSchema(t *tool.Tool) (*jsonschema.Schema, error) {
	text, err := json.Marshal(t.InputSchema())
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler() // draft 2020-12, as in MCP
	if err := compiler.AddResource(schemaName, document); err != nil {
		return nil, err
	}
	return compiler.Compile(schemaName)
}
