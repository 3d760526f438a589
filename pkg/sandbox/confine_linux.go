//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// confinement is what a call's new process is to be shut into.
type confinement struct {
	rules  *ruleset // nil below LevelLandlock; closed by close
	kind   rulesetKind
	view   *mountView // nil without namespaces
	filter []unix.SockFilter

	own     []hiding // this program's own files
	kept    []string // further ones, which stay as they are
	sockets []hiding // that are there in what was granted, and were not granted themselves
	grants  []grant
	watched []watched
	hints   []string // what was asked for and is not there
}

func (f *confinement) close() {
	if f.rules != nil {
		f.rules.close()
	}
}

// confine makes a call's confinement. What was granted is opened here, so that Landlock's rules are about
// the very files and directories that had the names, and not about names.
func (h *Host) confine(p *Plan, d *directories, program string) (*confinement, error) {
	profile := &p.profile
	network := profile.Network == tool.NetworkOn
	f := &confinement{filter: h.filters.of(filterRules{network: network, unix: len(profile.Sockets) > 0,
		memfd: profile.Commands == nil, alone: p.level.hasNamespaces(),
		group: profile.Terminal && h.capability.landlock < landlockScopes})}
	if !p.level.hasLandlock() {
		return f, nil
	}
	h.makeHidden(profile)
	f.own, f.kept = h.ownFiles(), h.kept
	if err := f.collect(h, p, d, program); err != nil {
		return nil, err
	}
	f.kind = rulesetKind{network: network, listed: profile.Commands != nil, root: p.user == 0}
	if f.rules = h.rulesets.take(f.kind); f.rules == nil {
		var err error
		if f.rules, err = h.systemRuleset(f.kind); err != nil {
			return nil, err
		}
	}
	if err := f.permit(p, d); err != nil {
		f.close()
		return nil, err
	}
	if p.level.hasNamespaces() {
		f.view = h.viewFor(p, d, f.grants, f.own, f.sockets)
	}
	return f, nil
}

// collect finds what a call is granted beside the system, parents before what is in them.
func (f *confinement) collect(h *Host, p *Plan, d *directories, program string) error {
	profile := &p.profile
	noRun := profile.Commands != nil
	writable, own := writableBy(profile), f.own
	add := func(path string, write bool) error {
		real, err := resolve(path, writable)
		if err != nil {
			return err
		}
		info, err := os.Lstat(real)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(own, func(h hiding) bool { return within(real, h.path) }) {
			f.hints = append(f.hints, path+": it is this program's own, which no call sees, so it was not granted")
			return nil
		}
		g := grant{path: real, write: write, noRun: noRun, file: !info.IsDir(),
			socket: info.Mode()&fs.ModeSocket != 0}
		if i := slices.IndexFunc(f.grants, func(other grant) bool { return other.path == real }); i >= 0 {
			f.grants[i].write = f.grants[i].write || write
			return nil
		}
		f.grants = append(f.grants, g)
		return nil
	}
	if d.parent != nil {
		if err := add(d.start, true); err != nil {
			return &StartError{Step: "open", Path: d.start, Err: unwrapPath(err)}
		}
	}
	// By itself it can be read. Where it lies in what was granted, it is what that is.
	if dir := profile.Dir; h.isSomebodys(dir, p.user) && !profile.grants(dir) {
		if err := add(dir, false); err != nil {
			return &StartError{Step: "open", Path: dir, Cure: cureDir, Err: unwrapPath(err)}
		}
	}
	for _, allowed := range profile.AllowedPaths {
		if err := add(allowed.Path, !allowed.ReadOnly); errors.Is(err, fs.ErrNotExist) {
			f.hints = append(f.hints,
				fmt.Sprintf("allowed path %s: it does not exist, so it was not granted", allowed.Path))
		} else if bent := (*linkError)(nil); errors.As(err, &bent) {
			return &StartError{Step: "grant", Path: allowed.Path, Err: err}
		} else if err != nil {
			return &StartError{Step: "open", Path: allowed.Path,
				Cure: "allowed_paths grants it, but this user cannot get there", Err: unwrapPath(err)}
		}
	}
	for _, socket := range profile.Sockets {
		if err := add(socket, false); err != nil {
			f.hints = append(f.hints, fmt.Sprintf("socket %s: %v, so it was not granted", socket, unwrapPath(err)))
			continue
		}
		// It can be connected to; of a directory, nothing in it can be read.
		if i := len(f.grants) - 1; i >= 0 && f.grants[i].path == filepath.Clean(socket) {
			f.grants[i].socket = true
		}
	}
	if !p.level.hasNamespaces() && !profile.BestEffort {
		for _, g := range f.grants {
			if slices.ContainsFunc(hidings(h.hidden), func(h hiding) bool { return within(h.path, g.path) }) ||
				g.write && slices.ContainsFunc(h.kept, func(path string) bool { return path != g.path && within(path, g.path) }) {
				return &StartError{Step: "grant", Path: g.path, Err: errHoldsOurs,
					Cure: "name what is in it instead; `best_effort: true` grants it all the same"}
			}
		}
	}
	f.protect(h.protected, h.judge, h.ways, &h.listings, profile, p.level.hasNamespaces())
	if p.level.hasNamespaces() {
		f.pin()
	}
	if noRun {
		files, missing := executables(append([]string{program}, profile.Commands...))
		for _, path := range files {
			f.grants = slices.DeleteFunc(f.grants, func(g grant) bool { return g.path == path })
			f.grants = append(f.grants, grant{path: path, file: true})
		}
		for _, command := range missing {
			f.hints = append(f.hints, fmt.Sprintf("allowed command %s: it is not installed", command))
		}
	}
	slices.SortFunc(f.grants, func(a, b grant) int { return cmp.Compare(a.path, b.path) })
	return nil
}

