// Package sandbox runs a tool call's process tree, confined as far as this machine can, and owns all of it:
// when Run returns, no process, descriptor or temporary file of the call is left. (What its /tmp took of
// the memory is given back some milliseconds later: see dismantler.)
//
// A call goes Profile → Plan → Run. A [Profile] says what the call may do. [Host.Plan] is pure and turns it
// into a [Plan]: what this machine will enforce of it, under a digest that an approval can be bound to, and
// what it will not ([Plan.NotEnforced]). [Host.Run] carries a Plan out.
//
// How much a machine can do is its [Level], found by trying: [Open] runs something on each, from the top,
// and sees what it can do. On [LevelFull] a call has namespaces of its own (user, process, mount, ipc),
// everything is read-only but what was granted, /proc, /tmp, /run and the homes are the call's, Landlock
// lets it open only what was granted, and a system call filter keeps it from the rest of the kernel. Each
// lower level lacks something, and [Plan.NotEnforced] says what.
//
// All of it is set up in the new process itself, between clone and execve, by a list of system calls that
// was made before (birth, step, launch): nothing is prepared by another process, and no cost that grows
// with this program's heap.
//
// # How the tree is owned
//
// With a process namespace the first process of a call (its root) is the namespace's init: a program of a
// few instructions that starts the command, waits for it and reports how it ended (see initProgram). The
// kernel ends all of the call with it, also when this program is killed.
//
// Without one, the root is the command itself. It becomes a child subreaper (prctl(2),
// PR_SET_CHILD_SUBREAPER), and so is this process: as long as the root lives, whatever it starts stays
// below it, daemons included; when the root has ended, what is left of its tree becomes our children. There
// it has to be told from the children that the rest of the program started, which are none of our business.
// For that each call carries a mark that every process of it inherits and that no process without
// CAP_SYS_RESOURCE can take off: a limit on file locks, which the kernel has not looked at since Linux
// 2.4.25, with a value of its own (see mark). All that is left is killed and reaped until nothing is. When
// this program is killed only the root is, with it; the next start knows the rest by their marks, and ends
// it.
//
// Orphans of the rest of the program become our children too. They are left alone, and reaped when they
// have ended and nobody in this program holds them (see strays).
//
// There a process can leave its tree only by asking another program to start it: cron, systemd-run, docker.
// On those levels nothing stops that.
package sandbox
