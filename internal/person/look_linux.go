package person

import (
	"cmp"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// The numbers of the namespaces that the kernel starts with (include/linux/proc_ns.h; uapi/linux/nsfs.h
// since Linux 6.18).
const (
	initialUser = "user:[4026531837]"
	initialPID  = "pid:[4026531836]"
)

const (
	cureEditor = "answer in the editor, or run it in a terminal of your own"
	cureRoot   = "where these are the namespaces of a container that people work in, root says so there: " +
		"`people: {container: true}` in /etc/a2a-acp/a2a-acp.yaml"
	cureUserSpace = "answer in the editor, or run it outside of them (of a container, one that has the machine's own user namespace)"
)

// Look finds out who has started this program. It looks at three things, each of which an agent cannot
// change by itself:
//
//   - the limits that mark what an agent or a sandbox of ours has started. They are inherited, and only a process with
//     CAP_SYS_RESOURCE outside of every user namespace raises them again: not one that has lowered its mark, left its
//     parents, its session or its namespaces, nor what is left when its supervisor was killed;
//   - the namespaces, since who makes some of his own is root there and shows what he likes;
//   - the ancestors up to the first process. They tell of an agent of root's, which can raise its limits.
func Look() Finding {
	if f, told := lookAtMarks(); told {
		return f
	}
	proc, err := openProc()
	if err != nil {
		return unknown(cureEditor, "%v", err)
	}
	defer proc.close()
	user, err1 := proc.link("self/ns/user")
	pids, err2 := proc.link("self/ns/pid")
	if err := cmp.Or(err1, err2); err != nil {
		return unknown(cureEditor, "the namespaces that it runs in are not to be seen: %v", err)
	}
	line, f, told := lookAtAncestors(proc, pids == initialPID)
	if told {
		return f
	}
	f = Finding{Caller: Doubtful}
	scheduler := slices.IndexFunc(line, isScheduler)
	switch {
	case user != initialUser:
		f.Reason, f.Cure = "it runs in a user namespace, where everybody can be root and hide who has started what",
			cureUserSpace
	case scheduler >= 0:
		f.Reason, f.Cure = "it comes from "+line[scheduler]+", which starts programs when nobody is there",
			cureEditor
	case pids != initialPID:
		f.Reason, f.Cure = "it runs in a process namespace, as in a container, "+
			"where nobody sees what has started it from outside", cureRoot
		f.Vouchable = true
	default:
		f.Caller = Person
	}
	f.Line = line
	return f
}

// lookAtMarks tells what the limits of this process say. It needs no /proc.
func lookAtMarks() (f Finding, told bool) {
	trace, err := supervisor.TraceOf(0)
	if err != nil {
		return unknown(cureEditor, "its limits cannot be read: %v", err), true
	}
	locks, err := sandbox.HardLimit(0, unix.RLIMIT_LOCKS)
	if err != nil {
		return unknown(cureEditor, "its limits cannot be read: %v", err), true
	}
	switch {
	case trace == supervisor.TraceAgent:
		return agent("it has an agent's mark"), true
	case locks != noLimit:
		return unknown("run it outside of the sandbox",
			"it runs in a sandbox, or was left by one: its limit on file locks is "+
				"lowered (`ulimit -H -x`)"), true
	case trace == supervisor.TraceLowered:
		return unknown("run it where `ulimit -H -m` says unlimited",
			"its limit on resident memory is lowered (`ulimit -H -m`), "+
				"and that limit is what agents are known by"), true
	}
	return Finding{}, false
}

// noLimit is a limit that nobody has lowered.
const noLimit = unix.RLIM_INFINITY & (1<<64 - 1)

// longestLine is how many ancestors are looked at. Nobody honest has as many.
const longestLine = 1024

// lookAtAncestors goes up from this process to the first one, gives their names, and tells what shows an
// agent or hides one.
func lookAtAncestors(proc *procfs, initial bool) (line []string, f Finding, told bool) {
	heads, err := proc.heads()
	if err != nil {
		return nil, unknown(cureEditor, "the processes cannot be listed: %v", err), true
	}
	child, err := proc.stat(os.Getpid())
	if err != nil {
		return nil, unknown(cureEditor, "what has started it cannot be seen: %v", err), true
	}
	for range longestLine {
		if child.parent == 0 {
			if child.pid != 1 && initial {
				return nil, unknown(cureEditor, "process %d (%s), from which it comes, has no parent",
					child.pid, child.name), true
			}
			return line, Finding{}, false // who has no parent in a container was put there from outside
		}
		parent, err := proc.stat(child.parent)
		if err != nil {
			return nil, unknown(cureEditor, "process %d, from which it comes, cannot be seen: %v",
				child.parent, err), true
		}
		// A number that was given anew in the meantime is another's.
		if again, err := proc.stat(child.pid); err != nil || again.parent != parent.pid ||
			parent.started > child.started {
			return nil, unknown("run it again",
				"process %d, from which it comes, has lost its parent at this moment", child.pid), true
		}
		if why, head := heads[parent.pid]; head {
			return nil, agent("%s, process %d, is above it", why, parent.pid), true
		}
		if trace, err := supervisor.TraceOf(parent.pid); err == nil && trace == supervisor.TraceAgent {
			return nil, agent("process %d (%s), from which it comes, has an agent's mark", parent.pid, parent.name),
				true
		}
		line = append(line, parent.name)
		child = parent
	}
	return nil, unknown(cureEditor, "more than %d processes are above it", longestLine), true
}

// heads returns the supervisors of agents among all processes, and the bridges that started them.
func (p *procfs) heads() (map[int]string, error) {
	names, err := p.list()
	if err != nil {
		return nil, err
	}
	heads := map[int]string{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if words, err := p.commandLine(pid); err != nil || !supervisor.Is(words) {
			continue
		}
		heads[pid] = "an agent's supervisor"
		process, err := p.stat(pid)
		if err != nil {
			continue // it has ended
		}
		// A supervisor whose bridge is dead has been given to a stranger, mostly init, from whom everybody
		// descends.
		if file := p.program(process.parent); file != "" && file == p.program(pid) {
			heads[process.parent] = "a bridge"
		}
	}
	return heads, nil
}
