//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFilterTree holds the programs that the kernel is given against the list that they are made from, for
// every number and for arguments that the rules look at. A verdict that is shared must not be shared with
// the wrong one.
func TestFilterTree(t *testing.T) {
	t.Parallel()
	arguments := []uint32{0, 1, 2, 3, 5, 10, 16, 17, unix.CLONE_NEWUSER, unix.CLONE_VM, unix.TIOCSTI, tioclinux, unix.F_SETLEASE, unix.F_SETDELEG, 1 << 31}
	var many []segment // farther apart than a conditional jump leads
	for i := range 600 {
		many = append(many, segment{uintptr(i), []unix.SockFilter{give(verdict(i % 300))}})
	}
	programs := map[string][]segment{"many": many}
	for n := range 16 {
		r := filterRules{network: n&1 != 0, unix: n&2 != 0, memfd: n&4 != 0, alone: n&8 != 0}
		programs[fmt.Sprintf("%+v", r)] = segments(leaves(r))
	}
	for name, list := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := append([]unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}}, tree(list)...)
			for number := range uint32(700) {
				want := list[0].leaf
				for _, s := range list {
					if s.first <= uintptr(number) {
						want = s.leaf
					}
				}
				for _, argument := range arguments {
					data := func(offset uint32) uint32 {
						if offset == 0 {
							return number
						}
						return argument
					}
					if got, want := judge(t, program, data), judge(t, want, data); got != want {
						t.Fatalf("system call %d with %#x: got %#x, want %#x", number, argument, got, want)
					}
				}
			}
		})
	}
	if got := len(filter(filterRules{memfd: true, alone: true})); got > 155 {
		t.Errorf("the usual program has %d instructions; its length is what each call waits for", got)
	}
}

// judge runs a program as seccomp(2) would.
func judge(t *testing.T, program []unix.SockFilter, data func(offset uint32) uint32) uint32 {
	t.Helper()
	a := uint32(0)
	for at := 0; at < len(program); at++ {
		i := program[at]
		jump := func(yes bool) {
			if yes {
				at += int(i.Jt)
			} else {
				at += int(i.Jf)
			}
		}
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = data(i.K)
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= i.K
		case unix.BPF_JMP | unix.BPF_JA:
			at += int(i.K)
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(a == i.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(a >= i.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(a&i.K != 0)
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		default:
			t.Fatalf("instruction %d is none of ours: %+v", at, i)
		}
	}
	t.Fatal("the program ends without a verdict")
	return 0
}

// numbersByName are system calls by the numbers that the kernel's own tables give them
// (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h), which the filter gets from
// elsewhere, with what becomes of them in a call that has neither network nor sockets.
var numbersByName = []struct {
	name         string
	amd64, arm64 uint32
	want         verdict
}{
	{"read", 0, 63, allow}, {"write", 1, 64, allow}, {"openat", 257, 56, allow}, {"execve", 59, 221, allow},
	{"futex", 202, 98, allow}, {"wait4", 61, 260, allow}, {"exit_group", 231, 94, allow}, {"mmap", 9, 222, allow},
	{"rt_sigaction", 13, 134, allow}, {"prctl", 157, 167, allow}, {"getrandom", 318, 278, allow}, {"statx", 332, 291, allow},
	{"socket", 41, 198, refuse}, {"ptrace", 101, 117, refuse}, {"process_vm_readv", 310, 270, refuse},
	{"process_vm_writev", 311, 271, refuse}, {"mount", 165, 40, refuse}, {"umount2", 166, 39, refuse},
	{"pivot_root", 155, 41, refuse}, {"chroot", 161, 51, refuse}, {"unshare", 272, 97, refuse}, {"setns", 308, 268, refuse},
	{"keyctl", 250, 219, refuse}, {"add_key", 248, 217, refuse}, {"request_key", 249, 218, refuse}, {"bpf", 321, 280, refuse},
	{"perf_event_open", 298, 241, refuse}, {"userfaultfd", 323, 282, refuse}, {"io_uring_setup", 425, 425, refuse},
	{"io_uring_enter", 426, 426, refuse}, {"kexec_load", 246, 104, refuse}, {"reboot", 169, 142, refuse},
	{"init_module", 175, 105, refuse}, {"swapon", 167, 224, refuse}, {"settimeofday", 164, 170, refuse},
	{"clock_settime", 227, 112, refuse}, {"sethostname", 170, 161, refuse}, {"acct", 163, 89, refuse},
	{"open_by_handle_at", 304, 265, refuse}, {"fsopen", 430, 430, refuse}, {"move_mount", 429, 429, refuse},
	// Objects of System V by their numbers, which need not be asked for.
	{"msgrcv", 70, 188, refuse}, {"msgsnd", 69, 189, refuse}, {"msgctl", 71, 187, refuse}, {"semop", 65, 193, refuse},
	{"semtimedop", 220, 192, refuse}, {"semctl", 66, 191, refuse}, {"shmctl", 31, 195, refuse},
	{"clone3", 435, 435, unknown}, {"the next one there will be", lastKnown + 1, lastKnown + 1, unknown},
}

// TestFilterByName holds the filter against the numbers of its architecture. make cross runs it for arm64,
// too.
func TestFilterByName(t *testing.T) {
	t.Parallel()
	program := filter(filterRules{})
	run := func(arch, number uint32) verdict {
		return verdict(judge(t, program, func(offset uint32) uint32 {
			switch offset {
			case 0:
				return number
			case 4:
				return arch
			}
			return 0
		}))
	}
	for _, row := range numbersByName {
		number := map[string]uint32{"amd64": row.amd64, "arm64": row.arm64}[runtime.GOARCH]
		if got := run(auditArch, number); got != row.want {
			t.Errorf("%s (%d): got %#x, want %#x", row.name, number, got, row.want)
		}
	}
	for _, arch := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_X86_64 ^ unix.AUDIT_ARCH_AARCH64 ^ auditArch} {
		if got := run(arch, 1); got != kill {
			t.Errorf("a system call of architecture %#x: got %#x, want %#x", arch, got, kill)
		}
	}
}

