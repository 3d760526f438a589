#include "textflag.h"

// func cloneVM(flags uintptr, pidfd *int32) (pid, errno uintptr)
//
// The child goes on in the caller's frame and calls further functions from there, whose return addresses land in the very
// stack slot that holds ours. The kernel saves the parent's registers while the child runs, so that is where ours waits.
TEXT ·cloneVM(SB), NOSPLIT|NOFRAME, $0-32
	MOVQ	flags+0(FP), DI
	MOVQ	pidfd+8(FP), DX
	XORL	SI, SI	// no stack of its own: go on on the parent's
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$56, AX	// clone
	POPQ	R12
	SYSCALL
	PUSHQ	R12
	CMPQ	AX, $-4095
	JCC	failed
	MOVQ	AX, pid+16(FP)
	MOVQ	$0, errno+24(FP)
	RET
failed:
	NEGQ	AX
	MOVQ	$0, pid+16(FP)
	MOVQ	AX, errno+24(FP)
	RET
