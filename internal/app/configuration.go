package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Configuration is what the files say, checked as a whole and ready to decide by, including the files of
// the workspaces whose sessions have begun. It is immutable: what is read later is another Configuration,
// which replaces it atomically.
type Configuration struct {
	Set       *config.Set // the files; those that only a workspace's sessions meet are in own
	Tools     *executor.Tools
	Authority *permissions.Authority
	Governors *governor.Governors

	read string              // how the files that are no workspace's looked when Set was read
	seen string              // how the files looked when Set was read
	own  map[string]admitted // by the directories of a workspace whose session has begun
}

// admitted are a workspace's own files, as they were read.
type admitted struct {
	w        tool.Workspace
	seen     string // how they looked then
	policies []permissions.File
}

// Configuration returns the one that is in force now. See Refreshed.
func (a *App) Configuration() *Configuration { return a.configuration.Load() }

// Set returns the files that are in force now.
func (a *App) Set() *config.Set { return a.Configuration().Set }

// with returns the configuration with another Set; seen is how the files looked before they were read.
// Everything that can fail has been done before.
func (a *App) with(before *Configuration, set *config.Set, seen string) *Configuration {
	next := *before
	next.Set, next.seen = set, seen
	var everywhere []config.Loaded
	for _, loaded := range set.Tools {
		if loaded.Tool.Source.Layer != tool.LayerProject {
			everywhere = append(everywhere, loaded)
		}
	}
	entries := entriesOf(everywhere)
	a.holdBack(set, entries)
	next.Tools = before.Tools.With(entries)
	next.Authority = before.Authority.With(permissions.NewSet(set.Policies), set.Commands).
		WithAnswers(set.Settings.People.AtTerminal)
	next.Governors = before.Governors.With(governorsOf(set, false))
	if before.Set != nil && !set.Commands.Same(before.Set.Commands) {
		next.own = maps.Clone(before.own)
		for key, own := range next.own {
			own.seen = "" // to be read again, by what is known of programs now
			next.own[key] = own
		}
	}
	a.recordFiles(set.Files)
	return a.withOwn(&next, a.sources.Workspace, set)
}

// withOwn returns the configuration with the tools and governors of a workspace, in force only there.
// Policies know the workspace that they are in force in (permissions.File.Root).
func (a *App) withOwn(before *Configuration, w tool.Workspace, set *config.Set) *Configuration {
	if w.Root == "" {
		return before
	}
	next := *before
	entries := entriesOf(a.ownTools(before, set))
	if len(entries) > 0 {
		a.watchScripts(w.Root, entries)
	}
	next.Tools = before.Tools.WithOwn(w.Root, entries)
	next.Governors = before.Governors.WithOwn(w, governorsOf(set, true))
	return &next
}

// admitting returns the configuration with a workspace's own files as they were read.
func (c *Configuration) admitting(own admitted) *Configuration {
	next := *c
	if next.own = maps.Clone(c.own); next.own == nil {
		next.own = map[string]admitted{}
	}
	next.own[workspaceKey(own.w)] = own
	next.Authority = c.Authority.WithOwn(own.w, slices.Clone(own.policies))
	return &next
}

func workspaceKey(w tool.Workspace) string { return strings.Join(w.Dirs(), "\x00") }

// governorsOf returns the governors of workspaces, or all others.
func governorsOf(set *config.Set, project bool) []governor.File {
	return slices.DeleteFunc(slices.Clone(set.Governors),
		func(f governor.File) bool { return f.Project != project })
}

// ownTools returns the tools of a set that a workspace brings and that replace nobody else's.
func (a *App) ownTools(before *Configuration, set *config.Set) []config.Loaded {
	ids := slices.Clone(before.Set.Unread)
	for _, entry := range before.Tools.List() {
		ids = append(ids, entry.Tool.ID)
	}
	var own []config.Loaded
	for _, loaded := range set.Tools {
		if loaded.Tool.Source.Layer != tool.LayerProject {
			continue
		}
		if why := config.MayNotAdd(loaded.Tool.ID, ids); why != "" {
			a.o.Say(fmt.Sprintf("%s: tool %q of the workspace is left out: %s", loaded.Tool.Source,
				loaded.Tool.ID, why))
			continue
		}
		own = append(own, loaded)
	}
	return own
}

// entriesOf returns tools ready to be called.
func entriesOf(tools []config.Loaded) []*executor.Entry {
	entries := make([]*executor.Entry, 0, len(tools))
	for i := range tools {
		loaded := &tools[i]
		entries = append(entries, &executor.Entry{
			Tool: &loaded.Tool, Template: loaded.Template, Request: loaded.Request, Answer: loaded.Answer,
			Look: loaded.Look, Cancel: loaded.Cancel,
			Confirmation: loaded.Confirmation,
			CacheKey:     loaded.CacheKey,
			Details:      loaded.Details,
			Output:       loaded.Output,
		})
	}
	return entries
}

// recordFiles records which files are in force from now on, with their hashes, before the first act that is
// decided by them.
func (a *App) recordFiles(files []config.File) {
	event := events.Event{Type: events.ConfigLoaded, Time: now()}
	for _, file := range files {
		event.Files = append(event.Files, events.File{Path: file.Name, Layer: file.From(), SHA256: file.SHA256()})
	}
	if a.recorder == nil || !a.recorder.before(event) {
		a.note(event)
	}
}
