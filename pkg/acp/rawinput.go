package acp

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// inputRole says what a member of a tool's raw input means to the agent's tool.
type inputRole int

const (
	inputUnknown inputRole = iota
	inputCommand           // what runs: shell text, or a list of words
	inputPath              // a file or directory, or a list of them
	inputDir               // the directory that a command runs in; of other tools a directory that they touch
	inputEnv               // variables for a command
	inputPatch             // a text that names the files that it changes
	inputContent           // the whole new text of a file
	inputText              // what is written or looked for, or how much of it: it chooses no file and no command
	inputNested            // an object or a list, whose members are looked at
)

// inputMembers are the members of raw inputs by their spelling, as the tools of Claude Code 2.1, Gemini CLI
// 0.61, Codex 2.6, opencode 1.18 and their kind have them. A member that is not here may do anything, so
// nobody but a person answers about it.
var inputMembers = spelled(map[inputRole]string{
	inputCommand: "command cmd script shell_command bash_command command_line argv",
	inputPath: `path paths file files file_path file_paths filename filepath abs_path absolute_path notebook_path target_file
		source destination old_path new_path uri`,
	inputDir:     "cwd workdir working_directory work_dir directory dir dir_path",
	inputEnv:     "env environment environment_variables",
	inputPatch:   "patch diff patch_text unified_diff",
	inputContent: "content contents file_text",
	inputText: `description timeout timeout_ms run_in_background is_background justification explanation reason instruction
		old_string new_string old_str new_str replace_all expected_replacements old_text new_text new_source cell_id cell_number
		cell_type edit_mode insert_line insert_text view_range offset limit line lines start_line end_line pages page pattern regex
		query glob include exclude type output_mode head_limit multiline case_sensitive max_results context url urls prompt format
		-n -i -A -B -C`,
	inputNested: "edits changes",
})

func spelled(table map[inputRole]string) map[string]inputRole {
	all := map[string]inputRole{}
	for role, names := range table {
		for name := range strings.FieldsSeq(names) {
			all[inputSpelling(name)] = role
		}
	}
	return all
}

// inputSpelling is the form in which the names of members are compared: filePath is file_path. A name that
// begins with a dash is an option, and its case counts.
func inputSpelling(name string) string {
	if strings.HasPrefix(name, "-") {
		return name
	}
	return spelling(name)
}

// rawInput is what a raw input says, whatever its members are called.
type rawInput struct {
	commands []claimedCommand
	paths    []string
	dirs     []string
	env      []permissions.Variable
	patched  []string // the files that patches name
	contents []string
	doubts   []string
}

// readRawInput reads a raw input. Whatever cannot be told of it is a doubt.
func readRawInput(raw []byte) rawInput {
	var in rawInput
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return in
	}
	members, err := exactObject(raw)
	if err != nil {
		in.doubt("its raw input cannot be read in one way only: " + err.Error())
		return in
	}
	in.read(members)
	return in
}

func (in *rawInput) doubt(why string) { in.doubts = append(in.doubts, why) }

func (in *rawInput) read(members object) {
	for _, key := range sortedKeys(members) {
		value := members[key]
		if string(value) == "null" {
			continue
		}
		switch role := inputMembers[inputSpelling(key)]; role {
		case inputText:
			if nested(value) {
				in.unknown(key)
			}
		case inputCommand:
			in.command(key, value)
		case inputEnv:
			in.variables(value)
		case inputNested:
			in.nested(key, value)
		case inputPath, inputDir, inputPatch, inputContent:
			in.texts(key, value, role)
		default:
			in.unknown(key)
		}
	}
}

func sortedKeys(members object) []string {
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (in *rawInput) unknown(key string) {
	in.doubt("nobody here knows what " + display.Line(key) + " in its raw input does")
}

// nested reports whether a value is a list or an object.
func nested(value []byte) bool { return len(value) > 0 && (value[0] == '{' || value[0] == '[') }

// nested reads an object of lists, or a list of objects: Claude's edits.
func (in *rawInput) nested(key string, value []byte) {
	for inner := range ndjson.Elements(value) {
		members, err := exactObject(inner)
		if err != nil {
			in.unknown(key)
			return
		}
		in.read(members)
	}
	if value[0] != '[' {
		in.unknown(key)
	}
}

func (in *rawInput) command(key string, value []byte) {
	if value[0] != '[' {
		text, err := ndjson.String(value)
		if err != nil {
			in.unknown(key)
		}
		in.commands = append(in.commands, claimedCommand{text: text})
		return
	}
	var argv []string
	for word := range ndjson.Elements(value) {
		text, err := ndjson.String(word)
		if err != nil {
			in.unknown(key)
			return
		}
		argv = append(argv, text)
	}
	if len(argv) > 0 {
		in.commands = append(in.commands, claimedCommand{argv: argv})
	}
}

// texts reads a text, or a list of texts.
func (in *rawInput) texts(key string, value []byte, role inputRole) {
	add := func(raw []byte) {
		text, err := ndjson.String(raw)
		switch {
		case err != nil:
			in.unknown(key)
		case text == "":
		case role == inputDir:
			in.dirs = append(in.dirs, text)
		case role == inputPatch:
			files, plain := patchedFiles(text)
			in.patched = append(in.patched, files...)
			if !plain {
				in.doubt("its patch can be read in more than one way, and may change files that are not told here")
			}
		case role == inputContent:
			in.contents = append(in.contents, text)
		default:
			in.paths = append(in.paths, text)
		}
	}
	if value[0] != '[' {
		add(value)
		return
	}
	for item := range ndjson.Elements(value) {
		add(item)
	}
}

// variables reads {"NAME": "value"}, or [{"name": …, "value": …}].
func (in *rawInput) variables(value []byte) {
	if value[0] == '[' {
		p := readMembers(object{"env": value})
		in.env = append(in.env, p.variables("env")...)
		if p.err() != nil {
			in.unknown("env")
		}
		return
	}
	members, err := exactObject(value)
	if err != nil {
		in.unknown("env")
		return
	}
	for _, name := range sortedKeys(members) {
		text, err := ndjson.String(members[name])
		if err != nil {
			in.unknown("env")
		}
		in.env = append(in.env, permissions.Variable{Name: name, Value: text})
	}
}
