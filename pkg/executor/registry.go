package executor

import (
	"sort"
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
}

// Registry holds the tools that can be called now. Its content is replaced as a whole, and a call that is under way keeps
// the entry that it began with. The zero Registry is empty; it is safe for concurrent use.
type Registry struct {
	entries atomic.Pointer[map[string]*Entry]
}

// Replace puts other tools in place of all.
func (r *Registry) Replace(entries []*Entry) {
	byID := make(map[string]*Entry, len(entries))
	for _, entry := range entries {
		byID[entry.Tool.ID] = entry
	}
	r.entries.Store(&byID)
}

// Lookup finds a tool by its id.
func (r *Registry) Lookup(id string) (*Entry, bool) {
	if all := r.entries.Load(); all != nil {
		entry, ok := (*all)[id]
		return entry, ok
	}
	return nil, false
}

// List gives all tools in the order of their ids.
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

func (r *Registry) ids() []string {
	var ids []string
	for _, entry := range r.List() {
		ids = append(ids, entry.Tool.ID)
	}
	return ids
}
