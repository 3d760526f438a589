package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Set is what all files say together. It never changes.
type Set struct {
	Tools     []Loaded           // in the order of their ids
	Resources []Resource         // in the order of their names
	Prompts   []Prompt           // in the order of their names
	Policies  []permissions.File // the weakest layer first; a workspace's own last
	// Governors are the weakest layer first, too.
	Governors []governor.File
	Settings  Settings
	// Commands is what is known of programs: nil for what comes with this program, where the person has no
	// commands.yaml.
	Commands *command.Catalogue
	// ErrorProfile is what the tools files were read under.
	ErrorProfile tool.ErrorProfile
	Files        []File // every file that was read, in the order in which they count
	// Warnings are what people should be told: of the files, of the tools that are in force, and of files not
	// read.
	Warnings yamldoc.Errors

	// Unread are the ids of embedded tools that were not read (Sources.OfferedOnly). No workspace may bring a
	// tool with one of them.
	Unread []string

	read []toolsRead // each tools file with what it says
}

// Ignored are the warnings about files that are there and do not count, or not whole: those of a workspace
// that nobody trusts, most of all.
func (s *Set) Ignored() yamldoc.Errors {
	var list yamldoc.Errors
	for _, e := range s.Warnings {
		if e.Rule == ruleIgnored {
			list = append(list, e)
		}
	}
	return list
}

// toolsRead is a tools file with what it says by itself. To check the scripts takes longer than everything
// else, so a file that stays as it is is not read again.
type toolsRead struct {
	file      File
	tools     []Loaded
	resources []Resource
	prompts   []Prompt
}

// loading is a Set that is being put together.
type loading struct {
	sources Sources
	last    *Set // what counted before; nil at the start
	set     *Set
	found   yamldoc.Errors
	tools   map[string]int // index in set.Tools
	files   []File         // every file that was read, those that do not count among them
	unread  File           // the embedded tools, where they are read only if settings expose one
}

// Load reads every file and puts them together: an entry of a later layer replaces the one with its id in an
// earlier layer, and an id that stands twice in one layer is a mistake. The error is an Errors that holds all
// mistakes of all files; nothing is half loaded.
func Load(sources Sources) (*Set, error) { return Reload(sources, nil) }

// Reload is Load after last: a file that has vanished since says what it said then, but for one of a
// workspace's own.
func Reload(sources Sources, last *Set) (*Set, error) {
	l := &loading{
		sources: sources, last: last,
		set:   &Set{Settings: DefaultSettings(), Commands: sources.Commands},
		tools: map[string]int{},
	}
	candidates, errs := sources.candidates()
	l.set.ErrorProfile, _ = sources.errorProfile() // candidates has said what is wrong
	for _, err := range errs {
		l.report(err)
	}
	for _, c := range candidates {
		l.add(c)
	}
	l.addExposed()
	l.warnOfUnread()
	if l.found.Broken() {
		AddExcerptsOf(l.files, l.found)
		return nil, l.found
	}
	l.found = append(l.found, WarningsOf(l.set.Tools)...)
	l.found = append(l.found, SharedSecrets(l.set.Tools)...)
	sort.Slice(l.set.Tools, func(i, j int) bool { return l.set.Tools[i].Tool.ID < l.set.Tools[j].Tool.ID })
	l.found = append(append(l.found, l.set.Settings.Warnings...), sources.obsoleteVariables()...)
	l.checkExposed()
	l.checkAccess()
	l.addMiddleware()
	l.sortOffers()
	AddExcerptsOf(l.files, l.found)
	l.set.Warnings = l.found
	return l.set, nil
}

// WarningsOf returns the warnings about tools. Of those of one source the same is said, and returned once.
func WarningsOf(tools []Loaded) (all yamldoc.Errors) {
	said := map[yamldoc.Error]bool{}
	for _, t := range tools {
		for _, w := range t.Warnings {
			if plain := withoutExcerpt(w); !said[plain] {
				said[plain] = true
				all = append(all, w)
			}
		}
	}
	return all
}