// TestFilterByArguments holds the filter against arguments that a call makes something else of.
func TestFilterByArguments(t *testing.T) {
	t.Parallel()
	const ioprioProcess, ioprioGroup, ioprioUser, tipc, kcm = 1, 2, 3, 30, 41
	for _, row := range []struct {
		name   string
		rules  filterRules
		number uint32
		args   []uint32
		want   verdict
	}{
		{"a pair of streams", filterRules{}, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow},
		{"a pair of packets", filterRules{}, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_SEQPACKET}, allow},
		{"a pair of datagrams", filterRules{}, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_NONBLOCK}, refuse},
		{"a raw pair", filterRules{alone: true}, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_RAW}, refuse},
		{"a pair of another machine's", filterRules{alone: true}, unix.SYS_SOCKETPAIR, []uint32{tipc, unix.SOCK_SEQPACKET}, refuse},
		{"likewise, with a network", filterRules{network: true, alone: true}, unix.SYS_SOCKETPAIR, []uint32{tipc, unix.SOCK_STREAM}, refuse},
		{"a pair that the kernel has none of", filterRules{}, unix.SYS_SOCKETPAIR, []uint32{kcm, unix.SOCK_STREAM}, refuse},
		{"another machine's, where UNIX sockets were granted", filterRules{unix: true}, unix.SYS_SOCKETPAIR, []uint32{tipc, unix.SOCK_STREAM}, noFamily},
		{"datagrams, where UNIX sockets were granted", filterRules{unix: true}, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_DGRAM}, allow},

		{"a signal for its group", filterRules{alone: true}, unix.SYS_KILL, []uint32{0, 15}, allow},
		{"a signal for a group that others are in", filterRules{alone: true, group: true}, unix.SYS_KILL, []uint32{0, 15}, refuse},
		{"a signal for a process beside others in the group", filterRules{alone: true, group: true}, unix.SYS_KILL, []uint32{1, 15}, allow},

		{"its own priority", filterRules{}, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_PROCESS, 0, 19}, allow},
		{"another's priority", filterRules{}, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_PROCESS, 1, 19}, refuse},
		{"a group's priority", filterRules{}, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_PGRP, 0, 19}, refuse},
		{"the user's priority", filterRules{}, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_USER, 0, 19}, refuse},
		{"the user's priority, alone", filterRules{alone: true}, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_USER, 0, 19}, allow},
		{"its own turn at the disk", filterRules{}, unix.SYS_IOPRIO_SET, []uint32{ioprioProcess, 0, 3 << 13}, allow},
		{"another's turn at the disk", filterRules{}, unix.SYS_IOPRIO_SET, []uint32{ioprioProcess, 1, 3 << 13}, refuse},
		{"a group's turn at the disk", filterRules{}, unix.SYS_IOPRIO_SET, []uint32{ioprioGroup, 0, 3 << 13}, refuse},
		{"the user's turn at the disk", filterRules{}, unix.SYS_IOPRIO_SET, []uint32{ioprioUser, 0, 3 << 13}, refuse},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := verdict(judge(t, filter(row.rules), func(offset uint32) uint32 {
				switch {
				case offset == 0:
					return row.number
				case offset == 4:
					return auditArch
				case offset >= 16 && offset%8 == 0 && int(offset-16)/8 < len(row.args):
					return row.args[(offset-16)/8]
				}
				return 0
			}))
			if got != row.want {
				t.Errorf("got %#x, want %#x", got, row.want)
			}
		})
	}
}
