//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// userFor gives the user that a call in dir runs as: us; but where we are root, the owner of dir, since what is in it is that
// user's business and not root's.
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

// identityOf gives the whole identity of a plan's user. Its group is the one that the user database gives, and none other: a
// group like docker or sudo is not for a tool.
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