// About returns the warnings that matter to whoever uses one tool: those of other tools are left out. For ""
// it is all of them.
func (s *Set) About(tool string) yamldoc.Errors {
	others := map[yamldoc.Error]bool{}
	for _, t := range s.Tools {
		for _, w := range t.Warnings {
			plain := withoutExcerpt(w)
			other, known := others[plain]
			others[plain] = tool != "" && t.Tool.ID != tool && (other || !known)
		}
	}
	var kept yamldoc.Errors
	for _, w := range s.Warnings {
		if !others[withoutExcerpt(w)] {
			kept = append(kept, w)
		}
	}
	return kept
}

// withoutExcerpt returns a mistake that can be compared: its excerpt is a pointer, to lines that are shown beside it.
func withoutExcerpt(e yamldoc.Error) yamldoc.Error {
	e.Excerpt = nil
	return e
}

// ReadCommands returns what is known of programs: with the person's commands.yaml, where there is one.
func ReadCommands(sources Sources) (*command.Catalogue, error) {
	set, err := readKind(sources, kindCommands)
	if err != nil {
		return nil, err
	}
	return set.Commands, nil
}

// ReadSettingsOf returns the settings of the program itself, and reads nothing else.
func ReadSettingsOf(sources Sources) (Settings, error) {
	set, err := readKind(sources, kindSettings)
	if err != nil {
		return DefaultSettings(), err
	}
	return set.Settings, nil
}

// readKind reads the files of one kind.
func readKind(sources Sources, wanted kind) (*Set, error) {
	l := &loading{sources: sources, set: &Set{Commands: sources.Commands, Settings: DefaultSettings()}}
	candidates, _ := sources.candidates()
	for _, c := range candidates {
		if c.kind == wanted {
			l.add(c)
		}
	}
	if l.found.Broken() {
		AddExcerptsOf(l.files, l.found)
		return nil, l.found
	}
	return l.set, nil
}

// add reads one file, when it is there, and adds what it says.
func (l *loading) add(c candidate) {
	file, err := l.sources.read(c)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, errAbsent) {
		if kept, ok := l.lastCounted(c); ok {
			l.warn(c.name, ruleVanished, "put it back, or start the program again without it",
				"the file is gone; what it said last still counts")
			file, err = kept, nil
		}
	}
	switch {
	case errors.Is(err, errAbsent):
		return
	case err != nil && c.workspace != "" && c.kind == kindTools:
		l.warn(c.name, ruleIgnored, "", "the tools of the workspace are not loaded: %s", fileMessage(err))
		return
	case err != nil:
		l.fail(c, err)
		return
	}
	file.Commands = l.set.Commands
	l.files = append(l.files, file)
	if file.Workspace && !l.judge(c, &file) && c.kind != kindPolicies {
		return
	}
	l.set.Files = append(l.set.Files, file)
	switch c.kind {
	case kindTools:
		l.addTools(file)
	case kindPolicies:
		l.addPolicies(file)
	case kindGovernors:
		l.addGovernors(file)
	case kindCommands:
		l.addCommands(file)
	case kindSettings:
		settings, err := ReadSettings(file, l.set.Settings)
		l.found = append(l.found, yamldoc.List(err)...)
		l.set.Settings = settings
	}
}

// lastCounted returns a file as it counted last. What a workspace no longer has says nothing any more.
func (l *loading) lastCounted(c candidate) (File, bool) {
	if l.last == nil || c.workspace != "" {
		return File{}, false
	}
	for _, file := range l.last.Files {
		if file.Path == c.path && file.Layer == c.layer && !file.Workspace {
			return file, true
		}
	}
	return File{}, false
}

func (l *loading) addTools(file File) {
	if l.sources.OfferedOnly && file.Layer == tool.LayerEmbedded {
		l.unread, l.set.Unread = file, toolIDs(file.Data) // see addExposed
		return
	}
	read, err := l.readTools(file)
	if err != nil {
		l.found = append(l.found, yamldoc.List(err)...)
		return
	}
	l.addOffers(read)
	for _, t := range read.tools {
		if file.Workspace && !l.mayAdd(t.Tool) {
			continue
		}
		l.addGrants(&t)
		i, known := l.tools[t.Tool.ID]
		switch {
		case !known:
			l.tools[t.Tool.ID] = len(l.set.Tools)
			l.set.Tools = append(l.set.Tools, t)
		case l.set.Tools[i].Tool.Source.Layer == file.Layer:
			l.reportDuplicate(fmt.Sprintf("tool %q", t.Tool.ID), t.Tool.Source, l.set.Tools[i].Tool.Source)
		default:
			l.set.Tools[i] = t
		}
	}
}

