package executor

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Entry is a tool that is ready to be called: checked, and its templates compiled. It never changes.
type Entry struct {
	Tool     *tool.Tool
	Template *render.Template // nil for a tool that is unavailable
	// Confirmation is the author's own question; nil for the standard one.
	Confirmation *render.Text
	// CacheKey tells the tool's calls apart; nil when their arguments do.
	CacheKey *render.Text
	// Details are the error details of error_mapping, by exit code.
	Details map[int]*render.Tree
	// Intact says what of the files that the script names is not as somebody trusted it; nil where there are none to look at. It
	// is asked before anybody else is, and again right before each start.
	Intact func() error
}

// Registry holds the tools that can be called now. Its content is replaced as a whole, and a call that is under way keeps
// the entry that it began with. A workspace can have tools of its own beside them, which never stand in the place of one of
// all others. The zero Registry is empty; it is safe for concurrent use.
type Registry struct {
	entries atomic.Pointer[map[string]*Entry]

	mu  sync.RWMutex
	own map[string]map[string]*Entry // by the root of the workspace
}

// Replace puts other tools in place of all.
func (r *Registry) Replace(entries []*Entry) {
	byID := byIDs(entries)
	r.entries.Store(&byID)
}

// Own puts other tools in place of those that a workspace has beside the others.
func (r *Registry) Own(root string, entries []*Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own == nil {
		r.own = map[string]map[string]*Entry{}
	}
	r.own[root] = byIDs(entries)
}

func byIDs(entries []*Entry) map[string]*Entry {
	byID := make(map[string]*Entry, len(entries))
	for _, entry := range entries {
		byID[entry.Tool.ID] = entry
	}
	return byID
}

// LookupIn finds a tool by its id, as a call in a workspace means it.
func (r *Registry) LookupIn(w tool.Workspace, id string) (*Entry, bool) {
	if entry, ok := r.Lookup(id); ok {
		return entry, true
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	entry, ok := r.own[w.Root][id]
	return entry, ok && w.Root != ""
}

// ListIn gives all tools that can be called in a workspace, in the order of their ids.
func (r *Registry) ListIn(w tool.Workspace) []*Entry {
	list := r.List()
	r.mu.RLock()
	for id, entry := range r.own[w.Root] {
		if _, taken := r.Lookup(id); !taken && w.Root != "" {
			list = append(list, entry)
		}
	}
	r.mu.RUnlock()
	sort.Slice(list, func(i, j int) bool { return list[i].Tool.ID < list[j].Tool.ID })
	return list
}

// Lookup finds a tool by its id, of those that no workspace brings.
func (r *Registry) Lookup(id string) (*Entry, bool) {
	if all := r.entries.Load(); all != nil {
		entry, ok := (*all)[id]
		return entry, ok
	}
	return nil, false
}

// List gives the tools that no workspace brings, in the order of their ids.
func (r *Registry) List() []*Entry {
	all := r.entries.Load()
	if all == nil {
		return nil
	}
	list := make([]*Entry, 0, len(*all))
	for _, entry := range *all {
		list = append(list, entry)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Tool.ID < list[j].Tool.ID })
	return list
}

func (r *Registry) ids(w tool.Workspace) []string {
	var ids []string
	for _, entry := range r.ListIn(w) {
		ids = append(ids, entry.Tool.ID)
	}
	return ids
}
