//go:build amd64 || arm64

package sandbox

import (
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Reach tells what a plan of this machine's lets a call reach. It looks at what exists now.
func (h *Host) Reach(p Plan) Reach {
	profile := &p.profile
	r := Reach{
		protected: h.protected, network: profile.Network == tool.NetworkOn,
		user: p.user, other: p.user != h.capability.user,
		mounts: p.level.hasNamespaces(), listed: profile.Commands != nil && p.level.hasLandlock(),
	}
	add := func(path string, write bool) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return // what does not exist was not granted
		}
		if i := slices.IndexFunc(r.granted, func(g reachGrant) bool { return g.path == real }); i >= 0 {
			r.granted[i].write = r.granted[i].write || write
			return
		}
		r.granted = append(r.granted, reachGrant{path: real, write: write})
	}
	if !profile.TempIsolation {
		r.start = profile.Dir
	}
	if h.isSomebodys(profile.Dir, p.user) && !profile.grants(profile.Dir) {
		add(profile.Dir, false)
	}
	for _, allowed := range profile.AllowedPaths {
		add(allowed.Path, !allowed.ReadOnly)
	}
	if r.listed {
		r.commands, _ = executables(profile.Commands)
		r.readable = realPaths(readablePaths)
	}
	for _, path := range systemPaths {
		// The call's own /proc is another one, and /sys is of no use to anybody who reads files in its place.
		if real, err := filepath.EvalSymlinks(path); err == nil && path != "/proc" && path != "/sys" {
			r.system = append(r.system, real)
		}
	}
	for _, hide := range h.ownFiles() {
		r.hidden = append(r.hidden, hide.path)
	}
	r.kept = slices.Clone(h.kept)
	r.sockets, r.own = realPaths(profile.Sockets), realPaths(profile.Own)
	return r
}
