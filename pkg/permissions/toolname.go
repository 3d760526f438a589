package permissions

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mcpPrefix begins the id of another server's tool: mcp.SERVER.TOOL.
const mcpPrefix = "mcp."

// canonicalTool returns a tool's name in our spelling, however an agent spells the tool of an MCP server:
// mcp__SERVER__TOOL as Claude does, or TOOL (SERVER MCP Server) as Gemini does. Other names stay.
func canonicalTool(name string) string {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, call, ok := strings.Cut(rest, "__"); ok && server != "" && call != "" {
			return mcpPrefix + server + "." + call
		}
	}
	if rest, ok := strings.CutSuffix(name, " MCP Server)"); ok {
		if at := strings.LastIndex(rest, " ("); at > 0 && at+2 < len(rest) {
			return mcpPrefix + rest[at+2:] + "." + rest[:at]
		}
	}
	return name
}

// foldTool writes a tool's name as loosely as agents respell names for their models: letter case, and which
// sign stands between words, do not count. The signs of patterns stay.
func foldTool(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '*' && r != '?' && r < 0x80 {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ownServers are the names under which agents know the server with our tools.
var ownServers = []string{"a2a-acp", "a2a-acp-tools", "a2a-acp-guard"}

// toolIDs lists the names under which a rule may mean the act's tool: its ids, and for a tool of ours those
// that an agent knows it by.
func (v *evaluation) toolIDs() []string {
	names := make([]string, 0, len(v.Tools)+len(ownServers))
	for _, id := range v.Tools {
		if !strings.HasPrefix(id, Alleged) {
			id = canonicalTool(id)
		}
		names = append(names, id)
	}
	if v.Action == ActionCall && (v.Door == tool.DoorMCP || v.Door == tool.DoorA2A) && len(v.Tools) > 0 {
		for _, server := range ownServers {
			names = append(names, mcpPrefix+server+"."+v.Tools[0])
		}
	}
	if len(names) == 0 {
		names = append(names, "") // "*" is about everything
	}
	return names
}

// toolGlob is a pattern of applies_to.
type toolGlob struct {
	*glob
	loosely *glob // the same in foldTool's spelling, for what stops; nil where it says nothing more
	bare    *glob // the same without mcp_, where it names another server's tool
}

func compileToolGlob(text string) (*toolGlob, error) {
	g, err := compileGlob(canonicalTool(text), true)
	if err != nil {
		return nil, err
	}
	t := &toolGlob{glob: g}
	if folded := foldTool(canonicalTool(text)); folded != "" && !strings.ContainsAny(text, `[\`) {
		t.loosely, err = compileGlob(folded, true)
		if bare, mcp := strings.CutPrefix(folded, "mcp_"); err == nil && mcp && bare != "" &&
			bare[0] != '*' && bare[0] != '?' {
			t.bare, err = compileGlob(bare, true)
		}
	}
	return t, err
}

// means reports whether the pattern is about a tool of that name. What stops is about every spelling of it.
func (t *toolGlob) means(name string, verdict Verdict) bool {
	if alleged, ok := strings.CutPrefix(name, Alleged); ok {
		return verdict != Approve && t.mayBe(alleged)
	}
	if t.matches(name) {
		return true
	}
	return verdict != Approve && (t.mayMatch(name) || t.loosely != nil && t.loosely.mayMatch(foldTool(name)))
}

// Alleged stands in front of the names that an act has only by the agent's own words, such as a title. A
// rule that stops is about them as well; one that approves never is, and nothing counts by them.
const Alleged = "claimed:"

// mayBe reports whether an agent's words could name a tool that the pattern is about: github_create_issue,
// "Tool: github/create_issue" and "create_issue (github)" are mcp__github__create_issue.
func (t *toolGlob) mayBe(words string) bool {
	spellings := []string{canonicalTool(words)}
	if rest, ok := strings.CutSuffix(words, ")"); ok {
		if at := strings.LastIndex(rest, " ("); at > 0 {
			spellings = append(spellings, rest[at+2:]+"."+rest[:at])
		}
	}
	for _, spelling := range spellings {
		folded := foldTool(spelling)
		for _, filler := range []string{"tool_", "call_", "mcp_"} {
			folded = strings.TrimPrefix(folded, filler)
		}
		if t.mayMatch(spelling) || t.loosely != nil && t.loosely.mayMatch(folded) ||
			t.bare != nil && t.bare.mayMatch(folded) {
			return true
		}
	}
	return false
}

// known returns the ids of an act that are more than the agent's words.
func known(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return strings.HasPrefix(id, Alleged) })
}
