package acp

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// claim is what an agent says of an act of its own that it asks about. The agent writes every word of it:
// title, raw input, content and locations. Where they disagree, or hide something, the person is asked,
// whatever the rules say.
type claim struct {
	request permissions.Request
	// effects are what a yes to this covers, once, in the same turn: the frames in which the agent then
	// carries it out.
	effects []gate.Effect
	// unshown are further ones, of which the agent has not shown all: a no covers them, and a yes does not.
	unshown []gate.Effect
	// leads tells of each file that is named, and of the directory of a command, where its name leads, and
	// linked says so of the files that are called otherwise.
	leads  map[string]string
	linked []string
	// touched are the names of request.Paths.
	touched map[string]bool
	// resolved are the files that it meant when it was decided about; see permissions.ResolvedFiles.
	resolved []string
}

// resolve notes which files the act means now. There is nothing to add to it any more.
func (c *claim) resolve() { c.resolved = permissions.ResolvedFiles(c.request) }

// moved reports whether a name of the act leads to another file by now than when it was decided about.
func (c *claim) moved() bool {
	for name, real := range c.leads {
		if !leadsTo(c.request.Dir, name, real) {
			return true
		}
	}
	return !slices.Equal(c.resolved, permissions.ResolvedFiles(c.request))
}

// actions are ACP's tool kinds in our words.
var actions = map[string]permissions.Action{
	"read": permissions.ActionRead, "edit": permissions.ActionWrite, "delete": permissions.ActionDelete,
	"move": permissions.ActionMove, "search": permissions.ActionSearch, "execute": permissions.ActionExecute,
	"fetch": permissions.ActionFetch, "switch_mode": permissions.ActionSwitchMode,
}

// promptTools are the ids by which a rule may name what an agent asks about: those that the original system
// gave its file and shell tools, and one of our own for each kind that it did not know.
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

// readClaim turns what was told of a call into a Request; r is what every request of the session says.
func readClaim(s *Session, call *toolCall, r permissions.Request) claim {
	action, ok := actions[call.kind]
	switch {
	case leavesPlan(call):
		action = permissions.ActionSwitchMode
	case !ok:
		action = permissions.ActionOther
	}
	searched := ""
	if action == permissions.ActionSearch && s.b.o.SearchDir != nil {
		lists := false
		if searched, lists = s.b.o.SearchDir(call.title); lists {
			action = permissions.ActionRead // of a directory
		}
	}
	r.Action, r.Prompt, r.Tools = action, true, promptTools[action]
	c := claim{request: r, touched: map[string]bool{}}
	c.doubt(permissions.Doubtful(call.title)...)
	for text := range ndjson.Texts(join("[", call.content, ",", call.rawInput, "]")) {
		if doubts := reordered(text); doubts != nil {
			c.doubt(doubts...)
			break
		}
	}
	c.doubtOurWords(shownTexts(call)...)
	input, _ := exactObject(call.rawInput)
	c.request.Tools = append(slices.Clip(c.request.Tools), alleged(action, call, input)...)
	diffs, paths := c.readContent(call)
	if action != permissions.ActionWrite && len(diffs) > 0 {
		c.doubt(fmt.Sprintf("it says that it is of the kind %s, and shows a change of a file", action))
	}
	switch action {
	case permissions.ActionExecute:
		c.readCommand(call, readRawInput(call.rawInput))
	case permissions.ActionOther, permissions.ActionSwitchMode:
		if server, name, ok := mcpTool(call); ok {
			c.request.Tools = append([]string{"mcp." + server + "." + name}, c.request.Tools...)
			c.request.Arguments = decodeArguments(claimedArguments(call))
		}
		c.touch(paths["diff"], true)
	default:
		c.readPaths(diffs, paths, readRawInput(call.rawInput))
		if searched != "" && len(c.request.Paths) == 0 {
			if !filepath.IsAbs(searched) {
				searched = filepath.Join(c.request.Dir, searched)
			}
			c.touch([]string{searched}, false)
		}
		if action == permissions.ActionWrite {
			c.coverWrites(s, diffs)
		}
	}
	c.tellLinks(s)
	return c
}