// ownFiles lists what of this program's own is there, for no call to see.
func (h *Host) ownFiles() []hiding { return slices.Compact(hidings(slices.Concat(h.hidden, h.places))) }

// makeHidden makes the directories that no call may see, and that a call could make: only what is there can be hidden,
// and what is not there yet is as good a place for files that this program is to believe.
func (h *Host) makeHidden(profile *Profile) {
	for _, hidden := range h.hidden {
		if _, err := os.Lstat(hidden); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, allowed := range profile.AllowedPaths {
			real, err := realPath(allowed.Path)
			if err == nil && !allowed.ReadOnly && within(hidden, real) && isIn(hidden, h.capability.user) {
				_ = os.MkdirAll(hidden, 0o700) // where we cannot, neither can the call
			}
		}
	}
}

// isIn reports whether a directory would be made in one of a user's: root makes none in somebody else's.
func isIn(dir string, user int) bool {
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		switch {
		case err == nil:
			stat, ok := info.Sys().(*syscall.Stat_t)
			return ok && int(stat.Uid) == user
		case above == "/":
			return false
		}
	}
}

// errHoldsOurs says that a directory to be granted holds what no call may see, and that this level cannot
// hide it.
var errHoldsOurs = errors.New("it holds this program's own files, which cannot be hidden on this machine")

// add adds a grant, unless there is one for the path already.
func (f *confinement) add(g grant) {
	if !slices.ContainsFunc(f.grants, func(other grant) bool { return other.path == g.path }) {
		f.grants = append(f.grants, g)
	}
}

// permit gives Landlock the rules about what was granted.
func (f *confinement) permit(p *Plan, d *directories) error {
	list := f.grants
	if !p.onTmpfs() {
		list = append(slices.Clone(list), grant{path: d.temp, write: true, noRun: p.profile.Commands != nil})
	}
	for _, g := range list {
		if g.socket {
			continue // Landlock has no right for them
		}
		fd, err := openPath(g.path)
		if err != nil {
			return &StartError{Step: "openat2", Path: g.path, Err: err}
		}
		err = f.rules.grant(fd, g.rights())
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("%w (%s)", err, g.path)
		}
	}
	return nil
}

