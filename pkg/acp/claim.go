package acp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// claim is what an agent says of an act of its own that it asks about. The agent writes every word of it: title, raw
// input, content and locations. Where they disagree, or hide something, the person is asked, whatever the rules say.
type claim struct {
	request permissions.Request
	// acts are what a yes to this covers, once, in the same turn: the frames in which the agent then carries it out.
	acts []permissions.Act
}

// actions are ACP's tool kinds in our words.
var actions = map[string]permissions.Action{
	"read": permissions.ActionRead, "edit": permissions.ActionWrite, "delete": permissions.ActionDelete,
	"move": permissions.ActionMove, "search": permissions.ActionSearch, "execute": permissions.ActionExecute,
	"fetch": permissions.ActionFetch, "switch_mode": permissions.ActionSwitchMode,
}

// promptTools are the ids by which a rule may name what an agent asks about: those that the original system gave its
// file and shell tools, and one of our own for each kind that it did not know.
var promptTools = map[permissions.Action][]string{
	permissions.ActionRead:       {"functions.acp_fs__read_text_file"},
	permissions.ActionWrite:      {"functions.acp_fs__edit_text_file", "functions.acp_fs__write_text_file"},
	permissions.ActionDelete:     {"acp.delete"},
	permissions.ActionMove:       {"acp.move"},
	permissions.ActionSearch:     {"acp.search"},
	permissions.ActionExecute:    {"functions.shell"},
	permissions.ActionFetch:      {"acp.fetch"},
	permissions.ActionSwitchMode: {"acp.switch_mode"},
	permissions.ActionOther:      {"acp.other"},
}

// readClaim turns what was told of a call into a Request.
func readClaim(s *Session, id string, call *toolCall, agent, principal string) claim {
	action, ok := actions[call.kind]
	switch {
	case leavesPlan(call):
		action = permissions.ActionSwitchMode
	case !ok:
		action = permissions.ActionOther
	}
	c := claim{request: permissions.Request{
		Door: tool.DoorACP, Action: action, Prompt: true, Tools: promptTools[action],
		Workspace: s.Workspace(), Dir: s.Dir(), Agent: agent, Principal: principal, Session: id, Mode: s.Mode(),
	}}
	c.doubt(permissions.Doubtful(call.title)...)
	input, err := exactObject(call.rawInput)
	if err != nil && len(call.rawInput) > 0 && string(call.rawInput) != "null" {
		c.doubt(fmt.Sprintf("its raw input cannot be read in one way only: %v", err))
	}
	c.request.Tools = append(slices.Clip(c.request.Tools), alleged(action, call, input)...)
	switch action {
	case permissions.ActionExecute:
		c.readCommand(call, input)
	case permissions.ActionOther, permissions.ActionSwitchMode:
		if server, name, ok := mcpTool(call); ok {
			c.request.Tools = append([]string{"mcp." + server + "." + name}, c.request.Tools...)
			c.request.Arguments = decodeArguments(claimedArguments(call))
		}
	default:
		c.readPaths(call, input)
	}
	return c
}

func (c *claim) doubt(why ...string) { c.request.Doubts = append(c.request.Doubts, why...) }

// readPaths collects every path that is named anywhere, and doubts a claim whose parts name different files: a diff of
// one file with another one's location would show the person the harmless one.
func (c *claim) readPaths(call *toolCall, input object) {
	write := c.request.Action != permissions.ActionRead && c.request.Action != permissions.ActionSearch
	sources := map[string][]string{}
	add := func(source, path string) {
		if path == "" {
			return
		}
		c.doubt(permissions.Doubtful(path)...)
		if !slices.Contains(sources[source], path) {
			sources[source] = append(sources[source], path)
		}
		if !slices.ContainsFunc(c.request.Paths, func(p permissions.Path) bool { return p.Name == path }) {
			c.request.Paths = append(c.request.Paths, permissions.Path{Name: path, Write: write})
		}
	}
	locations, whole := (object{"l": call.locations}).objects("l")
	for _, location := range locations {
		add("locations", location.text("path"))
	}
	content, wholeContent := (object{"c": call.content}).objects("c")
	if !whole || !wholeContent {
		c.doubt("its content or locations cannot be read in one way only")
	}
	for _, item := range content {
		if item.text("type") != "diff" {
			continue
		}
		add("diff", item.text("path"))
		changes, _ := item.objects("changes") // version 2
		for _, change := range changes {
			for _, key := range []string{"path", "oldPath", "newPath"} {
				add("diff", change.text(key))
			}
		}
		if _, ok := item["newText"]; ok && write {
			c.acts = append(c.acts, permissions.Act{
				Kind: permissions.ActionWrite, Path: resolved(c.request.Dir, item.text("path")),
				Content: permissions.ContentDigest(item.text("newText")),
			})
		}
	}
	for _, key := range inputPaths {
		add("raw input", input.text(key))
	}
	for source, paths := range sources {
		for other, others := range sources {
			if source < other && !sameFiles(c.request.Dir, paths, others) {
				c.doubt(fmt.Sprintf("its %s and its %s name different files", source, other))
			}
		}
	}
}

