package render

import (
	"container/list"
	"sync"
)

// The bounds of the plans that one template keeps. A tool with two sections has a handful of shapes.
const (
	maxShapes    = 32
	maxShapeSize = 64 << 10 // bytes of the script; longer ones are made anew each time
)

// shapes keeps the plans of the shapes that were rendered last. The zero value is ready to use.
type shapes struct {
	mu     sync.Mutex
	byKey  map[string]*list.Element
	recent list.List // of keptPlan, the most recent first
}

type keptPlan struct {
	key  string
	plan *plan
}

func (s *shapes) get(key string) *plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byKey[key]
	if !ok {
		return nil
	}
	s.recent.MoveToFront(e)
	return e.Value.(keptPlan).plan
}

func (s *shapes) put(key string, p *plan) {
	if len(p.script)+len(key) > maxShapeSize {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.byKey[key]; ok {
		return
	}
	if s.byKey == nil {
		s.byKey = map[string]*list.Element{}
	}
	s.byKey[key] = s.recent.PushFront(keptPlan{key, p})
	if s.recent.Len() > maxShapes {
		oldest := s.recent.Remove(s.recent.Back()).(keptPlan)
		delete(s.byKey, oldest.key)
	}
}
