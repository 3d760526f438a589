package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// The notifications that clients are told by themselves.
const (
	changedTools     = "notifications/tools/list_changed"
	changedPrompts   = "notifications/prompts/list_changed"
	changedResources = "notifications/resources/list_changed"
	updatedResource  = "notifications/resources/updated"
	changedTask      = "notifications/tasks"
)

// note is something that clients may want to hear of. Several of one method and key may be told as one.
type note struct {
	method, key string
	params      map[string]any
}

// watch is one client that is told of changes. Who watches takes what has come up with take, woken by wake.
type watch struct {
	wants func(note) bool // called without a lock
	wake  chan struct{}

	mu      sync.Mutex
	pending []note
}

func newWatch(wants func(note) bool) *watch {
	return &watch{wants: wants, wake: make(chan struct{}, 1)}
}

// take returns what has come up since the last time.
func (w *watch) take() []note {
	w.mu.Lock()
	defer w.mu.Unlock()
	pending := w.pending
	w.pending = nil
	return pending
}

// put keeps a note until it is taken. There are as many as what the client has asked for at the most.
func (w *watch) put(n note) {
	if !w.wants(n) {
		return
	}
	w.mu.Lock()
	same := slices.IndexFunc(w.pending, func(p note) bool { return p.method == n.method && p.key == n.key })
	if same >= 0 {
		w.pending[same] = n
	} else {
		w.pending = append(w.pending, n)
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default: // it is awake already
	}
}

func (s *Server) watching(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches[w] = true
}

func (s *Server) unwatch(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watches, w)
}

func (s *Server) publish(n note) {
	s.mu.Lock()
	watches := make([]*watch, 0, len(s.watches))
	for w := range s.watches {
		watches = append(watches, w)
	}
	s.mu.Unlock()
	for _, w := range watches {
		w.put(n)
	}
}

// Changed tells clients that the lists of tools, prompts and resources may be others now. It never blocks;
// several changes may be told as one.
func (s *Server) Changed() {
	s.publish(note{method: changedTools})
	if s.o.Prompts != nil {
		s.publish(note{method: changedPrompts})
	}
	if s.o.Resources != nil {
		s.publish(note{method: changedResources})
	}
}

// ResourceUpdated tells clients that a resource is another now. It never blocks.
func (s *Server) ResourceUpdated(uri string) {
	s.publish(note{method: updatedResource, key: uri, params: map[string]any{"uri": uri}})
}

// filter is what a client wants to hear of, since 2026-07-28.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	Tasks     []string `json:"taskIds,omitempty"`
	principal string
}

func (f filter) wants(n note) bool {
	switch n.method {
	case changedTools:
		return f.Tools
	case changedPrompts:
		return f.Prompts
	case changedResources:
		return f.Resources
	case updatedResource:
		return slices.Contains(f.URIs, n.key)
	case changedTask:
		principal, id, _ := strings.Cut(n.key, "\x00")
		return principal == f.principal && slices.Contains(f.Tasks, id)
	}
	return false
}

// listen is a request that lasts as long as the client wants to hear of changes.
func (s *Server) listen(ctx context.Context, x *exchange) ([]byte, error) {
	var want filter
	raw := param(x.params, "notifications")
	if len(raw) == 0 || raw[0] != '{' || ndjson.Strict(raw) != nil || json.Unmarshal(raw, &want) != nil {
		return nil, failf(codeParams, "notifications is no object that says what to tell of")
	}
	if len(want.URIs) > mostSubscriptions || len(want.Tasks) > mostSubscriptions {
		return nil, failf(codeParams, "%d resources are the most that one stream tells of", mostSubscriptions)
	}
	want.Prompts = want.Prompts && s.o.Prompts != nil
	want.Resources = want.Resources && s.o.Resources != nil
	if s.o.Resources == nil {
		want.URIs = nil
	}
	if len(want.Tasks) > 0 && !x.client.Capabilities.Tasks {
		return nil, needsTasks()
	}
	want.principal = x.client.Principal
	want.Tasks = slices.DeleteFunc(want.Tasks, func(id string) bool {
		if s.o.Tasks == nil {
			return true
		}
		_, err := s.o.Tasks.Get(ctx, want.principal, id)
		return err != nil
	})
	about := map[string]any{metaSubscription: json.RawMessage(x.id)}
	w := newWatch(want.wants)
	s.watching(w)
	defer s.unwatch(w)
	x.notify("notifications/subscriptions/acknowledged", map[string]any{"_meta": about, "notifications": want})
	for {
		select {
		case <-ctx.Done():
			about[metaServer] = s.implementation()
			return encode(map[string]any{"resultType": "complete", "_meta": about})
		case <-w.wake:
			for _, n := range w.take() {
				x.notify(n.method, n.about(about))
			}
		}
	}
}

// about returns the params of a note with a _meta.
func (n note) about(meta map[string]any) map[string]any {
	params := map[string]any{}
	for key, value := range n.params {
		params[key] = value
	}
	if meta != nil {
		params["_meta"] = meta
	}
	return params
}
