package config

import (
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
			yamldoc.NewKey("spill_mb", "a whole number of megabytes", func(o *tool.Output, v yamldoc.Value) {
				if n, ok := v.Int(1, mostSpilledMB); ok {
					o.SpillMost = n << 20
				}
			}),
		},
		Elsewhere: []yamldoc.Misplaced{{Names: []string{"max_output_mb"},
			Hint: "%s belongs under sandbox or resource_limits"}},
	}
}

func readOutput(o *tool.Output, v yamldoc.Value) {
	if yamldoc.ReadKeys(v, outputMapping(), o) && o.SpillMost != 0 && !o.Spill {
		v.Fail(yamldoc.RuleValue, "write spill: true beside it, or leave spill_mb out",
			"spill_mb bounds what spill: true keeps, and it is not there")
	}
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
