package acp

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// leavesPlan recognises the question whether to leave the planning mode, which some agents ask as a tool
// call of no particular kind. A yes switches the mode, so no rule may give it.
func leavesPlan(call *toolCall) bool {
	meta, _ := exactObject(call.meta)
	for _, name := range []string{call.name, meta.object("claudeCode").text("toolName")} {
		if name == "ExitPlanMode" || name == "exit_plan_mode" {
			return true
		}
	}
	return strings.HasPrefix(call.id, "exit_plan_mode__")
}

// mcpTool recognises a call of an MCP server's tool. Where the agent names the tool, by the call's name or
// in Claude's _meta, that alone counts: a title may be the model's own words. Gemini names it only in the
// title, "TOOL (SERVER MCP Server)", and in the id of the call, mcp_SERVER_TOOL__…; a tool with an argument
// called command has that for its title.
func mcpTool(call *toolCall) (server, name string, ok bool) {
	meta, _ := exactObject(call.meta)
	for _, named := range []string{meta.object("claudeCode").text("toolName"), call.name} {
		if named != "" {
			return splitName(named, "mcp__", "__")
		}
	}
	made, _, _ := strings.Cut(call.id, "__")
	if rest, found := strings.CutSuffix(call.title, " MCP Server)"); found &&
		(made == call.id || strings.HasPrefix(made, "mcp_")) {
		if at := strings.LastIndex(rest, " ("); at > 0 && at+2 < len(rest) {
			return rest[at+2:], rest[:at], true
		}
	}
	if at := strings.LastIndex(call.id, "__"); at > 0 {
		return splitName(call.id[:at], "mcp_", "_")
	}
	return "", "", false
}

// alleged lists the names that an agent's words give to a tool of another server, in whatever way: its
// title, where the call is of no kind that we know, and a server and a tool in its raw input (Codex). They
// are enough to stop an act, never to approve one.
func alleged(action permissions.Action, call *toolCall, input object) (names []string) {
	add := func(name string) {
		if name = strings.TrimSpace(name); name != "" && len(name) <= longestAlleged {
			names = append(names, permissions.Alleged+name)
		}
	}
	if action == permissions.ActionOther {
		add(call.title)
		add(call.name)
	}
	for _, from := range []object{input, input.object("invocation")} {
		if server, name := from.text("server"), from.text("tool"); server != "" && name != "" {
			add("mcp__" + server + "__" + name)
		}
	}
	return names
}

// longestAlleged is the length of the longest name, in bytes; a title that is longer is a sentence.
const longestAlleged = 200

func splitName(s, prefix, separator string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return "", "", false
	}
	server, name, ok = strings.Cut(rest, separator)
	return server, name, ok && server != "" && name != ""
}
