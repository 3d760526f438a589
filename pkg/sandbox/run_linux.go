//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// call is one process tree, from before its first process to after its last.
type call struct {
	plan Plan
	mark callMark

	dirs    *directories
	streams [2]*stream // stdout and stderr
	root    root
	found   leftCount         // what was running when a call with a process namespace was ended
	watched []watched         // directories in which nothing protected may appear
	hints   []string          // what was asked for and could not be granted
	changed []string          // what others run or believe, and is not as it was
	lost    map[int]bool      // processes that we may not signal
	peak    atomic.Int64      // the most tasks that were counted
	group   *group            // nil when the call has none
	hit     []string          // the limits of its group that it ran into
	table   int               // what is mounted in it; -1 where nobody asks
	held    map[string]fileID // what it shall not change, or see, and only a mount keeps from it

	stopping
}

// Run starts a process under a plan and returns when no process of its tree is left, whatever it took: when
// the first process ends, what it left behind is killed at once; when ctx ends or the time is up, the
// process group gets SIGTERM, and after the grace SIGKILL; a call that floods its output or starts too many
// processes gets SIGKILL.
//
// An error means that nothing ran (*StartError), or that the tree could not be ended, which the Outcome
// beside it tells more of. A tool's own failure is an Outcome.
func (h *Host) Run(ctx context.Context, plan Plan, process Process) (Outcome, error) {
	if plan.digest == "" {
		return Outcome{ExitCode: -1},
			tool.Failf(tool.FailSandbox, "the plan to run under is empty; Host.Plan makes one")
	}
	if err := process.check(); err != nil {
		return Outcome{ExitCode: -1}, err
	}
	c := &call{plan: plan, table: -1, lost: map[int]bool{}, stopping: stopping{over: make(chan string, 1)}}
	if err := h.enter(c); err != nil {
		return Outcome{ExitCode: -1}, err
	}
	defer h.leave(c)
	if ctx.Err() != nil {
		return Outcome{ExitCode: -1, Cancelled: true}, nil
	}
	var outcome Outcome
	var err error
	h.main.settle()
	onThread(func(thread int) {
		c.root.thread = thread
		outcome, err = h.run(ctx, c, process)
	})
	return outcome, err
}

// run carries a call out, from nothing to nothing.
func (h *Host) run(ctx context.Context, c *call, process Process) (Outcome, error) {
	begun := time.Now()
	if err := h.start(c, process); err != nil {
		return Outcome{ExitCode: -1}, err
	}
	mounts := -1
	if c.plan.level.hasNamespaces() {
		mounts = holdMounts(c.root.pidfd)
	}
	defer h.mounts.takeApart(mounts)
	defer h.mounts.takeApart(c.table) // which holds them, too
	ended, lost := h.waitForEnd(ctx, c)
	left, leftErr := c.found, error(nil)
	if !c.plan.level.hasNamespaces() {
		left, leftErr = h.clearAway(c, ended != callEnd{})
	}
	if c.group != nil {
		c.hit = h.groups.hit(c.group)
	}
	for _, w := range c.watched {
		c.changed = append(c.changed, w.tellNew(process.Stdio == nil)...)
	}
	c.changed = append(c.changed, c.tellUncovered()...)
	h.unnote(c, true)
	outcome, endErr := c.conclude(ended, lost == nil)
	if c.group != nil {
		h.groups.giveBack(c.group) // not before the root is off the process table: it counts until then
	}
	outcome.Reaped, outcome.Killed, outcome.Lost = left.reaped, left.killed, left.lost
	// What could not be ended may hold them, and so may whoever was sent them through a socket.
	c.dirs.shared = lost != nil || leftErr != nil || left.lost > 0 || len(c.plan.profile.Sockets) > 0
	if err := c.dirs.remove(); err != nil {
		outcome.Leftover = err.Error()
	}
	outcome.Elapsed = time.Since(begun)
	if start := (*StartError)(nil); errors.As(endErr, &start) {
		outcome = Outcome{ExitCode: -1}
	}
	return outcome, errors.Join(lost, leftErr, endErr)
}

// start makes the process.
func (h *Host) start(c *call, process Process) (err error) {
	var theirs []int // descriptors that are only for the call
	c.root.report = -1
	defer func() {
		for _, fd := range theirs {
			unix.Close(fd)
		}
		if err != nil {
			if c.root.report >= 0 {
				unix.Close(c.root.report)
			}
			h.unnote(c, false)
			err = errors.Join(err, c.discard())
			if c.group != nil {
				h.groups.giveBack(c.group)
			}
		}
	}()
	id, err := h.identityOf(&c.plan)
	if err != nil {
		return err
	}
	if c.dirs, err = h.scratch.makeDirectories(&c.plan, h.temp, id); err != nil {
		return err
	}
	shut, err := h.confine(&c.plan, c.dirs, process.Argv[0])
	if err != nil {
		return err
	}
	defer shut.close()
	c.hints, c.watched = shut.hints, shut.watched
	if shut.view != nil {
		c.held = shut.view.heldPlaces()
	}
	h.note(c)
	files, theirs, err := h.files(c, process, id)
	if err != nil {
		return err
	}
	b := &childSetup{
		argv: process.Argv, env: c.plan.environ(c.dirs.home, process.Trace), dir: c.dirs.start, files: files,
		limits: kernelLimitsOf(c.plan.profile.Limits, c.mark, h.processes(&c.plan), h.capability),
		filter: shut.filter, rules: shut.rules, view: shut.view, identity: id,
		self: h.self, init: -1, report: -1, session: h.session, terminal: c.plan.profile.Terminal, tasks: -1,
	}
	if h.groups != nil && id.uid == 0 || h.groups != nil && h.groups.memory {
		limits := c.plan.profile.Limits
		if c.group, b.tasks, err = h.groups.take(c.plan.tasks(), limits.Memory); err != nil {
			return err
		}
		theirs = append(theirs, b.tasks)
	}
	if c.plan.level.hasNamespaces() {
		if h.noInit != nil {
			return &StartError{Step: "memfd_create",
				Cure: "let programs be started from files in memory (sysctl vm.memfd_noexec=1)", Err: h.noInit}
		}
		if c.root.report, err = openReport(); err != nil {
			return err
		}
		b.init, b.report = h.init, c.root.report
	}
	l := &launch{namespaces: namespaces(&c.plan, id)}
	b.steps(l)
	process1, err := l.start()
	if err != nil {
		return err
	}
	c.root.pid, c.root.pidfd, c.root.exited = process1.pid, process1.pidfd, make(chan struct{})
	c.root.program = process.Argv[0]
	h.enrol(c)
	if len(c.held) > 0 {
		c.table, _ = openTable(c.root.pid) // its end may be over already
	}
	h.wakeCensus()
	if shut.rules != nil {
		h.rulesets.prepare(shut.kind, h.systemRuleset)
	}
	return nil
}

