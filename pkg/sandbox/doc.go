// Package sandbox runs a tool call's process tree, confined as far as this machine can, and owns all of it: when Run
// returns, no process, descriptor or temporary file of the call is left.
//
// A call goes Profile → Plan → Run. A [Profile] says what the call may do. [Host.Plan] is pure and turns it into a [Plan]:
// what this machine will enforce of it, under a digest that an approval can be bound to, and what it will not
// ([Plan.NotEnforced]). [Host.Run] carries a Plan out.
//
// How much a machine can do is its [Level]. So far there is one, [LevelRlimits]: resource limits, an environment made from
// nothing, no descriptors but the call's own, no new privileges, and the ownership of the whole tree. Files, the network
// and other processes of the same user stay within reach of a call, and its reports say so. Namespaces, Landlock and seccomp
// are to join the same launcher as further levels.
//
// # How the tree is owned
//
// The first process of a call (its root) becomes a child subreaper (prctl(2), PR_SET_CHILD_SUBREAPER), and so is this
// process: as long as the root lives, whatever it starts stays below it, daemons included; when the root has ended, what is
// left of its tree becomes our children. There it has to be told from the children that the rest of the program started,
// which are none of our business. For that each call carries a mark that every process of it inherits and that no process
// without CAP_SYS_RESOURCE can take off: a limit on file locks, which the kernel has not looked at since Linux 2.4.25, with
// a value of its own (see mark). All that is left is killed and reaped until nothing is.
//
// A process can leave a tree only by asking another program to start it: cron, systemd-run, docker. On this level nothing
// stops that.
package sandbox
