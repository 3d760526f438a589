//go:build amd64 || arm64

package sandbox

import (
	"context"
	"testing"
)

// Every property that a level is said to have is proved on it, as root and as a user.
func TestProve(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		for _, level := range []Level{LevelFullCgroup, LevelNoProc, LevelLandlock, LevelRlimits} {
			t.Run(string(level), func(t *testing.T) {
				h, err := Open(Options{Level: level, AllowWeak: true, TempDir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				defer h.Close()
				dir := t.TempDir()
				enforced, lacking := h.Properties(dir)
				for _, proof := range h.Prove(t.Context(), dir) {
					_, said := enforced[proof.Property]
					if said != proof.Enforced || proof.How == "" || !said && proof.How != lacking[proof.Property] {
						t.Errorf("%s on %s: said %v, proved %v: %s", proof.Property, h.Level(), said, proof.Enforced, proof.How)
					}
				}
			})
		}
	})
}

// An attempt succeeds where nothing keeps it from it, and the proof fails: else it would prove nothing.
func TestProofFails(t *testing.T) {
	t.Parallel()
	h, err := Open(Options{Level: LevelRlimits, AllowWeak: true, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	open := h.filters[filterRules{network: true, unix: true, memfd: true}]
	for rules := range h.filters {
		h.filters[rules] = open
	}
	h.groups, h.capability.tasks, h.capability.totalMemory = nil, false, false
	dir := t.TempDir()
	for _, test := range []struct {
		property Property
		prove    func(context.Context, string) (string, error)
		want     string
	}{
		{PropertyFiles, h.proveFiles, "the call changed a file outside"},
		{PropertyNetwork, h.proveNetwork, "the call connected to a listener on the loopback"},
		{PropertyMemory, h.proveMemory, "a call that may have 64 MB took more in several processes"},
	} {
		if how, err := test.prove(t.Context(), dir); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %q and %v, want the error %q", test.property, how, err, test.want)
		}
	}
}
