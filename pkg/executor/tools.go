package executor

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/outputschema"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Entry is a tool that is ready to be called: checked, and its templates compiled. It never changes.
type Entry struct {
	Tool     *tool.Tool
	Template *render.Template  // nil for a tool that is unavailable, or sends a request
	Request  *request.Template // nil for a script
	// Answer says what the answers to its request come to; nil where each is taken as it is.
	Answer *answer.Reading
	// Look asks about the job that the request begins, and Cancel ends it; nil where there is none.
	Look, Cancel *request.Template
	// Confirmation is the author's own question; nil for the standard one.
	Confirmation *render.Text
	// CacheKey tells the tool's calls apart; nil when their arguments do.
	CacheKey *render.Text
	// Details are the error details of error_mapping, by exit code.
	Details map[int]*render.Tree
	// Output is what stdout fits; nil where the tool says nothing of it.
	Output *outputschema.Schema
	// Intact says what of the files that the script names is not as somebody trusted it; nil where there
	// are none to look at. It is asked before anybody else is, and again right before each start.
	Intact func() error
}

// Tools are the tools that can be called. Which they are never changes. A workspace can have tools of its own
// beside the others, which never stand in the place of one of those. The nil Tools are none.
type Tools struct {
	everywhere map[string]*Entry            // by id
	own        map[string]map[string]*Entry // by the root of the workspace
}

// NewTools returns tools that can be called everywhere.
func NewTools(entries []*Entry) *Tools { return &Tools{everywhere: byIDs(entries)} }

// With returns these tools with others in place of those that can be called everywhere.
func (t *Tools) With(entries []*Entry) *Tools { return &Tools{everywhere: byIDs(entries), own: t.own} }

// WithOwn returns these tools with others in place of those that a workspace has beside them.
func (t *Tools) WithOwn(root string, entries []*Entry) *Tools {
	other := *t
	if other.own = maps.Clone(t.own); other.own == nil {
		other.own = map[string]map[string]*Entry{}
	}
	other.own[root] = byIDs(entries)
	return &other
}

func byIDs(entries []*Entry) map[string]*Entry {
	byID := make(map[string]*Entry, len(entries))
	for _, entry := range entries {
		byID[entry.Tool.ID] = entry
	}
	return byID
}

// LookupIn finds a tool by its id, as a call in a workspace means it.
func (t *Tools) LookupIn(w tool.Workspace, id string) (*Entry, bool) {
	if entry, ok := t.Lookup(id); ok || t == nil {
		return entry, ok
	}
	entry, ok := t.own[w.Root][id]
	return entry, ok && w.Root != ""
}

// ListIn returns all tools that can be called in a workspace, in the order of their ids.
func (t *Tools) ListIn(w tool.Workspace) []*Entry {
	if t == nil {
		return nil
	}
	all := maps.Clone(t.everywhere)
	if w.Root != "" {
		for id, entry := range t.own[w.Root] {
			if _, taken := all[id]; !taken {
				all[id] = entry
			}
		}
	}
	return sorted(all)
}

// Lookup finds a tool by its id, of those that no workspace brings.
func (t *Tools) Lookup(id string) (*Entry, bool) {
	if t == nil {
		return nil, false
	}
	entry, ok := t.everywhere[id]
	return entry, ok
}

// List returns the tools that no workspace brings, in the order of their ids.
func (t *Tools) List() []*Entry {
	if t == nil {
		return nil
	}
	return sorted(t.everywhere)
}

func sorted(entries map[string]*Entry) []*Entry {
	return slices.SortedFunc(maps.Values(entries),
		func(a, b *Entry) int { return strings.Compare(a.Tool.ID, b.Tool.ID) })
}

// ids lists the tools that a caller with these claims may know of.
func (t *Tools) ids(w tool.Workspace, claims tool.Claims) []string {
	var ids []string
	for _, entry := range t.ListIn(w) {
		if entry.Tool.Access.Lets(claims) {
			ids = append(ids, entry.Tool.ID)
		}
	}
	return ids
}