// isSomebodys reports whether a working directory is one that a call may be shown as a whole: not the root,
// nor a place for everybody's temporary files, nor one that people's homes are in, nor a home; and for root
// not what lies in /etc, see permitPublic. A call starts there all the same.
func (h *Host) isSomebodys(dir string, user int) bool {
	real, err := realPath(dir)
	if err != nil {
		return true // add tells
	}
	if user == 0 && within(real, "/etc") {
		return false
	}
	// Also a home that is not among the homes, see there.
	for _, place := range slices.Concat([]string{"/tmp", "/run"}, h.homes, realPaths(ownHomes())) {
		if within(place, real) {
			return false
		}
	}
	return real != h.temp
}

// viewFor makes what a call sees of the file system.
func (h *Host) viewFor(p *Plan, d *directories, grants []grant, own, masked []hiding) *mountView {
	v := &mountView{
		ownProc: p.level.AtLeast(LevelFull), covers: append([]string{"/run"}, h.homes...),
		size:   p.profile.Limits.TempSize,
		shared: h.sharedTemp, noRun: p.profile.Commands != nil, hidden: slices.Clone(own),
		empty: h.scratch.empty, blind: h.scratch.blind, void: h.scratch.void, withheld: hidings(h.withheld),
		start: d.start, pty: p.profile.Pty,
	}
	if len(p.profile.Sockets) > 0 {
		// A socket can be connected to wherever its path leads, and Landlock has no say in it.
		v.covers = append(v.covers, h.further...)
		v.masked = slices.Concat(h.sockets, masked)
	}
	if p.user == 0 {
		v.private = slices.DeleteFunc(slices.Clone(h.private), func(hide hiding) bool {
			return within(d.start, hide.path) || slices.ContainsFunc(grants,
				func(g grant) bool { return within(hide.path, g.path) || within(g.path, hide.path) })
		})
	}
	v.covers, v.bare = outermost(v.covers)
	if !p.onTmpfs() {
		v.temp = d.temp
	}
	if p.profile.Network == tool.NetworkOn && h.nameServers != "" {
		grants = append(slices.Clone(grants), grant{path: h.nameServers, noRun: true, file: true})
	}
	covered := slices.Concat([]string{"/tmp"}, v.covers, v.shared)
	// What nobody was granted cannot be read in any case. A socket could be connected to even so.
	v.hidden = slices.DeleteFunc(v.hidden, func(hide hiding) bool {
		inside := func(dir string) bool { return within(hide.path, dir) }
		isCovered := slices.ContainsFunc(covered, inside) // so is a home that lies in /opt
		granted := slices.ContainsFunc(grants, func(g grant) bool { return inside(g.path) }) ||
			!isCovered && slices.ContainsFunc(systemPaths, inside)
		return !granted && (len(p.profile.Sockets) == 0 || isCovered)
	})
	for _, g := range grants {
		below := slices.ContainsFunc(covered, func(dir string) bool { return within(g.path, dir) })
		inside := slices.ContainsFunc(grants,
			func(other grant) bool { return other.write && other.path != g.path && within(g.path, other.path) })
		if g.write || below || inside {
			v.placed = append(v.placed, g)
		}
	}
	return v
}

// outermost divides directories into those that lie in no other one, and those that do. A home can lie
// anywhere.
func outermost(dirs []string) (outer, inner []string) {
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(dirs))) {
		if slices.ContainsFunc(outer, func(other string) bool { return within(dir, other) }) {
			inner = append(inner, dir)
		} else {
			outer = append(outer, dir)
		}
	}
	return outer, inner
}

// onTmpfs reports whether the call's temporary files are in memory.
func (p *Plan) onTmpfs() bool { return p.level.hasNamespaces() && p.profile.Limits.TempSize > 0 }