// readTools returns what a tools file says: what it said last, when it is the same. The tools are shared and
// must not be changed.
func (l *loading) readTools(file File) (toolsRead, error) {
	if l.last != nil {
		i := slices.IndexFunc(l.last.read, func(before toolsRead) bool { return before.file.equal(file) })
		if i >= 0 {
			l.set.read = append(l.set.read, l.last.read[i])
			return l.last.read[i], nil
		}
	}
	read, err := readToolsFile(file)
	if err != nil {
		return toolsRead{}, err
	}
	for i := range read.tools {
		read.tools[i].Warnings = slices.Clip(read.tools[i].Warnings)
	}
	l.set.read = append(l.set.read, read)
	return read, nil
}

// addGrants adds what a tool's grants give on this machine.
func (l *loading) addGrants(t *Loaded) {
	if len(t.Tool.Sandbox.Grants) == 0 || l.sources.Env == nil {
		return
	}
	refused, err := grant.Give(&t.Tool.Sandbox, l.sources.Env)
	if err != nil { // reading has looked the names up
		l.report(yamldoc.Error{File: t.Tool.Source.File, Line: t.Tool.Source.Line, Column: t.Tool.Source.Column,
			Severity: yamldoc.SeverityError, Rule: ruleGrant, Message: err.Error()})
	}
	t.Tool.HoldToHints()
	for _, given := range refused {
		t.Warnings = append(t.Warnings, yamldoc.Error{
			File: t.Tool.Source.File, Line: t.Tool.Source.Line, Column: t.Tool.Source.Column,
			Severity: yamldoc.SeverityWarning, Rule: ruleGrant,
			Message: fmt.Sprintf("tool %q: sandbox.grants: %s is not granted: %s", t.Tool.ID, given.Name,
				given.Lacks),
		}.Escaped())
	}
}

func (l *loading) addPolicies(file File) {
	policies, err := ReadPolicies(file)
	if err != nil {
		l.found = append(l.found, yamldoc.List(err)...)
		return
	}
	if file.Workspace {
		// Ids of a stranger's file are its own: one that is also in use elsewhere must not take that rule's
		// place.
		l.bound(&policies)
		l.set.Policies = append(l.set.Policies, policies)
		return
	}
	for _, rule := range policies.Rules {
		l.dropReplacedRule(rule, file.Layer)
	}
	l.set.Policies = append(l.set.Policies, policies)
}

func (l *loading) addGovernors(file File) {
	read, told, err := ReadGovernors(file)
	if err != nil {
		l.found = append(l.found, yamldoc.List(err)...)
		return
	}
	l.found = append(l.found, told...)
	if !file.Workspace {
		for i := range l.set.Governors {
			earlier := &l.set.Governors[i]
			earlier.Permission = l.dropReplaced(earlier.Permission, read.Permission, earlier.Layer == file.Layer)
			earlier.Output = l.dropReplaced(earlier.Output, read.Output, earlier.Layer == file.Layer)
		}
	}
	l.set.Governors = append(l.set.Governors, read)
}

func (l *loading) addCommands(file File) {
	added, err := command.Read(file.Name, file.Data)
	if err != nil {
		found := fileError(file.Name, err)
		var mistake command.Mistake
		if errors.As(err, &mistake) {
			found.Line, found.Column, found.Message = mistake.Line, mistake.Column, mistake.What
			found.Rule = yamldoc.RuleValue
		}
		l.report(found)
	}
	l.set.Commands = added
}

// dropReplaced takes the governors out of an earlier layer that a later one has by the same id.
func (l *loading) dropReplaced(earlier, later []governor.Spec, sameLayer bool) []governor.Spec {
	var kept []governor.Spec
	for _, spec := range earlier {
		i := slices.IndexFunc(later, func(other governor.Spec) bool { return other.ID == spec.ID })
		switch {
		case i < 0:
			kept = append(kept, spec)
		case sameLayer:
			l.reportDuplicate(fmt.Sprintf("governor %q", spec.ID), later[i].Source, spec.Source)
		}
	}
	return kept
}

