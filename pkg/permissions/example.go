package permissions

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Example is an act told in few words: of a rule's match and not_match, of a test, or of a question to
// explain.
type Example struct {
	Source    tool.Source    `json:"-"`
	Tool      string         `json:"tool,omitempty"`
	Action    Action         `json:"action,omitempty"` // optional: what the tool's id says
	Arguments map[string]any `json:"params,omitempty"`
	Paths     []string       `json:"paths,omitempty"`
	Command   string         `json:"command,omitempty"` // shell text
	Argv      []string       `json:"argv,omitempty"`    // or the words of one command
	Dir       string         `json:"dir,omitempty"`     // where it runs; relative to the workspace
	Env       []string       `json:"env,omitempty"`     // names of the variables that it sets
	Agent     string         `json:"agent,omitempty"`
	Principal string         `json:"principal,omitempty"` // who calls the daemon; "" for what does not come through it
	Workspace string         `json:"workspace,omitempty"` // its directory, which may begin with ~/; "" for where the example is told
	Mode      string         `json:"mode,omitempty"`
	Headless  bool           `json:"headless,omitempty"`
	Confined  bool           `json:"confined,omitempty"` // the agent's sandbox holds the act
	ReadOnly  bool           `json:"read_only,omitempty"`
}

// The ids of what agents ask the editor to do, after the original system.
const (
	ToolRead  = "functions.acp_fs__read_text_file"
	ToolWrite = "functions.acp_fs__write_text_file"
	ToolEdit  = "functions.acp_fs__edit_text_file"
	ToolShell = "functions.shell"
)

// actionsOf says what the ids mean that are no tools of tools.yaml.
var actionsOf = map[string]Action{
	ToolRead: ActionRead, ToolWrite: ActionWrite, ToolEdit: ActionWrite, ToolShell: ActionExecute,
	"acp.delete": ActionDelete, "acp.move": ActionMove, "acp.search": ActionSearch, "acp.fetch": ActionFetch,
	"acp.other":       ActionOther,
	"acp.switch_mode": ActionSwitchMode, "acp.set_mode": ActionSwitchMode,
	"acp.set_config_option": ActionSwitchMode,
}

// KnownTool reports whether an id names what agents ask the editor to do.
func KnownTool(id string) bool {
	_, ok := actionsOf[id]
	return ok || strings.HasPrefix(canonicalTool(id), mcpPrefix)
}

