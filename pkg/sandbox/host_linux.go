//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Host is this machine as a place to run calls. It is safe for concurrent use, and a program may have
// several.
type Host struct {
	capability capability
	grace      time.Duration
	own        callMark // ours, which no call has
	family     family   // the calls'

	scratch *scratch
	null    *os.File
	load    *os.File // /proc/loadavg
	self    int      // a process descriptor of this program
	init    int      // the file of initProgram
	main    *idleThread
	mounts  *dismantler
	noInit  error // why that could not be made
	session bool  // calls get a session of their own

	filters      filters
	rulesets     spareRulesets
	system       []held // what every call can read
	readable     []held // what a call with a list of commands can read
	devices      []held
	public       []held   // for root: what of /etc others can read
	private      []hiding // for root: what of /proc, /sys, /opt and /usr/local others cannot read
	temp         string   // where everybody's temporary files are
	homes        []string // the directories that people's own files are in
	further      []string // others that sockets may be in
	sockets      []hiding // those in places that every call sees
	sharedTemp   []string // further places for temporary files
	nameServers  string   // a file below /run that name look-ups need; "" when there is none
	hidden       []string // our own files, and
	withheld     []string // others, which are among them
	kept         []string // further ones, without links, which are not changed
	ways         []string // to them
	places       []string // where temporary files of our own lie, see PrivateTempDir
	protected    protected
	judge        Judge // nil where nothing is protected
	listings     listings
	pendingLooks *pendingLooks // nil where nothing is noted
	unnoted      error         // why not, where it should be

	groups  *groups      // nil without control groups
	adopted *childList   // of the main thread, which gets what calls leave behind
	strays  strayZombies // the census's

	// orphans is held while what calls left behind is listed and reaped. It comes before mu.
	orphans sync.Mutex

	mu     sync.Mutex
	closed bool
	live   map[callMark]*call
	roots  map[int]*call  // by the live calls' first processes
	calls  sync.WaitGroup // those in live

	busy   chan struct{} // wakes the census
	quit   chan struct{} // ends it
	census sync.WaitGroup
}

// errClosed is what a Host says after Close.
var errClosed = errors.New("the sandbox has been closed")

// Open finds out what this machine enforces and makes ready for calls. Where it cannot even own a process
// tree the Host has LevelNone, every Plan is refused, and Why says what is missing.
//
// It clears away what programs left that were killed and that had the same TempDir: processes of their
// calls, directories and control groups.
//
// It changes two things of the whole program: it becomes a child subreaper (what calls leave behind becomes
// its child, and so do orphans of other children: they are left alone while they run, and reaped when they
// have ended, see strays), and descriptors from 3 on that it inherited are no longer passed on to programs
// that it starts. The caller closes the Host.
func Open(o Options) (*Host, error) {
	h := &Host{
		capability: findCapability(requirements()), grace: o.Grace, self: -1, init: -1, main: newSquatter(),
		live: map[callMark]*call{}, roots: map[int]*call{},
		busy: make(chan struct{}, 1), quit: make(chan struct{}),
	}
	h.capability.weak = o.AllowWeak
	if h.grace <= 0 {
		h.grace = defaultGrace
	}
	if h.capability.level == LevelNone {
		return h, nil
	}
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	if err := h.open(o); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (h *Host) open(o Options) (err error) {
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("keep our descriptors to ourselves: close_range: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a child subreaper: %w", err)
	}
	if h.own, err = ownMark(); err != nil {
		return fmt.Errorf("read our limits: %w", err)
	}
	if h.adopted, err = openChildList(unix.Getpid()); err != nil {
		return err
	}
	h.strays = newStrays()
	if h.null, err = os.Open(os.DevNull); err != nil {
		return err
	}
	if h.load, err = os.Open("/proc/loadavg"); err != nil {
		return err
	}
	h.session = hasTerminal()
	if h.self, err = unix.PidfdOpen(unix.Getpid(), 0); err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	if h.mounts, err = newDismantler(); err != nil {
		return err
	}
	// Where it cannot be made no call has a process namespace, see start.
	if h.init, h.noInit = openInit(); h.noInit != nil {
		h.init = -1
	}
	place, err := PrivateTempDir(o.TempDir)
	if err != nil {
		return fmt.Errorf("make a directory for our temporary files: %w; TMPDIR names a place for it", err)
	}
	h.places = []string{place}
	if other, err := PrivateTempDir("/tmp"); err == nil { // of those who have no TMPDIR
		h.places = append(h.places, other)
	}
	if h.scratch, err = openScratch(place, func(id string) { endLeftovers(familyOf(id, h.own)) }); err != nil {
		return err
	}
	h.listings.scratch = h.scratch
	if o.Notes != "" {
		h.pendingLooks, h.unnoted = openUnlooked(o.Notes)
	}
	h.family = familyOf(h.scratch.id, h.own)
	var hide []hiding
	var beside sync.WaitGroup // it takes as long as all of the rest
	if h.capability.user == 0 {
		beside.Go(func() { hide = private() })
	}
	h.survey(o)
	// Without control groups calls do without; doctor tells what would give them.
	if h.groups, err = openGroups(h.scratch.id); err == nil {
		h.capability.tasks, h.capability.totalMemory = h.groups.v2 || h.capability.user == 0, h.groups.memory
	}
	h.census.Go(func() { h.takeCensus(h.quit) })
	h.probeLevel(o.Level)
	beside.Wait()
	h.private = hide
	return nil
}

