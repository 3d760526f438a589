package config

import "github.com/a2a-acp/a2a-acp/pkg/tool"

// mostKeptKB bounds how much of a stream is passed on: a gigabyte.
const mostKeptKB = 1 << 20

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
		},
		elsewhere: []misplaced{{[]string{"max_output_mb"}, "%s belongs under sandbox or resource_limits"}},
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