// files makes the descriptors of a call, in their order. Those that are only for the call are given back to
// be closed, also on an error.
func (h *Host) files(c *call, process Process, id identity) (all, theirs []int, err error) {
	all = []int{int(h.null.Fd())}
	if process.Stdin != nil {
		if all[0], err = openInput(*process.Stdin); err != nil {
			return nil, theirs, err
		}
		theirs = append(theirs, all[0])
	}
	stdin := len(theirs)
	limit := c.plan.profile.Limits.Output
	if process.Stdio != nil {
		all = all[:0]
		for _, f := range process.Stdio {
			all = append(all, int(f.Fd()))
		}
	} else {
		for i, to := range []struct {
			writer io.Writer
			size   int
		}{{process.Stdout, pipeSize}, {process.Stderr, 0}} {
			s, fd, err := openStream(stream{limit: limit, to: to.writer, last: process.Last}, to.size)
			if err != nil {
				return nil, theirs, err
			}
			c.streams[i] = s
			theirs = append(theirs, fd)
			if id.drop {
				// Or /dev/stderr could not be opened by name.
				if err := unix.Fchown(fd, id.uid, id.gid); err != nil {
					return nil, theirs, &StartError{Step: "fchown", Err: err}
				}
			}
		}
	}
	for _, input := range process.Inputs {
		fd, err := openInput(input)
		if err != nil {
			return nil, theirs, err
		}
		theirs = append(theirs, fd)
	}
	return append(all, theirs[stdin:]...), theirs, nil
}

// namespaces returns the flags of clone(2) for a plan. Root that is to become somebody else makes its user
// namespace later.
func namespaces(p *Plan, id identity) uintptr {
	if !p.level.hasNamespaces() {
		return 0
	}
	flags := uintptr(unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC)
	if !id.drop {
		flags |= unix.CLONE_NEWUSER
	}
	if p.profile.Isolated {
		flags |= unix.CLONE_NEWNET
	}
	return flags
}

// processes returns the number for RLIMIT_NPROC. In a user namespace of its own the kernel counts the call
// alone; else it counts all of the user's, and the limit is only there to stop a bomb.
func (h *Host) processes(p *Plan) uint64 {
	if p.level.hasNamespaces() && p.user != 0 {
		return uint64(p.tasks())
	}
	return h.brake(p.profile.Limits.Processes)
}

// tasks is how many a call may have, 0 for any number: its init is one more.
func (p *Plan) tasks() int {
	if n := p.profile.Limits.Processes; n > 0 && p.level.hasNamespaces() {
		return n + 1
	}
	return p.profile.Limits.Processes
}

// terminate asks a call to end, and insists after the grace. One whose init has no command yet has nothing
// to put in order.
func (h *Host) terminate(c *call) {
	if c.plan.level.hasNamespaces() {
		if c.root.command() == 0 {
			h.kill(c)
			return
		}
		c.found = h.count(c)
	}
	c.root.terminate(h.grace, c.over, func(signal unix.Signal) { h.ask(c, signal) })
}

// kill ends a call at once. In a process namespace the end of the root is the end of all.
func (h *Host) kill(c *call) {
	if c.plan.level.hasNamespaces() {
		c.found = h.count(c)
	}
	c.root.kill()
}

// conclude takes the root off the process table, if it has ended, lets go of it, ends the reading of its
// output and says what became of the call.
func (c *call) conclude(why callEnd, ended bool) (Outcome, error) {
	var end *exit
	var err error
	if ended {
		var e exit
		if e, err = reap(c.root.pid); err == nil {
			end = &e
		}
	}
	if c.root.report >= 0 {
		status, known, reportErr := readReport(c.root.report, c.root.program)
		if err = errors.Join(err, reportErr); known && end != nil {
			end.status = status
		}
		unix.Close(c.root.report)
	}
	unix.Close(c.root.pidfd)
	for _, s := range c.streams {
		if s != nil {
			s.finish()
		}
	}
	return c.outcome(why, end), err
}

// discard takes away what start made of a call that did not start.
func (c *call) discard() error {
	for _, s := range c.streams {
		if s != nil {
			unix.Close(s.from)
		}
	}
	if c.dirs == nil {
		return nil
	}
	return c.dirs.remove()
}