// survey looks at what of the file system the calls' views depend on.
func (h *Host) survey(o Options) {
	h.filters = makeFilters()
	if h.capability.user == 0 {
		h.public = holdPublic("/etc")
	}
	h.system, h.readable, h.devices = hold(systemPaths, false), hold(readablePaths, false), hold(devices, true)
	h.homes, h.nameServers = homes(), nameServers()
	h.further, h.sockets = socketPlaces(), socketsIn("/dev")
	h.sharedTemp = existing("/var/tmp", "/dev/shm")
	h.withheld = o.Withheld
	h.hidden, h.ways, h.protected = o.Hidden, waysTo(slices.Concat(o.Hidden, o.Kept)), newProtected(o.Protected)
	h.kept = slices.DeleteFunc(realPaths(o.Kept), func(path string) bool { return isBelow(path, realPaths(o.Hidden)) })
	if h.judge = o.Judge; h.judge == nil && len(h.protected)+len(h.hidden)+len(h.kept) > 0 {
		h.judge = h.protected
	}
	h.temp = o.TempDir
	if real, err := filepath.EvalSymlinks(o.TempDir); err == nil {
		h.temp = real
	}
}

// Close waits until the running calls have ended, which cancelling their contexts hastens, and takes
// everything away that Open made. Run refuses from now on.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.mu.Unlock()

	h.calls.Wait()
	h.rulesets.close()
	h.main.close()
	if h.mounts != nil {
		h.mounts.close()
	}
	close(h.quit)
	h.census.Wait()
	if h.adopted != nil {
		h.adopted.close()
	}
	for _, held := range slices.Concat(h.system, h.readable, h.devices, h.public) {
		unix.Close(held.fd)
	}
	for _, fd := range []int{h.self, h.init} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	for _, f := range []*os.File{h.null, h.load} {
		if f != nil {
			f.Close()
		}
	}
	if h.groups != nil {
		h.groups.close()
	}
	if h.pendingLooks != nil {
		h.pendingLooks.close()
	}
	if h.scratch == nil {
		return nil
	}
	return h.scratch.close()
}

// enter makes a call one of the Host's. Each entered call leaves.
func (h *Host) enter(c *call) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errClosed
	}
	for c.mark = h.family.newMark(); h.live[c.mark] != nil; {
		c.mark = h.family.newMark()
	}
	h.live[c.mark] = c
	h.calls.Add(1)
	return nil
}

// leave ends what enter began, when nothing of the call is left.
func (h *Host) leave(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.live, c.mark)
	delete(h.roots, c.root.pid)
	h.calls.Done()
}

// enrol makes a call's first process known, so that it is not taken for an orphan should it lower its mark.
func (h *Host) enrol(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roots[c.root.pid] = c
}

// isLive reports whether a process with that mark belongs to a call that has not been cleared away.
func (h *Host) isLive(m callMark, pid int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live[m] != nil || h.roots[pid] != nil
}

// limitedCalls returns the calls that have a limit on their tasks.
func (h *Host) limitedCalls() map[callMark]*call {
	h.mu.Lock()
	defer h.mu.Unlock()
	limited := map[callMark]*call{}
	for m, c := range h.live {
		if c.plan.profile.Limits.Processes > 0 {
			limited[m] = c
		}
	}
	return limited
}

// hasTerminal reports whether this process has a controlling terminal.
func hasTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return false // ENXIO: it has none
	}
	f.Close()
	return true
}