// reordered says of a text that a person could read it in another order than a program does; nil when not.
func reordered(text string) []string {
	at := strings.IndexFunc(text, display.Reorders)
	if at < 0 {
		return nil
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	return []string{fmt.Sprintf("it holds U+%04X, behind which text is shown in another order", r)}
}

// shownTexts are the texts that a call shows, but for those of files.
func shownTexts(call *toolCall) []string {
	texts := []string{call.title}
	content, _ := (object{"c": call.content}).objects("c")
	for _, item := range content {
		texts = slices.AppendSeq(texts, ndjson.Texts(item["content"]))
	}
	return texts
}

// doubtOurWords doubts texts with a line that a person could take for one of ours: in the cards of agents
// they begin with our name.
func (c *claim) doubtOurWords(texts ...string) {
	if slices.ContainsFunc(texts, speaksAsUs) {
		c.doubt("it has words that begin as those of a2a-acp do")
	}
}

func (c *claim) doubt(why ...string) { c.request.Doubts = append(c.request.Doubts, why...) }

// shownDiff is a change of a file as a call shows it.
type shownDiff struct {
	path, newText string
	whole         bool   // newText is there
	oldText       string // what the file held before, as the agent says; "" for nothing
}

// readContent collects the changes that a call shows, and the files that its locations and changes name.
func (c *claim) readContent(call *toolCall) (diffs []shownDiff, paths map[string][]string) {
	paths = map[string][]string{}
	told := readMembers(object{"locations": call.locations, "content": call.content})
	for _, location := range told.objects("locations") {
		paths["locations"] = append(paths["locations"], location.text("path"))
	}
	for _, item := range told.objects("content") {
		if item.text("type") != "diff" {
			continue
		}
		d := shownDiff{}
		d.path, _ = item.optional("path")
		d.newText, d.whole = item.optional("newText")
		d.oldText, _ = item.optional("oldText")
		diffs = append(diffs, d)
		named := []string{d.path}
		for _, change := range item.objects("changes") { // version 2
			for _, key := range []string{"path", "oldPath", "newPath"} {
				name, _ := change.optional(key)
				named = append(named, name)
			}
		}
		paths["diff"] = append(paths["diff"],
			slices.DeleteFunc(named, func(name string) bool { return name == "" })...)
	}
	if told.err() != nil {
		c.doubt("its content or locations cannot be read in one way only: " + told.err().Error())
	}
	return diffs, paths
}

// readPaths collects every path that is named anywhere, and doubts a claim whose parts name different
// files: a diff of one file with another one's location would show the person the harmless one.
func (c *claim) readPaths(diffs []shownDiff, sources map[string][]string, input rawInput) {
	write := c.request.Action != permissions.ActionRead && c.request.Action != permissions.ActionSearch
	sources["raw input"] = append(input.paths, input.dirs...)
	sources["patch"] = input.patched
	c.doubt(input.doubts...)
	if len(input.commands) > 0 {
		c.doubt("its raw input names a command, though it says that it is of the kind " + string(c.request.Action))
	}
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		paths := sources[source]
		if len(paths) == 0 {
			continue
		}
		c.touch(paths, write)
		for other, others := range sources {
			if source < other && len(others) > 0 && len(c.touched) < mostListed && !sameFiles(c.request.Dir, paths, others) {
				c.doubt(fmt.Sprintf("its %s and its %s name different files", source, other))
			}
		}
	}
	if len(diffs) == 1 && diffs[0].whole && len(input.contents) == 1 && diffs[0].newText != input.contents[0] {
		c.doubt("its diff and its raw input write different texts")
	}
}

// touch adds files to those that the act is about. One whose name does not say one file to everybody is
// doubted.
func (c *claim) touch(paths []string, write bool) {
	for _, path := range paths {
		if c.touched[path] {
			continue
		}
		for _, name := range spellings(path) {
			if c.touched[name] {
				continue
			}
			if len(c.touched) >= mostListed {
				c.doubt(fmt.Sprintf("it names more than %d files", mostListed))
				return
			}
			c.touched[name] = true
			c.doubt(permissions.Doubtful(name)...)
			if real, err := permissions.Resolve(c.request.Dir, name); err != nil {
				c.doubt("not everybody takes a name in it for the same file: " + err.Error())
			} else {
				c.leadsTo(name, real)
			}
			c.request.Paths = append(c.request.Paths, permissions.Path{Name: name, Write: write})
		}
	}
}

// spellings are a name, and what agents' tools make of it: Claude's searches, whose hooks are told what the model
// wrote, cut off the blanks around it and compose its letters (NFC).
func spellings(path string) []string {
	trimmed := strings.TrimSpace(path)
	list := []string{path, trimmed, norm.NFC.String(trimmed)}
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return name == "" })
}

// leadsTo notes where a name leads.
func (c *claim) leadsTo(name, real string) {
	if c.leads == nil {
		c.leads = map[string]string{}
	}
	if _, known := c.leads[name]; !known {
		c.leads[name] = real
	}
}

