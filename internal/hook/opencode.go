package hook

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

// opencode has plugins (https://opencode.ai/docs/plugins), which are code in its own process: ours asks us
// before each tool. What is not written there was measured with opencode 1.18.33.
var opencode = Agent{Read: ReadOpencode, Say: SayOpencode, Off: []string{"OPENCODE_PURE"},
	Variable: "OPENCODE_CONFIG_CONTENT", Set: OpencodeConfig,
	NoTool: func(Card) bool { return false }}

// opencodeTools are the tools of opencode 1.18. What is not here is asked about as an act of no known kind;
// so is every tool of an MCP server.
var opencodeTools = map[string]Call{
	"bash":        {Kind: "execute"},
	"read":        {Kind: "read"},
	"write":       {Kind: "edit"},
	"edit":        {Kind: "edit"},
	"apply_patch": {Kind: "edit"},
	"glob":        {Kind: "search"},
	"grep":        {Kind: "search"},
	"webfetch":    {Kind: "fetch"},
	"websearch":   {Kind: "fetch"},

	"task":      {Harmless: true}, // its own calls come here; see ofTasks
	"todowrite": {Harmless: true},
	"skill":     {Harmless: true}, // one of those that it was told of
	"invalid":   {Harmless: true}, // it tells the model that there is no such tool

	"question":   {TheirOwn: true},
	"plan_enter": {TheirOwn: true},
	"plan_exit":  {TheirOwn: true},
}

// ofTasks are the members of what starts an agent below that make it no more than one whose calls come here.
var ofTasks = strings.Fields("description prompt subagent_type task_id command")

// ReadOpencode reads what our plugin in opencode says.
func ReadOpencode(event []byte) (Call, error) {
	told, err := readEvent(event) // opencode.js wrote it
	if err != nil {
		return Call{}, fmt.Errorf("what the plugin in opencode says: %w", err)
	}
	tool := told.text("tool")
	c := opencodeTools[tool]
	c.ID, c.Tool, c.Input, c.Dir, c.Final = told.text("call"), tool, told.members["input"], told.text("dir"), true
	c.ServerTools = "*_"
	told.read("sessions", &c.Sessions)
	moment, failed, exit := told.text("moment"), false, (*int)(nil)
	told.read("failed", &failed)
	told.read("exit", &exit)
	failure := told.text("error")
	if told.wrong != nil {
		return Call{}, fmt.Errorf("what the plugin in opencode says: %w", told.wrong)
	}
	switch moment {
	case "before":
	case "after":
		c.Moment, c.Failed, c.Error, c.Exit = After, failed || exit != nil && *exit != 0, failure, exit
	default:
		return Call{}, fmt.Errorf("the plugin in opencode speaks of %q, and nobody here knows what that is", moment)
	}
	if tool == "" || c.ID == "" || len(c.ID) > longestID || !filepath.IsAbs(c.Dir) {
		return Call{}, errors.New("the plugin was not told which tool opencode is about to use, in which call, or where")
	}
	in, err := readInput(c.Input)
	if err != nil {
		return Call{}, fmt.Errorf("the input of opencode's %q: %w", tool, err)
	}
	if tool == "task" {
		c.Harmless = in.has(ofTasks...)
	}
	c.Title = opencodeTitle(tool, in)
	if c.Kind == "read" || c.Kind == "edit" {
		c.File = in.text("filePath")
	}
	switch tool {
	case "write":
		if content := in.optional("content"); content != nil {
			c.Changes = []Change{{Path: in.text("filePath"), NewText: *content}}
			c.ChangesAreAll = in.has("filePath", "content")
		}
	case "edit":
		if text := in.optional("newString"); text != nil {
			c.Changes = []Change{{Path: in.text("filePath"), OldText: in.optional("oldString"), NewText: *text}}
			c.ChangesAreAll = in.has("filePath", "oldString", "newString")
		}
	}
	if c.Kind == "search" {
		c.Locations = searched(c.Dir, in.text("path"), in.text("pattern"), tool == "glob")
		if tool == "grep" {
			c.Locations = append(c.Locations, around(c.Locations[0])...)
		}
	}
	if in.wrong != nil && c.Kind != "" { // of another tool nobody here knows what its members are
		return Call{}, fmt.Errorf("the input of opencode's %q: %w", tool, in.wrong)
	}
	return c, nil
}

