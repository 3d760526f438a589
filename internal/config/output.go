package config

import "github.com/a2a-acp/a2a-acp/pkg/tool"

const (
	// mostKeptKB bounds how much of a stream is passed on: a gigabyte.
	mostKeptKB = 1 << 20
	// mostSpilledMB bounds how much of a stream goes to a file: half of what is kept of all.
	mostSpilledMB = 512
)

// outputNoun is what a tool may say about how much of its output is passed on.
func outputNoun() noun[*tool.Output] {
	return noun[*tool.Output]{
		name: "output",
		keys: []key[*tool.Output]{
			{"keep_kb", "a whole number of kilobytes", func(o *tool.Output, v value) {
				if n, ok := v.whole(1, mostKeptKB); ok {
					o.Keep = n << 10
				}
			}},
			{"spill", "true or false", func(o *tool.Output, v value) { v.setBool(&o.Spill) }},
			{"spill_mb", "a whole number of megabytes", func(o *tool.Output, v value) {
				if n, ok := v.whole(1, mostSpilledMB); ok {
					o.SpillMost = n << 20
				}
			}},
		},
		elsewhere: []misplaced{{[]string{"max_output_mb"}, "%s belongs under sandbox or resource_limits"}},
	}
}

func readOutput(o *tool.Output, v value) {
	if readKeys(v, outputNoun(), o) && o.SpillMost != 0 && !o.Spill {
		v.fail(ruleValue, "write spill: true beside it, or leave spill_mb out", "spill_mb bounds what spill: true keeps, and it is not there")
	}
}

// surfaceNoun is what a tool may say about how a door tells what it came to.
func surfaceNoun() noun[*tool.Surface] {
	return noun[*tool.Surface]{
		name: "surface",
		keys: []key[*tool.Surface]{
			{"mcp", "result or protocol_error", func(s *tool.Surface, v value) {
				text, ok := v.text()
				switch {
				case !ok:
				case text == "result" || text == "protocol_error":
					s.MCPProtocolError = text == "protocol_error"
				default:
					v.fail(ruleValue, "a result with isError is what models read; protocol_error is for clients that want the code", "want result or protocol_error, found %s", quote(text))
				}
			}},
		},
	}
}
