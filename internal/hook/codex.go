package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// codex has hooks that are configured and trusted one by one (https://developers.openai.com/codex/hooks).
// What is not written there was measured with codex-acp 2.6.0 (codex 0.166.0): that CODEX_CONFIG takes our
// own trust along, how it is computed, and what a hook that fails does.
var codex = Agent{Read: ReadCodex, Say: SayCodex, Blocked: codexBlocked, Variable: "CODEX_CONFIG", Set: CodexConfig,
	Proof: codexProof, NoTool: codexNoTool, Words: codexWords, Trial: codexTrial}

// codexTools are the tools of codex 0.166. What is not here is asked about as an act of no known kind; so is
// every tool of an MCP server. write_stdin has no hook: a command that runs what it reads is asked about for
// that.
var codexTools = map[string]Call{
	"Bash":       {Kind: "execute"},
	"view_image": {Kind: "read"},

	"spawn_agent":   {Harmless: true}, // its own calls come here
	"send_input":    {Harmless: true},
	"send_message":  {Harmless: true},
	"followup_task": {Harmless: true},
	"wait_agent":    {Harmless: true},
	"wait":          {Harmless: true},
	"list_agents":   {Harmless: true},
	"close_agent":   {Harmless: true},
	"resume_agent":  {Harmless: true},
	"update_plan":   {Harmless: true},
	"get_goal":      {Harmless: true}, // its notes of what it is to reach
	"create_goal":   {Harmless: true},
	"update_goal":   {Harmless: true},

	"request_user_input": {TheirOwn: true},
}

// codexAgents is what the hook is told in front of the names of most tools that are about agents below. No tool of an
// MCP server's begins so.
const codexAgents = "multi_agent_v1"

// ReadCodex reads what a hook of Codex was told.
func ReadCodex(event []byte) (Call, error) {
	told, err := readEvent(event)
	if err != nil {
		return Call{}, fmt.Errorf("what Codex told its hook: %w", err)
	}
	tool := told.text("tool_name")
	c := codexTools[strings.TrimPrefix(tool, codexAgents)]
	c.ID, c.Tool, c.Input, c.Dir = told.text("tool_use_id"), tool, told.members["tool_input"], told.text("cwd")
	c.Sessions = []string{told.text("session_id")}
	c.ServerTools = "mcp__?__"
	c.Final, c.CardEnds = true, true // its hook behind a tool knows no exit code, and is not started behind a patch
	moment := told.text("hook_event_name")
	if told.wrong != nil {
		return Call{}, fmt.Errorf("what Codex told its hook: %w", told.wrong)
	}
	if moment != "PreToolUse" {
		return Call{}, fmt.Errorf("a hook of Codex' was started for %q, and nobody here knows what that is", moment)
	}
	if tool == "" || c.ID == "" || len(c.ID) > longestID || !filepath.IsAbs(c.Dir) {
		return Call{}, errors.New("the hook was not told which tool Codex is about to use, in which call, or where")
	}
	in, err := readInput(c.Input)
	if err != nil {
		return Call{}, fmt.Errorf("the input of Codex' %q: %w", tool, err)
	}
	c.Title = tool
	switch {
	case c.Kind == "read":
		c.Title += " " + in.text("path")
	case c.Kind == "execute":
		c.Title = in.text("command")
		if patch, found := patchOf(c.Title); found && in.has("command") {
			c.Kind, c.Title, c.Input = "edit", "apply_patch", encode(map[string]string{"patch": patch})
		}
	}
	if in.wrong != nil {
		return Call{}, fmt.Errorf("the input of Codex' %q: %w", tool, in.wrong)
	}
	return c, nil
}

// patchCommand is how Codex' model changes files by its shell, which Codex carries out itself. The text of a
// quoted document is what the patch is.
var patchCommand = lazyregexp.New(`(?s)^apply_patch <<(?:'([A-Za-z_]+)'` +
	`|"([A-Za-z_]+)")\n(\*\*\* Begin Patch\n.*\n\*\*\* End Patch\n)([A-Za-z_]+)\n?$`)

