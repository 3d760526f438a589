package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// refusedHere lists the refused system calls that only this architecture has.
var refusedHere = []uintptr{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE,
	unix.SYS_USELIB,
	unix.SYS__SYSCTL, unix.SYS_SYSFS, unix.SYS_USTAT, unix.SYS_MODIFY_LDT,
}

// pathModes and pathOpens are the older forms of the system calls that take a mode, and which argument it,
// or the flags in front of it, is.
var (
	pathModes = map[uintptr]uint32{unix.SYS_CHMOD: 1, unix.SYS_CREAT: 1, unix.SYS_MKNOD: 1}
	pathOpens = map[uintptr]uint32{unix.SYS_OPEN: 1}
)