// dropReplacedRule takes the rules with a rule's id out of the weaker layers.
func (l *loading) dropReplacedRule(rule permissions.Rule, layer tool.Layer) {
	for i, earlier := range l.set.Policies {
		var rules []permissions.Rule
		for _, other := range earlier.Rules {
			switch {
			case other.ID != rule.ID:
				rules = append(rules, other)
			case earlier.Layer == layer:
				l.reportDuplicate(fmt.Sprintf("rule %q", rule.ID), rule.Source, other.Source)
			}
		}
		l.set.Policies[i].Rules = rules
	}
}

func (l *loading) reportDuplicate(what string, second, first tool.Source) {
	l.report(yamldoc.Error{
		File: second.File, Line: second.Line, Column: second.Column, Severity: yamldoc.SeverityError,
		Rule:    yamldoc.RuleDuplicate,
		Message: fmt.Sprintf("%s: is also at %s, in the same layer (%s)", what, first, first.Layer),
		Hint:    "take one of them out; a later layer may replace an entry, the same one may not",
	})
}

// warnOfUnread tells of files that people could expect to count.
func (l *loading) warnOfUnread() {
	dirs := []string{l.sources.SystemDir}
	if l.sources.ConfigHome != "" {
		dirs = append(dirs, filepath.Join(l.sources.ConfigHome, directoryName))
	}
	for _, dir := range dirs {
		for _, name := range []string{"tools.yml", "auto_approval_policies.yml", "a2a-acp.yml",
			"governors.yml", "commands.yml"} {
			path := filepath.Join(dir, name)
			if _, err := os.Lstat(path); err == nil && dir != "" {
				l.warn(path, ruleIgnored, "name it ….yaml", "the file is not read")
			}
		}
	}
}

// checkExposed tells of names in expose that no tool has.
func (l *loading) checkExposed() {
	for _, id := range l.set.Settings.Expose {
		if _, known := l.tools[id]; known {
			continue
		}
		hint := ""
		if near := spelling.Nearest(id, l.ids()); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		l.warn(settingsName, yamldoc.RuleValue, hint, "expose: there is no tool %q", id)
	}
}

func (l *loading) ids() []string {
	var ids []string
	for _, t := range l.set.Tools {
		ids = append(ids, t.Tool.ID)
	}
	return ids
}

func (l *loading) warn(file, rule, hint, format string, args ...any) {
	l.report(yamldoc.Error{File: file, Severity: yamldoc.SeverityWarning, Rule: rule,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (l *loading) report(e yamldoc.Error) { l.found = append(l.found, e.Escaped()) }

// fail says why a file that is there, or must be, cannot be used.
func (l *loading) fail(c candidate, err error) {
	found := fileError(c.name, err)
	var why untrusted
	switch {
	case errors.As(err, &why) && c.layer == tool.LayerSystem:
		found.Rule = ruleUntrusted
		found.Hint = "chown root and chmod go-w it: it overrides all other files, so only root may write it"
	case errors.As(err, &why) && why.cure != "":
		found.Rule, found.Hint = ruleUntrusted, why.cure
	case errors.As(err, &why):
		found.Rule = ruleUntrusted
		found.Hint = "move it to a directory that does not also hold the workspace, such as ~/.config/a2a-acp of your " +
			"account, or name it with a flag: a repository can bring files and, through direnv, set variables"
	case errors.Is(err, os.ErrNotExist) && c.by != "":
		found.Message = fmt.Sprintf("%s names this file, and there is none", c.by)
	case errors.Is(err, os.ErrNotExist):
		found.Message = "there is no such file"
	}
	l.report(found)
}

// AddExcerptsOf returns each of a list the line that it is about, as far as the files hold it.
func AddExcerptsOf(files []File, list yamldoc.Errors) {
	for _, file := range files {
		yamldoc.AddExcerpts(list, file.Name, file.Data)
	}
}
