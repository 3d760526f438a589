package hook

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// Claude Code's hooks (https://code.claude.com/docs/en/hooks). What is not written there was measured with
// claude-agent-acp 0.100.0 (Claude Code 2.1.316): onFailure, and that _meta carries settings.

// claude asks by starting this program, as settings say that a session is opened with.
var claude = Agent{Read: ReadClaude, Say: SayClaude, Rereads: true, Off: []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"},
	Meta: claudeMeta, NoTool: ClaudeNoTool, Words: claudeWords, SayAgain: sayClaudeAgain}

func claudeMeta(self, socket string) json.RawMessage {
	settings := ClaudeSettings(self, []string{Verb, "claude", socket})
	return encode(map[string]any{"claudeCode": map[string]any{"options": map[string]any{"settings": settings}}})
}

// claudeTools are the tools of Claude Code 2.1. What is not here is asked about as an act of no known kind;
// so is every tool of an MCP server.
var claudeTools = map[string]Call{
	"Bash":         {Kind: "execute"},
	"Read":         {Kind: "read"},
	"NotebookRead": {Kind: "read"},
	"Write":        {Kind: "edit"},
	"Edit":         {Kind: "edit"},
	"MultiEdit":    {Kind: "edit"},
	"NotebookEdit": {Kind: "edit"},
	"Glob":         {Kind: "search"},
	"Grep":         {Kind: "search"},
	"LS":           {Kind: "search"},
	"WebFetch":     {Kind: "fetch"},
	"WebSearch":    {Kind: "fetch"},

	"Agent":           {Harmless: true}, // its own calls come here; see ofAgents
	"Task":            {Harmless: true},
	"TaskCreate":      {Harmless: true},
	"TaskGet":         {Harmless: true},
	"TaskList":        {Harmless: true},
	"TaskOutput":      {Harmless: true},
	"TaskUpdate":      {Harmless: true},
	"BashOutput":      {Harmless: true}, // of a command that was decided about
	"KillShell":       {Harmless: true},
	"TodoWrite":       {Harmless: true},
	"ToolSearch":      {Harmless: true},
	"EnterPlanMode":   {Harmless: true},
	"ExitPlanMode":    {TheirOwn: true},
	"AskUserQuestion": {TheirOwn: true},
}

// ofAgents are the members of what starts an agent below that make it no more than one whose calls come here,
// as the SDK's types of tools have them (sdk-tools.d.ts, AgentInput). Others make a working tree of git's,
// which runs the repository's filters and hooks, or run the agent on another machine.
var ofAgents = strings.Fields("description prompt subagent_type model effort run_in_background name team_name mode " +
	"max_turns resume")

// ReadClaude reads what a hook of Claude Code was told.
func ReadClaude(event []byte) (Call, error) {
	told, err := readEvent(event)
	if err != nil {
		return Call{}, fmt.Errorf("what Claude told its hook: %w", err)
	}
	tool := told.text("tool_name")
	c := claudeTools[tool]
	c.ID, c.Tool, c.Input, c.Dir = told.text("tool_use_id"), tool, told.members["tool_input"], told.text("cwd")
	c.Planning = told.text("permission_mode") == "plan"
	if session := told.text("session_id"); session != "" {
		c.Sessions = []string{session}
	}
	moment, failure := told.text("hook_event_name"), told.text("error")
	if told.wrong != nil {
		return Call{}, fmt.Errorf("what Claude told its hook: %w", told.wrong)
	}
	switch moment {
	case "PreToolUse":
	case claudeAgain:
		c.Moment = Again
		return c, nil
	case "SessionStart":
		c.Moment = Begins
		return c, nil
	case "PostToolUse":
		c.Moment = After
	case "PostToolUseFailure":
		c.Moment, c.Failed, c.Error, c.Exit = After, true, failure, exitCode(failure)
	default:
		return Call{}, fmt.Errorf("a hook of Claude's was started for %q, and nobody here knows what that is", moment)
	}
	if tool == "" || c.ID == "" || len(c.ID) > longestID || !filepath.IsAbs(c.Dir) {
		return Call{}, errors.New("the hook was not told which tool Claude is about to use, in which call, or where")
	}
	in, err := readInput(c.Input)
	if err != nil {
		return Call{}, fmt.Errorf("the input of Claude's %q: %w", tool, err)
	}
	if tool == "Agent" || tool == "Task" {
		c.Harmless = in.has(ofAgents...)
	}
	if tool == "Skill" {
		c.Note = "A skill may run commands of its own while it is loaded, and no hook asks about these."
	}
	c.Title = claudeTitle(tool, in)
	if c.Kind == "read" || c.Kind == "edit" {
		c.File = in.about("file_path", "notebook_path")
	}
	c.Changes, c.ChangesAreAll = claudeChanges(tool, in)
	if c.Kind == "search" {
		c.Locations = searched(c.Dir, in.text("path"), in.text("pattern"), tool == "Glob")
	}
	if in.wrong != nil && c.Kind != "" { // of another tool nobody here knows what its members are
		return Call{}, fmt.Errorf("the input of Claude's %q: %w", tool, in.wrong)
	}
	return c, nil
}