// inputPaths are the names under which agents put a path into a tool's raw input.
var inputPaths = []string{"path", "file_path", "filePath", "abs_path", "absolute_path", "notebook_path", "target_file"}

func sameFiles(dir string, a, b []string) bool {
	contains := func(list []string, path string) bool {
		return slices.ContainsFunc(list, func(p string) bool { return resolved(dir, p) == resolved(dir, path) })
	}
	for _, path := range a {
		if !contains(b, path) {
			return false
		}
	}
	return len(a) == len(b)
}

// resolved is the name of a file without the links on its way; the name itself where that cannot be told.
func resolved(dir, path string) string {
	if r, err := permissions.Resolve(dir, path); err == nil {
		return r
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// readCommand finds the command that would run. Claude gives it as raw input and as title; Gemini's title is all there is,
// with the directory in prose (its run_shell_command, 0.61).
func (c *claim) readCommand(call *toolCall, input object) {
	command, inputGiven := "", false
	for _, key := range []string{"command", "cmd"} {
		raw, ok := input[key]
		if !ok {
			continue
		}
		inputGiven = true
		if argv := input.texts(key); len(argv) > 0 {
			script := shellscan.ScanArgv(argv)
			c.request.Argv = argv
			c.setShell(&script, strings.Join(argv, " "))
			return
		}
		s, err := ndjson.String(raw)
		if err != nil || command != "" {
			c.doubt("its raw input does not say clearly what would run")
		}
		command = s
	}
	switch title := strings.TrimSpace(strings.Trim(strings.TrimSpace(call.title), "`")); {
	case !inputGiven:
		command = call.title
		c.readProse(call)
	case title != strings.TrimSpace(command):
		c.doubt("its title and its raw input name different commands")
	}
	for _, key := range []string{"cwd", "workdir", "directory", "dir_path"} {
		if dir := input.text(key); dir != "" {
			c.request.Dir = resolved(c.request.Dir, dir)
		}
	}
	script := shellscan.Scan(command)
	c.setShell(&script, command)
}

func (c *claim) setShell(script *shellscan.Script, text string) {
	c.request.Shell, c.request.ShellText = script, text
	c.doubt(permissions.Doubtful(text)...)
	c.acts = append(c.acts, permissions.Act{Kind: permissions.ActionExecute, Command: text, Dir: c.request.Dir})
}

// readProse looks for the directory in Gemini's explanation: "[current working directory DIR] (…)", or "[in DIR] (…)" for
// a directory that the model chose. The model writes part of that line, so all that is believed is that the command runs
// in the session's own directory; anything else is doubted.
func (c *claim) readProse(call *toolCall) {
	content, _ := (object{"c": call.content}).objects("c")
	for _, item := range content {
		prose := item.object("content").text("text")
		if strings.HasPrefix(prose, "[") && !strings.HasPrefix(prose, "[current working directory "+c.request.Dir+"]") {
			c.doubt("it would run in another directory than the session's")
		}
	}
}

// leavesPlan recognises the question whether to leave the planning mode, which some agents ask as a tool call of no
// particular kind. A yes switches the mode, so no rule may give it.
func leavesPlan(call *toolCall) bool {
	meta, _ := exactObject(call.meta)
	for _, name := range []string{call.name, meta.object("claudeCode").text("toolName")} {
		if name == "ExitPlanMode" || name == "exit_plan_mode" {
			return true
		}
	}
	return strings.HasPrefix(call.id, "exit_plan_mode__")
}

// mcpTool recognises a call of an MCP server's tool. Where the agent names the tool, by the call's name or in Claude's
// _meta, that alone counts: a title may be the model's own words. Gemini names it only in the title, "TOOL (SERVER MCP
// Server)", and in the id of the call, mcp_SERVER_TOOL__…; a tool with an argument called command has that for its title.
func mcpTool(call *toolCall) (server, name string, ok bool) {
	meta, _ := exactObject(call.meta)
	for _, named := range []string{meta.object("claudeCode").text("toolName"), call.name} {
		if named != "" {
			return splitName(named, "mcp__", "__")
		}
	}
	made, _, _ := strings.Cut(call.id, "__")
	if rest, found := strings.CutSuffix(call.title, " MCP Server)"); found && (made == call.id || strings.HasPrefix(made, "mcp_")) {
		if at := strings.LastIndex(rest, " ("); at > 0 && at+2 < len(rest) {
			return rest[at+2:], rest[:at], true
		}
	}
	if at := strings.LastIndex(call.id, "__"); at > 0 {
		return splitName(call.id[:at], "mcp_", "_")
	}
	return "", "", false
}

// alleged lists the names that an agent's words give to a tool of another server, in whatever way: its title, where the call is of
// no kind that we know, and a server and a tool in its raw input (Codex). They are enough to stop an act, never to approve one.
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
