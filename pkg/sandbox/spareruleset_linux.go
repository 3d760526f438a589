//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// rulesetKind is what the rules about the system depend on.
type rulesetKind struct {
	network bool // ports are open
	listed  bool // programs are, and no others can be run
	root    bool // of /etc only what everybody can read
}

// spareRulesets keeps a ruleset of each kind ready that has the rules about the system, which all calls of a
// kind have, to be used once: a ruleset cannot be copied, and for root there are some 160 of these rules. The
// next one is made while a call runs and its caller waits for it anyway.
type spareRulesets struct {
	mu     sync.Mutex
	ready  map[rulesetKind]*ruleset
	wanted map[rulesetKind]bool // kinds that there was a call of: one that is the only one needs no next
	closed bool
	making sync.WaitGroup
}

// take returns the ruleset that is ready; nil where none is.
func (s *spareRulesets) take(kind rulesetKind) *ruleset {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.ready[kind]
	delete(s.ready, kind)
	return one
}

// prepare begins to make the next one, unless there is one, or this is the first call of the kind. What
// cannot be made now the next call makes, and tells why it cannot.
func (s *spareRulesets) prepare(kind rulesetKind, make func(rulesetKind) (*ruleset, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wanted == nil {
		s.ready, s.wanted = map[rulesetKind]*ruleset{}, map[rulesetKind]bool{}
	}
	if s.closed || s.ready[kind] != nil || !s.wanted[kind] {
		s.wanted[kind] = true
		return
	}
	s.making.Go(func() { // ends when the ruleset is made; close waits
		if one, err := make(kind); err == nil {
			s.put(kind, one)
		}
	})
}

func (s *spareRulesets) put(kind rulesetKind, one *ruleset) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.ready[kind] != nil {
		one.close()
		return
	}
	s.ready[kind] = one
}

// close gives back what is ready.
func (s *spareRulesets) close() {
	s.mu.Lock()
	s.closed = true
	for _, one := range s.ready {
		one.close()
	}
	clear(s.ready)
	s.mu.Unlock()
	s.making.Wait()
}

// systemRuleset makes a ruleset with the rules about the system.
func (h *Host) systemRuleset(kind rulesetKind) (*ruleset, error) {
	r, err := newRuleset(h.capability.landlock, kind.network)
	if err != nil {
		return nil, err
	}
	if err := h.permitSystem(r, kind); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (h *Host) permitSystem(r *ruleset, kind rulesetKind) error {
	system, own := h.system, grant{}
	if kind.listed {
		system, own.noRun = h.readable, true
	}
	for _, s := range system {
		if s.path == "/etc" && kind.root {
			if err := permitPublic(r, s, h.public); err != nil {
				return err
			}
			continue
		}
		if err := r.grant(s.fd, own.rights()); err != nil {
			return fmt.Errorf("%w (%s)", err, s.path)
		}
	}
	for _, s := range h.devices {
		if err := r.grant(s.fd, landlockDevice); err != nil {
			return fmt.Errorf("%w (%s)", err, s.path)
		}
	}
	return nil
}

// permitPublic grants what of a directory everybody can read, and the names of the rest.
func permitPublic(r *ruleset, dir held, public []held) error {
	if err := r.grant(dir.fd, unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
		return fmt.Errorf("%w (%s)", err, dir.path)
	}
	for _, entry := range public {
		if err := r.grant(entry.fd, grant{file: entry.file}.rights()); err != nil {
			return fmt.Errorf("%w (%s)", err, entry.path)
		}
	}
	return nil
}