// KnownTools lists those ids, sorted.
func KnownTools() []string {
	var ids []string
	for id := range actionsOf {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Check tells why the example is no act; nil when it is one.
func (e Example) Check() error {
	switch {
	case e.Tool == "" && e.Command == "" && len(e.Argv) == 0 && len(e.Paths) == 0:
		return fmt.Errorf("it names no tool, no command and no path")
	case e.Workspace != "" && !filepath.IsAbs(e.Workspace) && !strings.HasPrefix(e.Workspace, "~/"):
		return fmt.Errorf("its workspace is %s, and a workspace begins with / or ~/", display.Line(e.Workspace))
	case e.Command != "" && len(e.Argv) > 0:
		return fmt.Errorf("it has a command as text and as words")
	case (e.Command != "" || len(e.Argv) > 0) && e.action() != ActionExecute && e.action() != ActionCall:
		return fmt.Errorf("it has a command, and %s runs none", e.Tool)
	}
	return nil
}

func (e Example) action() Action {
	if e.Action != "" {
		return e.Action
	}
	if e.onlyPaths() {
		return ActionRead
	}
	if e.Tool == "" {
		return ActionExecute
	}
	if action, ok := actionsOf[e.Tool]; ok {
		return action
	}
	if strings.HasPrefix(canonicalTool(e.Tool), mcpPrefix) {
		return ActionOther
	}
	return ActionCall
}

// onlyPaths reports whether the example says no more of an act than files: they are read, as `policy explain --path` has it.
func (e Example) onlyPaths() bool {
	return e.Tool == "" && e.Command == "" && len(e.Argv) == 0 && len(e.Paths) > 0
}

// Request is the act as a door would see it, in a workspace, by what is known of programs.
func (e Example) Request(w tool.Workspace, commands *command.Catalogue) Request {
	r := Request{
		Door: tool.DoorACP, Action: e.action(), Tools: []string{canonicalTool(e.Tool)},
		Arguments: e.Arguments, Workspace: w, Dir: w.Root,
		Agent: e.Agent, Mode: e.Mode, Headless: e.Headless, Confined: e.Confined, TakesProfile: true, Env: e.Env, ReadOnly: e.ReadOnly,
		Commands: commands, Principal: e.Principal, Served: e.Principal != "",
	}
	switch {
	case e.onlyPaths() && writes(r.Action):
		r.Tools = []string{ToolWrite}
	case e.onlyPaths():
		r.Tools = []string{ToolRead}
	case e.Tool == "":
		r.Tools = []string{ToolShell}
	}
	if e.Dir != "" {
		r.Dir = e.Dir
		if !filepath.IsAbs(e.Dir) {
			r.Dir = filepath.Join(w.Root, e.Dir)
		}
	}
	if r.Action == ActionCall {
		r.Door = tool.DoorMCP
	}
	paths := e.Paths
	if len(paths) == 0 {
		paths = pathArguments(e.Arguments)
	}
	for _, name := range paths {
		r.Paths = append(r.Paths, Path{Name: name, Write: writes(r.Action) ||
			r.Action == ActionCall && !e.ReadOnly})
	}
	switch {
	case len(e.Argv) > 0:
		r.SetArgv(e.Argv)
	case e.Command != "" || r.Action == ActionExecute:
		r.SetShellText(e.Command)
	}
	r.SetsVariables(e.Env)
	if r.Shell != nil && r.Arguments == nil {
		r.Arguments = map[string]any{"command": r.ShellText}
	}
	return r
}

// In returns the workspace of the example: what it says, in a home directory, or the one in which it is told.
func (e Example) In(told tool.Workspace, home string) tool.Workspace {
	switch rest, below := strings.CutPrefix(e.Workspace, "~/"); {
	case below:
		return tool.Workspace{Root: filepath.Join(home, rest)}
	case e.Workspace != "":
		return tool.Workspace{Root: filepath.Clean(e.Workspace)}
	}
	return told
}

// PathNames are the parameters whose values are taken for paths, in whatever tool and whatever their
// format: the original system's names and those that agents' own tools use.
var PathNames = set("path paths file files file_path filePath filename directory dir destination source database")

// pathArguments lists the files that arguments name.
func pathArguments(arguments map[string]any) []string {
	var paths []string
	names := make([]string, 0, len(arguments))
	for name := range arguments {
		if PathNames[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		list, ok := arguments[name].([]any)
		if !ok {
			list = []any{arguments[name]}
		}
		for _, item := range list {
			if text, ok := item.(string); ok && text != "" {
				paths = append(paths, text)
			}
		}
	}
	return paths
}

// exampleRoot is the workspace that examples of rules are about. It does not exist, so that what they say
// does not depend on the machine.
const exampleRoot = "/nonexistent/workspace"

// exampleHome is the home directory of whoever does it, and does not exist either.
const exampleHome = "/nonexistent/home"

// ExampleWorkspace is the workspace of exampleRoot.
func ExampleWorkspace() tool.Workspace { return tool.Workspace{Root: exampleRoot} }

// NotAboutExample is how a mistake begins that says why a rule is not about an example of its own.
const NotAboutExample = "the rule is not about this example: "

// CheckExamples asks the rule about its own examples: one of match that it is not about, and one of
// not_match that it is about, is a mistake. Time and counts are left out, and a git work tree and the directories
// that a command goes to are taken for granted: what a rule means must not change by itself.
func (r *Rule) CheckExamples(commands *command.Catalogue) []FieldError {
	if len(r.Match)+len(r.NotMatch) == 0 {
		return nil
	}
	timeless := *r
	timeless.Expires, timeless.Limit, timeless.InGitWorkTree = time.Time{}, nil, false
	compiled := compileRule(timeless)
	if compiled.fault != "" {
		return nil // told already
	}
	var found []FieldError
	for _, list := range []struct {
		field    string
		examples []Example
		want     bool
	}{{"match", r.Match, true}, {"not_match", r.NotMatch, false}} {
		for i, example := range list.examples {
			field := fmt.Sprintf("%s[%d]", list.field, i)
			if err := example.Check(); err != nil {
				found = append(found,
					FieldError{Field: field, Message: "the example is no act: " + err.Error(),
						Hint: "tool, params, path, paths, command, argv, dir, env, agent, workspace, mode, headless"})
				continue
			}
			request := example.Request(example.In(ExampleWorkspace(), exampleHome), commands)
			v := newEvaluation(request, exampleHome, newSensitive(nil), exampleFiles{dirs: dirsOf(request)}, &gitrepo.Asker{})
			v.gather(func() { compiled.gather(v) })
			switch got := compiled.match(v); {
			case list.want && got.holds != yes:
				found = append(found,
					FieldError{Field: field, Message: NotAboutExample + got.why,
						Hint: "mend the rule, or the example"})
			case !list.want && got.holds != no:
				found = append(found,
					FieldError{Field: field, Message: "the rule is about this example: " + got.why,
						Hint: "mend the rule, or the example"})
			}
		}
	}
	return found
}

// exampleFiles are the files of an example: those of the machine, with the directories that its command goes to.
type exampleFiles struct {
	machine
	dirs []string
}

// Stat is os.Stat, and finds a directory where the command of the example goes to one that is not there.
func (f exampleFiles) Stat(name string) (fs.FileInfo, error) {
	info, err := f.machine.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(f.dirs, filepath.Clean(name)) {
		return f.machine.Stat("/")
	}
	return info, err
}

// dirsOf lists the directories that the command of an example goes to, from where it begins and one from the other.
func dirsOf(r Request) []string {
	if r.Shell == nil {
		return nil
	}
	dirs := []string{r.Dir}
	for _, c := range r.Shell.Commands {
		target := elsewhere(c)
		if last := len(c.Args) - 1; c.Name == "cd" && last >= 0 && c.Args[last].Fixed {
			target = c.Args[last].Text
		}
		if target == "" {
			continue
		}
		for _, dir := range slices.Clone(dirs) {
			if to := joined(dir, target); len(dirs) < mostDirectories && !slices.Contains(dirs, to) {
				dirs = append(dirs, to)
			}
		}
	}
	return dirs
}
