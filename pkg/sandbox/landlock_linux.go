//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The rights of Landlock, by what they let a call do with what lies below a directory (landlock(7)).
const (
	landlockRead = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockRun  = unix.LANDLOCK_ACCESS_FS_EXECUTE
	// No device files, which need privileges and would be a way around /dev; sockets can be made, but not
	// connected to without leave (see socketRules).
	landlockChange = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landlockDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// landlockOnFile are the rights that a rule about a file, and not a directory, can have. The kernel
	// refuses others: EINVAL.
	landlockOnFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockFiles are all rights that version abi knows. What is handled and not granted is refused.
func landlockFiles(abi int) uint64 {
	const first = 1<<13 - 1 // up to MAKE_SYM
	rights := uint64(first)
	if abi >= 2 {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// landlockABI returns the version of Landlock that the kernel has. ENOSYS: none. EOPNOTSUPP: it is switched
// off.
func landlockABI() (int, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	return int(abi), nil
}

// ruleset is a Landlock ruleset that is being made.
type ruleset struct {
	fd     int
	rights uint64 // those that it handles
}

// newRuleset makes a ruleset that grants nothing: no file, where the network is off no port, and nobody
// outside of the call by abstract sockets and signals.
func newRuleset(abi int, network bool) (*ruleset, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: landlockFiles(abi)}
	size := unsafe.Sizeof(attr.Handled_access_fs) // what version 1 knows; later kernels take any size they know
	if abi >= 4 {
		size += unsafe.Sizeof(attr.Handled_access_net)
		if !network {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if abi >= landlockScopes {
		size += unsafe.Sizeof(attr.Scoped)
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	return &ruleset{fd: int(fd), rights: attr.Handled_access_fs}, nil
}

func (r *ruleset) close() { unix.Close(r.fd) }

// beneath is the kernel's struct landlock_path_beneath_attr, which has no room between its members: the
// rights, and the descriptor of the directory or file.
type beneath [12]byte

func (b *beneath) set(rights uint64, fd int) {
	binary.NativeEndian.PutUint64(b[:8], rights)
	*b.fd() = int32(fd)
}

// fd is where the descriptor is. The launcher writes it where the directory can only be opened by the new
// process.
func (b *beneath) fd() *int32 { return (*int32)(unsafe.Pointer(&b[8])) }

// grant adds rights to what a descriptor stands for, and to all below it.
func (r *ruleset) grant(fd int, rights uint64) error {
	var b beneath
	b.set(rights&r.rights, fd)
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&b)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock_add_rule: %w", errno)
	}
	return nil
}
