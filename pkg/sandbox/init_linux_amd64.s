#include "go_asm.h"
#include "textflag.h"

// func initProgram()
//
// What init_linux.go says, for the kernel to start: nothing but the stack is there. It reads no other memory, and ends with
// the mark initEnd. System calls leave all registers alone but AX, CX and R11.
TEXT ·initProgram(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	SP, R12	// argc, argv[0], argv[1], …, 0, envp[0], …
	MOVQ	(R12), R13
	MOVQ	$0, (R12)	// from here on what is reported
	MOVL	$4, DI	// PR_SET_DUMPABLE
	XORL	SI, SI
	MOVL	$157, AX	// prctl
	SYSCALL
	XORL	DI, DI
	MOVL	$121, AX	// getpgid
	SYSCALL
	MOVQ	AX, R15
	MOVL	$0x4111, DI	// CLONE_VM|CLONE_VFORK|SIGCHLD
	XORL	SI, SI	// on this stack, which the command leaves alone
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$56, AX	// clone
	SYSCALL
	TESTQ	AX, AX
	JEQ	command
	MOVQ	AX, R14
	JLT	unable
	CMPQ	(R12), $0
	JNE	report
	XORL	DI, DI
	MOVL	$(const_initReport-1), SI
	XORL	DX, DX
	MOVL	$436, AX	// close_range
	SYSCALL
wait:
	MOVQ	$-1, DI
	MOVQ	R12, SI
	MOVL	$0x40000000, DX	// __WALL
	XORL	R10, R10
	MOVL	$61, AX	// wait4
	SYSCALL
	CMPQ	AX, R14
	JEQ	ended
	CMPQ	AX, $-10	// ECHILD
	JNE	wait
	JMP	exit
ended:
	MOVL	$const_initEnded, 4(R12)
report:
	MOVL	$const_initReport, DI
	MOVQ	R12, SI
	MOVL	$8, DX
	MOVL	$1, AX	// write
	SYSCALL
exit:
	XORL	DI, DI
exitWith:
	MOVL	$231, AX	// exit_group
	SYSCALL
	JMP	exitWith
unable:
	NEGL	AX
	MOVL	AX, (R12)
	MOVL	$const_initNoProcess, 4(R12)
	JMP	report

command:
	CMPQ	R15, $1
	JNE	inGroup
	XORL	DI, DI
	XORL	SI, SI
	MOVL	$109, AX	// setpgid
	SYSCALL
inGroup:
	MOVL	$const_initReport, DI
	MOVL	$3, AX	// close
	SYSCALL
	MOVQ	16(R12), DI
	LEAQ	16(R12), SI
	LEAQ	16(R12)(R13*8), DX	// behind argc texts and the 0
	MOVL	$59, AX	// execve
	SYSCALL
	NEGL	AX
	MOVL	AX, (R12)
	MOVL	$const_initNoProgram, 4(R12)
	MOVL	$127, DI
	JMP	exitWith
	QUAD	$const_initEnd

// func initAddress() *byte
TEXT ·initAddress(SB), NOSPLIT, $0-8
	LEAQ	·initProgram(SB), AX
	MOVQ	AX, ret+0(FP)
	RET
