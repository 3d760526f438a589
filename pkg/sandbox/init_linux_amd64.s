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
	MOVQ	16(R12), BX	// the program
	LEAQ	16(R12), R14	// argv
	LEAQ	16(R12)(R13*8), R9	// envp, behind argc texts and the 0
	CMPQ	R13, $1
	JNE	start
	// No command: it comes in a message, with its descriptors. The kernel's struct msghdr, its iovec and room for the
	// descriptors lie below the stack, where nothing else is.
	LEAQ	-512(R12), SI
	XORL	AX, AX
	MOVQ	AX, 0(SI)	// no address
	MOVQ	AX, 8(SI)
	LEAQ	64(SI), CX
	MOVQ	CX, 16(SI)
	MOVQ	$1, 24(SI)
	LEAQ	96(SI), CX
	MOVQ	CX, 32(SI)
	MOVQ	$const_initRights, 40(SI)
	MOVQ	AX, 48(SI)
	MOVQ	$const_initMessage, CX
	MOVQ	CX, 64(SI)
	MOVQ	$const_initMostMessage, 72(SI)
	MOVL	$const_initChannel, DI
	XORL	DX, DX
	MOVL	$47, AX	// recvmsg
	SYSCALL
	CMPQ	AX, $0
	JLE	exit	// there will be none
	MOVQ	$const_initMessage, CX
	MOVQ	0(CX), R14
	MOVQ	8(CX), R9
	MOVQ	(R14), BX
	MOVL	$const_initChannel, DI
	MOVL	$3, AX	// close
	SYSCALL
start:
	MOVL	$0x4111, DI	// CLONE_VM|CLONE_VFORK|SIGCHLD
	XORL	SI, SI	// on this stack, which the command leaves alone
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$56, AX	// clone
	SYSCALL
	TESTQ	AX, AX
	JEQ	command
	JLT	unable
	MOVQ	AX, R14
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
	MOVQ	BX, DI
	MOVQ	R14, SI
	MOVQ	R9, DX
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
