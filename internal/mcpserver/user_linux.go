package mcpserver

import (
	"net"

	"golang.org/x/sys/unix"
)

// user is who holds the other end of a connection, as the kernel knows it.
type user struct {
	uid, pid int
	known    bool // false where the kernel does not tell
}

// otherEnd asks the kernel who made the connection, or listened for it (unix(7), SO_PEERCRED).
func otherEnd(conn *net.UnixConn) (user, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return user{}, err
	}
	var cred *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err == nil {
		err = credErr
	}
	if err != nil {
		return user{}, err
	}
	return user{uid: int(cred.Uid), pid: int(cred.Pid), known: true}, nil
}
