#include "textflag.h"

// func cloneVM(flags uintptr, pidfd *int32) (pid, errno uintptr)
//
// The child goes on in the caller's frame and calls further functions from there. Our return address is safe from them: it
// is in the link register, which the kernel saves for the parent while the child runs.
TEXT ·cloneVM(SB), NOSPLIT|NOFRAME, $0-32
	MOVD	flags+0(FP), R0
	MOVD	pidfd+8(FP), R2
	MOVD	$0, R1	// no stack of its own: go on on the parent's
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$220, R8	// clone
	SVC
	CMN	$4095, R0
	BCS	failed
	MOVD	R0, pid+16(FP)
	MOVD	ZR, errno+24(FP)
	RET
failed:
	NEG	R0, R0
	MOVD	ZR, pid+16(FP)
	MOVD	R0, errno+24(FP)
	RET
