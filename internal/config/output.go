package config

import (
	"encoding/json"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/outputschema"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	// mostKeptKB bounds how much of a stream is passed on: a gigabyte.
	mostKeptKB = 1 << 20
	// mostSpilledMB bounds how much of a stream goes to a file: half of what is kept of all.
	mostSpilledMB = 512
)

// outputMapping is what a tool may say about how much of its output is passed on.
func outputMapping() yamldoc.Mapping[*tool.Output] {
	return yamldoc.Mapping[*tool.Output]{
		Name: "output",
		Keys: []yamldoc.Key[*tool.Output]{
			yamldoc.NewKey("keep_kb", "a whole number of kilobytes", func(o *tool.Output, v yamldoc.Value) {
				if n, ok := v.Int(1, mostKeptKB); ok {
					o.Keep = n << 10
				}
			}),
			yamldoc.NewKey("spill", "true or false", func(o *tool.Output, v yamldoc.Value) {
				v.SetBool(&o.Spill)
			}),
			yamldoc.NewKey("json", "true or false", func(o *tool.Output, v yamldoc.Value) {
				v.SetBool(&o.JSON)
			}),
			yamldoc.NewKey("schema", "a JSON Schema", readOutputSchema),
			yamldoc.NewKey("spill_mb", "a whole number of megabytes", func(o *tool.Output, v yamldoc.Value) {
				if n, ok := v.Int(1, mostSpilledMB); ok {
					o.SpillMost = n << 20
				}
			}),
		},
		Synonyms: map[string]string{"structured": "json", "format": "json", "outputschema": "schema", "output_schema": "schema"},
		Elsewhere: []yamldoc.Misplaced{{Names: []string{"max_output_mb"},
			Hint: "%s belongs under sandbox or resource_limits"}},
	}
}

func readOutput(o *tool.Output, v yamldoc.Value) {
	if !yamldoc.ReadKeys(v, outputMapping(), o) {
		return
	}
	if o.SpillMost != 0 && !o.Spill {
		v.Fail(yamldoc.RuleValue, "write spill: true beside it, or leave spill_mb out",
			"spill_mb bounds what spill: true keeps, and it is not there")
	}
	if o.Schema != "" && !o.JSON {
		v.Fail(yamldoc.RuleValue, "write json: true beside it, or leave schema out",
			"schema says what JSON is printed, and json: true is not there")
	}
}

// mostSchemaBytes bounds a schema: each client is told of it with each list.
const mostSchemaBytes = 64 << 10

// readOutputSchema reads what stdout fits. It is compiled here to say what is wrong with it, and once more by
// the entry's own reader, who keeps it.
func readOutputSchema(o *tool.Output, v yamldoc.Value) {
	if !v.IsMapping() {
		v.Mismatch("a JSON Schema: {type: object, …}", "")
		return
	}
	value, ok := v.JSON()
	if !ok {
		return
	}
	text, err := json.Marshal(value)
	if err == nil && len(text) > mostSchemaBytes {
		err = fmt.Errorf("it is longer than %d KB", mostSchemaBytes>>10)
	}
	if err == nil {
		_, err = outputschema.Compile(string(text))
	}
	if err != nil {
		v.Fail(yamldoc.RuleValue, "", "it is no JSON Schema that can be used: %v", err)
		return
	}
	object, _ := value.(map[string]any)
	o.Schema, o.Wrapped = string(text), object["type"] != "object"
}

// readAudit takes how much of the calls stands on record. What a repository brings along does not decide that there
// is less of it.
func (e *toolEntry) readAudit(v yamldoc.Value) { readAuditLevel(v, e.tool.Source.Layer, &e.tool.Audit) }

func readAuditLevel(v yamldoc.Value, layer tool.Layer, into *tool.AuditLevel) {
	text, ok := v.Text()
	switch level := tool.AuditLevel(text); {
	case !ok:
	case level == tool.AuditMetadata && layer == tool.LayerProject:
		v.Fail(yamldoc.RuleValue, "leave it out, or take the tool over into a file of your own",
			"a repository's tools are on record with their arguments")
	case level == tool.AuditMetadata, level == tool.AuditParams, level == tool.AuditFull:
		*into = level
	default:
		v.Fail(yamldoc.RuleValue, "params, the arguments without secret ones, is what counts where nothing is said",
			"want metadata, params or full, found %s", yamldoc.Quote(text))
	}
}

// surfaceMapping is what a tool may say about how a door tells what it came to.
func surfaceMapping() yamldoc.Mapping[*tool.Surface] {
	return yamldoc.Mapping[*tool.Surface]{
		Name: "surface",
		Keys: []yamldoc.Key[*tool.Surface]{
			yamldoc.NewKey("mcp", "result or protocol_error", func(s *tool.Surface, v yamldoc.Value) {
				text, ok := v.Text()
				switch {
				case !ok:
				case text == "result" || text == "protocol_error":
					s.MCPProtocolError = text == "protocol_error"
				default:
					v.Fail(yamldoc.RuleValue,
						"a result with isError is what models read; protocol_error is for clients that want the code",
						"want result or protocol_error, found %s", yamldoc.Quote(text))
				}
			}),
		},
	}
}
