//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFilterTree holds the programs that the kernel is given against the list that they are made from, for every number and
// for arguments that the rules look at. A verdict that is shared must not be shared with the wrong one.
func TestFilterTree(t *testing.T) {
	t.Parallel()
	arguments := []uint32{0, 1, 2, 3, 5, 10, 16, 17, unix.CLONE_NEWUSER, unix.CLONE_VM, unix.TIOCSTI, tioclinux, 1 << 31}
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
	if got := len(filter(filterRules{memfd: true, alone: true})); got > 145 {
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