// tellLinks notes which names lead to files that are called otherwise, by links or dots, but for the
// directories of the session, which its person calls as he does: a yes stands for the file, and a card shows
// a name.
func (c *claim) tellLinks(s *Session) {
	for _, path := range c.request.Paths {
		name := path.Name
		if !filepath.IsAbs(name) {
			name = strings.TrimSuffix(c.request.Dir, "/") + "/" + name
		}
		if real, known := c.leads[path.Name]; known && name != real && name != s.editorsName(real) {
			c.linked = append(c.linked, display.FullLine(path.Name)+" leads to "+display.FullLine(real))
		}
	}
}

// coverWrites lets a yes stand for the frames in which the agent has the editor write what its diffs show.
// People see of a diff what differs, so it shows a write only where the file really holds what the diff
// says that it did, on disk or, with changes that are not saved, in the editor. Of two texts for one file
// nobody can tell which one the yes is to.
func (c *claim) coverWrites(s *Session, diffs []shownDiff) {
	shown := map[string]int{}
	for _, d := range diffs {
		shown[c.leads[d.path]]++
	}
	for _, d := range diffs {
		real, known := c.leads[d.path]
		if !known || !d.whole {
			continue
		}
		effect := gate.Effect{Kind: permissions.ActionWrite, Path: real,
			Content: gate.ContentDigest(d.newText), Resolved: []string{real}, Over: s.holds(real)}
		if shown[real] == 1 && (isPresent(real, d.oldText) || s.editorHeld(real, d.oldText)) {
			c.effects = append(c.effects, effect)
		} else {
			c.unshown = append(c.unshown, effect)
		}
	}
}

func sameFiles(dir string, a, b []string) bool {
	resolve := func(list []string) (files []string) {
		list = slices.Clone(list)
		slices.Sort(list)
		for _, path := range slices.Compact(list) {
			real, err := permissions.Resolve(dir, path)
			if err != nil {
				real = "?" + path // the same as nothing else; it is doubted anyway
			}
			files = append(files, real)
		}
		slices.Sort(files)
		return slices.Compact(files)
	}
	return slices.Equal(resolve(a), resolve(b))
}

// readCommand finds the command that would run. Claude gives it as raw input and as title; Gemini's title
// is all there is, with the directory in prose (its run_shell_command, 0.61). Wherever it stands, it must
// be the same command.
func (c *claim) readCommand(call *toolCall, input rawInput) {
	command := claimedCommand{text: call.title}
	if len(input.commands) > 0 {
		command = input.commands[0]
	} else {
		c.readProse(call)
	}
	c.doubt(input.doubts...)
	for _, other := range input.commands {
		if !other.is(command) {
			c.doubt("its raw input does not say clearly what would run")
		}
	}
	if !command.reads(commandTitle(call)) {
		c.doubt("its title and its raw input name different commands")
	}
	if len(input.paths)+len(input.patched)+len(input.contents) > 0 {
		c.doubt("its raw input names files beside the command, and nobody here knows what for")
	}
	c.readDir(input.dirs)
	if len(command.argv) > 0 {
		c.request.SetArgv(command.argv)
	} else {
		c.request.SetShellText(command.text)
	}
	c.request.SetVariables(input.env)
	c.effects = append(c.effects, gate.Effect{
		Kind: permissions.ActionExecute, Command: command.text, Argv: command.argv, Dir: c.request.Dir,
		Env:      input.env,
		Resolved: permissions.ResolvedFiles(c.request),
	})
}

// readDir finds the directory that a command would run in.
func (c *claim) readDir(dirs []string) {
	if len(dirs) == 0 {
		dirs = []string{c.request.Dir}
	}
	var real string
	for i, dir := range dirs {
		to, err := permissions.Resolve(c.request.Dir, dir)
		switch {
		case err != nil:
			c.doubt("it cannot be told where it would run: " + err.Error())
			return
		case i > 0 && to != real:
			c.doubt("its raw input names two directories to run in")
			return
		}
		real = to
		if !filepath.IsAbs(dir) {
			dir = strings.TrimSuffix(c.request.Dir, "/") + "/" + dir
		}
		c.leadsTo(dir, to)
	}
	c.request.Dir = real
}

// readProse looks for the directory in Gemini's explanation: "[current working directory DIR] (…)", or "[in
// DIR] (…)" for a directory that the model chose. The model writes part of that line, so all that is
// believed is that the command runs in the session's own directory; anything else is doubted.
func (c *claim) readProse(call *toolCall) {
	content, _ := (object{"c": call.content}).objects("c")
	for _, item := range content {
		prose := item.object("content").text("text")
		if strings.HasPrefix(prose, "[") &&
			!strings.HasPrefix(prose, "[current working directory "+c.request.Dir+"]") {
			c.doubt("it would run in another directory than the session's")
		}
	}
}