// searched lists where a search looks: in a directory, "" for the one that it starts in, and where the
// pattern of a glob leads.
func searched(start, dir, pattern string, glob bool) []string {
	places := []string{dir}
	if glob {
		places = append(places, globPlace(dir, pattern))
	}
	for i, place := range places {
		if !filepath.IsAbs(place) {
			places[i] = start + "/" + place // not cleaned: the kernel follows links first
		}
	}
	return places
}

// longestID is the length of the longest id of a call, in bytes; Claude's have 30.
const longestID = 256

// recalled is what Claude's adapter shows of its memory, which Claude Code looks through by itself.
var recalled = lazyregexp.New(`^Recalled (synthesized memory|\d+ memor(y|ies))$`)

// ClaudeNoTool reports whether a card of Claude's is that of no tool that was started. Where a call failed
// before it began, what was wrong with it stands between tags; what came of a command begins with its exit
// code. Every tool's card has its name.
func ClaudeNoTool(c Card) bool {
	return c.compaction() || c.Name == "" && len(c.Input) == 0 && c.Kind == "read" && recalled.MatchString(c.Title) ||
		strings.HasPrefix(c.Failure, "<tool_use_error>")
}

// globPlace returns a directory in which all lies that a pattern can match: what stands before its first
// special character, and all of the machine for one that could lead elsewhere behind it.
func globPlace(dir, pattern string) string {
	special := strings.IndexAny(pattern, `*?[]{}()!+@\`)
	if special < 0 {
		special = len(pattern)
	}
	before, behind := pattern[:special], pattern[special:]
	choices := strings.ContainsAny(behind, `{([\`) && strings.Contains(behind, "/")
	if strings.Contains(behind, "..") || before == "" && choices {
		return "/"
	}
	before = before[:strings.LastIndex(before, "/")+1]
	if filepath.IsAbs(before) {
		return before
	}
	return cmp.Or(dir, ".") + "/" + before
}

// claudeTitle is a call in one line. Of a command it is the command, word by word.
func claudeTitle(tool string, in *input) string {
	if tool == "Bash" {
		return in.text("command")
	}
	if about := in.about("file_path", "notebook_path", "url", "query", "pattern", "path", "skill"); about != "" {
		return tool + " " + about
	}
	return tool
}

// claudeChanges lists what a call does to files, and reports whether that is all that its input says.
func claudeChanges(tool string, in *input) (list []Change, all bool) {
	file, edits := in.text("file_path"), []*input{in}
	switch tool {
	case "Write":
		if content := in.optional("content"); content != nil {
			return []Change{{Path: file, NewText: *content}}, in.has("file_path", "content")
		}
		return nil, false
	case "Edit":
		all = in.has("file_path", "old_string", "new_string")
	case "MultiEdit":
		edits, all = in.objects("edits"), in.has("file_path", "edits")
	default:
		return nil, false
	}
	for _, edit := range edits {
		if text := edit.optional("new_string"); text != nil {
			list = append(list, Change{Path: file, OldText: edit.optional("old_string"), NewText: *text})
		}
		all = all && (tool == "Edit" || edit.has("old_string", "new_string"))
		in.wrong = cmp.Or(in.wrong, edit.wrong)
	}
	return list, all && len(list) > 0
}

var claudeExit = lazyregexp.New(`^Exit code (\d{1,3})\b`)

// exitCode finds a command's exit code in how Claude Code begins to tell of a failure; nil where there is
// none.
func exitCode(failure string) *int {
	found := claudeExit.FindStringSubmatch(strings.TrimSpace(failure))
	if found == nil {
		return nil
	}
	code, err := strconv.Atoi(found[1])
	if err != nil {
		return nil
	}
	return &code
}

// SayClaude writes an answer as Claude Code reads it from a hook's standard output. Of what several hooks
// say, deny is stronger than ask, and ask than allow; an updatedInput of any of them counts. Undecided is an
// object without a decision: output that is none would be no decision either, and is what a hook that broke
// looks like.
func SayClaude(a Answer) []byte {
	decision := map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "deny",
		"permissionDecisionReason": a.Reason}
	switch a.Verdict {
	case Allow:
		decision["permissionDecision"] = "allow"
	case Confirm:
		decision["permissionDecision"] = "ask"
	case Undecided:
		if a.Input == nil {
			return []byte("{}")
		}
		decision = map[string]any{"hookEventName": "PreToolUse"}
	}
	if a.Input != nil && a.Verdict != Deny {
		decision["updatedInput"] = a.Input
	}
	return encode(map[string]any{"hookSpecificOutput": decision})
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic("a2a-acp: bug: " + err.Error())
	}
	return text
}

// ClaudeSettings returns the settings that have Claude Code start a command before and after each tool. Where
// the command cannot be started, fails, or takes longer than a day, the tool is blocked. A workspace's
// disableAllHooks would switch it off, so ours says false.
func ClaudeSettings(command string, args []string) json.RawMessage {
	return encode(claudeSettings(claudeHook(command, args), ""))
}

func claudeHook(command string, args []string) map[string]any {
	return map[string]any{"type": "command", "command": command, "args": args, "timeout": int(longestWait.Seconds())}
}

func claudeSettings(entry map[string]any, shown string) map[string]any {
	blocking := maps.Clone(entry)
	blocking["onFailure"] = "block"
	if shown != "" {
		blocking["statusMessage"] = shown
	}
	return map[string]any{"disableAllHooks": false, "hooks": map[string]any{
		"PreToolUse": ofAll(blocking), "PostToolUse": ofAll(entry), "PostToolUseFailure": ofAll(entry),
	}}
}

// ofAll is a hook for all tools.
func ofAll(entry map[string]any) []any {
	return []any{map[string]any{"matcher": "*", "hooks": []any{entry}}}
}

// claudeAgain is the event at which Claude Code would show its person a question, after all hooks before the
// tool have been heard. It does not say which call it is about.
const claudeAgain = "PermissionRequest"

// claudeWords have Claude Code ask in a terminal of a person's. What was approved there it asks about once
// more, as behind a bridge: by a hook where it has a person to ask, and where it prints, by a tool of an MCP
// server's, since no hook is started for that there.
func claudeWords(at Endpoint) []string {
	entry := claudeHook(at.Self, []string{Verb, "claude", at.Socket})
	settings := claudeSettings(entry, at.Shown)
	hooks := settings["hooks"].(map[string]any)
	hooks["SessionStart"] = []any{map[string]any{"hooks": []any{entry}}}
	if !at.Prints {
		hooks[claudeAgain] = ofAll(entry)
		return []string{"--settings", string(encode(settings))}
	}
	servers := map[string]any{"mcpServers": map[string]any{againServer: map[string]any{"command": at.Self,
		"args": []string{Verb, againVerb, at.Socket}}}}
	return []string{"--mcp-config", string(encode(servers)),
		"--permission-prompt-tool", "mcp__" + againServer + "__" + againTool, "--settings", string(encode(settings))}
}

// sayClaudeAgain writes an answer to the question of claudeAgain. The input stands in it, so that no other is
// put in its place behind us. Undecided leaves it to the person at the terminal.
func sayClaudeAgain(a Answer, c Call) []byte {
	decision := map[string]any{"behavior": "deny", "message": a.Reason}
	switch a.Verdict {
	case Undecided:
		return []byte("{}")
	case Allow, Confirm:
		decision = map[string]any{"behavior": "allow", "updatedInput": c.Input}
	}
	return encode(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": claudeAgain, "decision": decision}})
}
