//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// initProgram is the first process of a call's process namespace, its init. It starts the command, waits
// for it, takes orphans off the process table, reports how the command ended, and ends, with which the
// kernel ends what is left.
//
// Were the command itself the first process, the kernel would spare it every signal that it has no handler
// for (pid_namespaces(7)): kill -TERM $$ would have no effect, nor kill -KILL $$.
//
// It goes through the same birth as the command, so the filter, Landlock, the limits and the control group
// hold for it as well. It has no handlers, so no process of the call can signal it; none of them may look
// into it (PR_SET_DUMPABLE), so none can have it do or report something else; and it has no descriptor but
// the one that it reports to. Nor does it pass signals on: who has one for the command sends it to that,
// see call.command.
//
// It is a program of its own since a process that shares our memory could be used to read it, and ours
// takes a thousand times longer to start than these few instructions. They are never called, but copied
// into a file in memory. Its name is its first argument, the command and its arguments are the others.
// Where it leads a process group, the command leads another one, as a job of a shell does.
func initProgram()

var _ = initProgram // it is named by initAddress only

// initAddress tells where initProgram begins.
func initAddress() *byte

const (
	// initReport is the descriptor to which it reports: above those of the call's files, see mostInputs,
	// and below 64, since the kernel has a table with room for so many at hand.
	initReport = 60
	// initEnd follows the last instruction: "init end".
	initEnd = 0x646e652074696e69
	// initName is what it is called in a list of processes.
	initName = "a2a-acp-init"

	// What it reports, above 32 bits that say more.
	initEnded     = 1 // the command has ended: its wait status
	initNoProcess = 2 // there is none: the error of clone(2)
	initNoProgram = 3 // it could not be started: the error of execve(2)
)

// openInit makes the program's file.
func openInit() (fd int, err error) {
	const most = 4096 // it is far shorter; this only bounds the search
	code := unsafe.Slice(initAddress(), most)
	end := bytes.Index(code, binary.NativeEndian.AppendUint64(nil, initEnd))
	if end < 0 {
		return -1, errors.New("make the first process's program: it has no end")
	}
	return openSealed("init", executable(code[:end]), unix.MFD_EXEC)
}

// executable makes an ELF file of instructions that need nothing but a stack (elf(5)).
func executable(code []byte) []byte {
	const (
		headers = 64 + 2*56
		address = 0x400000
		align   = 1 << 16 // the largest pages of arm64
	)
	machine := elf.EM_X86_64
	if runtime.GOARCH == "arm64" {
		machine = elf.EM_AARCH64
	}
	size := uint64(headers + len(code))
	var file bytes.Buffer
	for _, part := range []any{
		elf.Header64{
			Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
				byte(elf.EV_CURRENT)},
			Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
			Entry: address + headers, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2,
		},
		elf.Prog64{
			Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: address, Paddr: address,
			Filesz: size, Memsz: size, Align: align,
		},
		elf.Prog64{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 16},
		code,
	} {
		_ = binary.Write(&file, binary.LittleEndian, part) // a Buffer takes all, and these have a size
	}
	return file.Bytes()
}

// openReport makes what a call's init reports to.
func openReport() (fd int, err error) {
	fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return -1, &StartError{Step: "eventfd", Cure: cureDescriptors, Err: err}
	}
	return fd, nil
}

// readReport tells how a command ended by what its init has reported. known is false where that was killed
// before it could.
func readReport(fd int, program string) (status unix.WaitStatus, known bool, err error) {
	var text [8]byte
	_, err = unix.Read(fd, text[:])
	if errors.Is(err, unix.EAGAIN) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("learn how the command ended: %w", err)
	}
	report := binary.NativeEndian.Uint64(text[:])
	rest := uint32(report & math.MaxUint32)
	switch report >> 32 {
	case initEnded:
		return unix.WaitStatus(rest), true, nil
	case initNoProcess:
		return 0, false, &StartError{Step: "clone", Cure: cureClone, Err: unix.Errno(rest)}
	case initNoProgram:
		return 0, false, &StartError{Step: "execve", Path: program, Cure: cureProgram, Err: unix.Errno(rest)}
	}
	return 0, false, fmt.Errorf("learn how the command ended: its init reported %#x", report)
}
