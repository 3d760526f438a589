package unixsocket

import (
	"net"

	"golang.org/x/sys/unix"
)

// Peer is who holds the other end of a connection, as the kernel knows it.
type Peer struct {
	UID, PID int
	Known    bool // false where the kernel does not tell
}

// PeerOf asks the kernel who made the connection, or listened for it (unix(7), SO_PEERCRED).
func PeerOf(conn *net.UnixConn) (Peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Peer{}, err
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
		return Peer{}, err
	}
	return Peer{UID: int(cred.Uid), PID: int(cred.Pid), Known: true}, nil
}