// patchOf returns the patch that a command applies and does nothing else.
func patchOf(command string) (patch string, found bool) {
	parts := patchCommand.FindStringSubmatch(command)
	if parts == nil || parts[1]+parts[2] != parts[4] || strings.Contains("\n"+parts[3], "\n"+parts[4]+"\n") {
		return "", false
	}
	return parts[3], true
}

// codexNoTool reports whether a card of Codex' is that of what it does with its conversation, or of what its
// model's maker does and Codex only hears of: a search of the web, an image. A command's card has other
// members.
func codexNoTool(c Card) bool {
	in, err := readEvent(c.Input) // what is no object has no type
	return c.compaction() || c.Kind == "search" && err == nil && in.text("type") == "webSearch" ||
		c.Kind == "other" && c.Title == "Image generation" && c.Name == ""
}

// SayCodex writes an answer as codexBlocked reads it. A yes says nothing to Codex: it goes on asking where it
// would without us.
func SayCodex(a Answer) []byte {
	switch {
	case a.Verdict == Deny:
	case a.Input != nil:
		return encode(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse",
			"permissionDecision": "allow", "updatedInput": a.Input}})
	default:
		return []byte("{}")
	}
	return encode(map[string]string{"deny": a.Reason})
}

// codexBlocked returns why a tool is not to be used. What stands on standard output and cannot be read is no
// decision to Codex, so a no is told by the exit code.
func codexBlocked(answer []byte) (why string, blocked bool) {
	var said struct {
		Deny *string `json:"deny"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return err.Error(), true
	}
	if said.Deny == nil {
		return "", false
	}
	return *said.Deny, true
}

// CodexConfig adds our hooks, and that they are trusted, to the settings that Codex finds in its environment.
// Where the command cannot be started or fails, the shell that Codex starts it with says that the tool is
// blocked.
func CodexConfig(value string, at Endpoint) (string, error) {
	config := map[string]json.RawMessage{}
	var features, hooks, state map[string]json.RawMessage
	for _, part := range []struct {
		into *map[string]json.RawMessage
		from func() json.RawMessage
	}{
		{into: &config, from: func() json.RawMessage { return json.RawMessage(value) }},
		{into: &features, from: func() json.RawMessage { return config["features"] }},
		{into: &hooks, from: func() json.RawMessage { return config["hooks"] }},
		{into: &state, from: func() json.RawMessage { return hooks["state"] }},
	} {
		if raw := part.from(); len(raw) > 0 {
			if err := json.Unmarshal(raw, part.into); err != nil {
				return "", fmt.Errorf("CODEX_CONFIG: %w", err)
			}
		}
		if *part.into == nil {
			*part.into = map[string]json.RawMessage{}
		}
	}
	command := codexCommand(at)
	var groups []json.RawMessage
	if theirs := hooks["PreToolUse"]; len(theirs) > 0 {
		if err := json.Unmarshal(theirs, &groups); err != nil {
			return "", fmt.Errorf("CODEX_CONFIG: hooks.PreToolUse: %w", err)
		}
	}
	entry := codexHook(command, at.Shown)
	state[codexKey(len(groups))] =
		encode(map[string]string{"trusted_hash": codexTrust(entry)})
	hooks["PreToolUse"] = encode(append(groups, encode(map[string]any{"matcher": "*", "hooks": []any{entry}})))
	features["hooks"] = json.RawMessage("true") // a workspace can say false
	features[codexInstalls] = json.RawMessage("false")
	hooks["state"] = encode(state)
	config["features"], config["hooks"] = encode(features), encode(hooks)
	return string(encode(config)), nil
}

// codexInstalls is by what Codex enters the servers that a skill wants into the person's settings, and starts them, as soon
// as the skill is named: where it asks about nothing else it does not ask about that either (0.166, of a repository's skill).
const codexInstalls = "skill_mcp_dependency_install"

// codexCommand is the hook, as the shell that Codex starts gets it.
func codexCommand(at Endpoint) string {
	return shellWord(at.Self) + " " + Verb + " codex " + shellWord(at.Socket) + " || exit 2"
}

// codexHook is the hook in Codex' settings; shown is what Codex shows while it waits for it, "" for words of its own.
func codexHook(command, shown string) map[string]any {
	entry := map[string]any{"type": "command", "command": command, "timeout": int(longestWait.Seconds())}
	if shown != "" {
		entry["statusMessage"] = shown
	}
	return entry
}

// codexProof asks Codex which hooks it has. One that it does not trust it passes over without a word.
func codexProof(dir string, at Endpoint) (method string, params any, holds func(result json.RawMessage) error) {
	return "_codex/hooks/list", map[string]string{"cwd": dir}, func(result json.RawMessage) error {
		var told codexHooks
		if err := json.Unmarshal(result, &told); err != nil {
			return err
		}
		return told.hold(at)
	}
}

// codexHooks are those that Codex says it has.
type codexHooks struct {
	Hooks []struct {
		Hash    string `json:"currentHash"`
		Trust   string `json:"trustStatus"`
		Enabled *bool  `json:"enabled"`
	} `json:"hooks"`
}

// hold returns an error where ours is not in force.
func (told codexHooks) hold(at Endpoint) error {
	ours := codexTrust(codexHook(codexCommand(at), at.Shown))
	for _, hook := range told.Hooks {
		if hook.Hash == ours && hook.Trust == "trusted" && (hook.Enabled == nil || *hook.Enabled) {
			return nil
		}
	}
	return errors.New("it does not have them, or does not trust them")
}

// codexWords have Codex ask in a terminal of a person's, by its flags for settings. A server that it shares
// with other terminals would know nothing of these (--no-daemon).
func codexWords(at Endpoint) []string {
	entry := codexHook(codexCommand(at), at.Shown)
	hooks := map[string]any{
		"PreToolUse": []any{map[string]any{"matcher": "*", "hooks": []any{entry}}},
		"state":      map[string]any{codexKey(0): map[string]any{"trusted_hash": codexTrust(entry)}},
	}
	return []string{"--no-daemon", "-c", "features.hooks=true", "-c", "features." + codexInstalls + "=false",
		"-c", "hooks=" + toml(hooks)}
}

// codexKey is where Codex keeps its trust in a hook that its flags for settings bring.
func codexKey(group int) string {
	return fmt.Sprintf("/<session-flags>/config.toml:pre_tool_use:%d:0", group)
}

// codexTrial asks Codex' server (codex app-server) which hooks it has.
func codexTrial(dir string, at Endpoint) Trial {
	var says []byte
	for _, message := range []map[string]any{
		{"id": 1, "method": "initialize", "params": map[string]any{"clientInfo": map[string]any{"name": "a2a-acp", "version": "1"}}},
		{"method": "initialized"},
		{"id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{dir}}},
	} {
		says = append(append(says, encode(message)...), '\n')
	}
	return Trial{Words: []string{"app-server"}, Says: says, Judge: func(line []byte) (over bool, err error) {
		var answer struct {
			ID     int `json:"id"`
			Result struct {
				Data []codexHooks `json:"data"`
			} `json:"result"`
		}
		if json.Unmarshal(line, &answer) != nil || answer.ID != 2 {
			return false, nil //nolint:nilerr // it says other things, too
		}
		if len(answer.Result.Data) != 1 {
			return true, errors.New("it does not say which it has")
		}
		return true, answer.Result.Data[0].hold(at)
	}}
}

// toml writes a value as TOML has it in one line, with its keys in order.
func toml(value any) string {
	switch value := value.(type) {
	case map[string]any:
		var members []string
		for _, key := range slices.Sorted(maps.Keys(value)) {
			members = append(members, toml(key)+"="+toml(value[key]))
		}
		return "{" + strings.Join(members, ",") + "}"
	case []any:
		var elements []string
		for _, element := range value {
			elements = append(elements, toml(element))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	return string(plainEncode(value)) // texts and numbers are written as in JSON
}

// codexTrust is by what Codex knows a hook that was trusted: the hash of what it is, as JSON with its keys in
// order.
func codexTrust(hook map[string]any) string {
	whole := maps.Clone(hook)
	whole["async"] = false
	sum := sha256.Sum256(plainEncode(map[string]any{"event_name": "pre_tool_use", "matcher": "*", "hooks": []any{whole}}))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// plainEncode writes JSON with no more escapes than it needs.
func plainEncode(value any) []byte {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("a2a-acp: bug: " + err.Error())
	}
	return []byte(strings.TrimSuffix(text.String(), "\n"))
}

// shellWord writes a word as a shell reads it back.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
