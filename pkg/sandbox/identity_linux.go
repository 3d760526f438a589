//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// identity is whom a call runs as.
type identity struct {
	uid, gid int
	drop     bool // we are root, and the call is not
}

// maps tells the kernel that in the call's user namespace this user is itself. Below dir, which stands for
// /proc, where there is one.
//
// Because the user has the same number on both sides, and is not root, its capabilities in the namespace
// vanish at execve.
func (i identity) maps(l *launch, dir *int32) {
	at := "/proc/self/"
	if dir != nil {
		at = "self/"
	}
	// A group that was given to keep somebody out could be dropped otherwise: CVE-2014-8989.
	l.write(dir, at+"setgroups", "deny")
	l.write(dir, at+"uid_map", strconv.Itoa(i.uid)+" "+strconv.Itoa(i.uid)+" 1")
	l.write(dir, at+"gid_map", strconv.Itoa(i.gid)+" "+strconv.Itoa(i.gid)+" 1")
}

// become makes root the owner of the working directory, in a user namespace where there are namespaces.
//
// On a change of identity the kernel forbids everybody to look into the process (PR_SET_DUMPABLE,
// commit_creds), which is what keeps that user's other processes out of a process that shares our memory
// until execve. It must stay so. But it also makes root the owner of uid_map. So the process is the user
// for what counts when a namespace is made and mapped, the effective id, and root for what counts when a
// file is opened, the file system id, until the map is written.
func (i identity) become(l *launch, v *mountView) {
	if !i.drop {
		return
	}
	const cure = "`a2a-acp doctor` tells how to let this program make user namespaces"
	gid, uid := uintptr(i.gid), uintptr(i.uid)
	l.do("setgroups", unix.SYS_SETGROUPS, 0, 0)
	l.do("setresgid", unix.SYS_SETRESGID, gid, gid, gid)
	if v != nil {
		l.do("setresuid", unix.SYS_SETRESUID, 0, uid, 0)
		l.do("setfsuid", unix.SYS_SETFSUID, 0)
		l.do("unshare(CLONE_NEWUSER)", unix.SYS_UNSHARE, unix.CLONE_NEWUSER).about("", cure)
		i.maps(l, v.proc)
	}
	l.do("setresuid", unix.SYS_SETRESUID, uid, uid, uid)
}

// rootOnly says what may come of a step that only root can take.
func (i identity) rootOnly() result {
	if i.uid == 0 {
		return mustWork
	}
	return mayFail
}

// userFor returns the user that a call in dir runs as: us; but where we are root, the owner of dir, since
// what is in it is that user's business and not root's.
func (h *Host) userFor(dir string) int {
	if h.capability.user != 0 {
		return h.capability.user
	}
	info, err := os.Stat(dir)
	if err != nil {
		return 0 // the start tells
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return int(stat.Uid)
}

// identityOf returns the whole identity of a plan's user. Its group is the one that the user database
// gives, and none other: a group like docker or sudo is not for a tool.
func (h *Host) identityOf(p *Plan) (identity, error) {
	if p.user == h.capability.user {
		return identity{uid: p.user, gid: os.Getegid()}, nil
	}
	id := identity{uid: p.user, gid: p.user, drop: true}
	account, err := user.LookupId(strconv.Itoa(p.user))
	var unknown user.UnknownUserIdError
	switch {
	case errors.As(err, &unknown):
		return id, nil // a number without a name, as in containers: its group has the same
	case err != nil:
		return identity{}, err
	}
	id.gid, err = strconv.Atoi(account.Gid)
	return id, err
}
