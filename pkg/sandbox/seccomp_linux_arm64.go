package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// refusedHere lists the refused system calls that only this architecture has.
var refusedHere = []uintptr{}

// pathModes and pathOpens are the older forms of the system calls that take a mode: this architecture has
// none.
var pathModes, pathOpens map[uintptr]uint32
