package app

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// Grants shows what people have allowed for a session in a file of the state directory, and lets them take it back from
// another terminal. It is a permissions.Grants. What is in the file allows nothing by itself: the bridge that asked keeps
// it, and looks here whether it was taken back.
type Grants struct{ file state.Shared }

// NewGrants names the file of a state directory. It makes nothing.
func NewGrants(dir string) *Grants { return &Grants{state.SharedFile(dir, "grants.json")} }

// shownGrant is one entry of the file.
type shownGrant struct {
	permissions.Kept
	Process int `json:"pid"` // the bridge that keeps it
}

// lives tells whether the bridge that keeps it is still there.
func (g shownGrant) lives() bool {
	err := unix.Kill(g.Process, 0)
	return g.Process > 0 && !errors.Is(err, unix.ESRCH)
}

// Add implements permissions.Grants.
func (g *Grants) Add(k permissions.Kept) (string, error) {
	var b [6]byte
	rand.Read(b[:]) // never fails
	k.ID = hex.EncodeToString(b[:])
	var all []shownGrant
	return k.ID, g.file.Change(&all, func() (bool, error) {
		all = slices.DeleteFunc(all, func(other shownGrant) bool { return !other.lives() })
		all = append(all, shownGrant{k, os.Getpid()})
		return true, nil
	})
}

// Holds implements permissions.Grants.
func (g *Grants) Holds(id string) (bool, error) {
	var all []shownGrant
	err := g.file.Read(&all)
	return err == nil && slices.ContainsFunc(all, func(k shownGrant) bool { return k.ID == id }), err
}

// Remove implements permissions.Grants.
func (g *Grants) Remove(ids ...string) error {
	var all []shownGrant
	return g.file.Change(&all, func() (bool, error) {
		before := len(all)
		all = slices.DeleteFunc(all, func(k shownGrant) bool { return slices.Contains(ids, k.ID) || !k.lives() })
		return len(all) != before, nil
	})
}

// List gives what is kept by bridges that are still there, the oldest first.
func (g *Grants) List() ([]permissions.Kept, error) {
	var all []shownGrant
	if err := g.file.Read(&all); err != nil {
		return nil, err
	}
	var kept []permissions.Kept
	for _, k := range all {
		if k.lives() {
			kept = append(kept, k.Kept)
		}
	}
	return kept, nil
}