// around returns the directory of what is none, in which opencode's grep looks at all files then, behind links too.
func around(place string) []string {
	if info, err := os.Stat(place); err == nil && info.IsDir() {
		return nil
	}
	if real, err := filepath.EvalSymlinks(place); err == nil {
		place = real
	}
	return []string{filepath.Dir(place)}
}

// opencodeTitle is a call in one line. Of a command it is the command, word by word.
func opencodeTitle(tool string, in *input) string {
	if tool == "bash" {
		return in.text("command")
	}
	if about := in.about("filePath", "url", "query", "pattern", "path"); about != "" {
		return tool + " " + about
	}
	return tool
}

// SayOpencode writes an answer as our plugin reads it. Where it is undecided, opencode asks by itself.
func SayOpencode(a Answer) []byte {
	answer := map[string]any{"allow": a.Verdict != Deny, "reason": a.Reason}
	if a.Input != nil && a.Verdict != Deny {
		answer["input"] = a.Input
	}
	return encode(answer)
}

// opencodeNet is a permission of its own that stands for all: a person's "*" stays what it is. opencode goes
// by the last one that fits, and asks about everything while this is there; the plugin takes it away when it
// is loaded.
const opencodeNet = "**"

//go:embed opencode.js
var opencodePlugin []byte

// OpencodeConfig writes our plugin beside the socket, and puts it into the settings that opencode finds in
// its environment. Of several plugins by one name the last is taken, so ours has a name that nobody can
// guess.
func OpencodeConfig(value string, at Endpoint) (string, error) {
	config := map[string]json.RawMessage{}
	if value != "" {
		if err := json.Unmarshal([]byte(value), &config); err != nil {
			return "", fmt.Errorf("OPENCODE_CONFIG_CONTENT: hooks are added to plain JSON only: %w", err)
		}
	}
	file := filepath.Join(filepath.Dir(at.Socket), "a2a-acp-"+unixsocket.Token(8)+".js")
	mode := os.FileMode(0o600)
	if at.Shared {
		mode = 0o644
	}
	if err := os.WriteFile(file, opencodePlugin, mode); err != nil {
		return "", err
	}
	var plugins []json.RawMessage
	if theirs, given := config["plugin"]; given {
		if err := json.Unmarshal(theirs, &plugins); err != nil {
			return "", fmt.Errorf("OPENCODE_CONFIG_CONTENT: plugin: %w", err)
		}
	}
	config["plugin"] = encode(append(plugins,
		encode([]any{"file://" + file, map[string]string{"socket": at.Socket, "net": opencodeNet}})))
	permission, err := withNet(config["permission"])
	config["permission"] = permission
	return string(encode(config)), err
}

// withNet adds the net behind a person's own permissions, whose order counts.
func withNet(theirs json.RawMessage) (json.RawMessage, error) {
	ours := []byte(`"` + opencodeNet + `":"ask"}`)
	theirs = bytes.TrimSpace(theirs)
	var all string
	switch {
	case len(theirs) == 0:
		return slices.Concat([]byte("{"), ours), nil
	case json.Unmarshal(theirs, &all) == nil:
		return slices.Concat([]byte(`{"*":`), theirs, []byte(","), ours), nil
	case theirs[0] != '{':
		return nil, errors.New("OPENCODE_CONFIG_CONTENT: permission is neither a text nor an object")
	}
	inner := bytes.TrimSpace(theirs[1 : len(theirs)-1])
	if len(inner) > 0 {
		inner = append(slices.Clip(inner), ',')
	}
	return slices.Concat([]byte("{"), inner, ours), nil
}
