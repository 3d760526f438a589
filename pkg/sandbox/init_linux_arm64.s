#include "go_asm.h"
#include "textflag.h"

// func initProgram()
//
// What init_linux.go says, for the kernel to start: nothing but the stack is there. It reads no other memory, and ends with
// the mark initEnd. System calls leave all registers alone but R0.
TEXT ·initProgram(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	RSP, R19	// argc, argv[0], argv[1], …, 0, envp[0], …
	MOVD	(R19), R20
	MOVD	ZR, (R19)	// from here on what is reported
	MOVD	$4, R0	// PR_SET_DUMPABLE
	MOVD	ZR, R1
	MOVD	$167, R8	// prctl
	SVC
	MOVD	ZR, R0
	MOVD	$155, R8	// getpgid
	SVC
	MOVD	R0, R22
	MOVD	$0x4111, R0	// CLONE_VM|CLONE_VFORK|SIGCHLD
	MOVD	ZR, R1	// on this stack, which the command leaves alone
	MOVD	ZR, R2
	MOVD	ZR, R3
	MOVD	ZR, R4
	MOVD	$220, R8	// clone
	SVC
	CMP	$0, R0
	BEQ	command
	MOVD	R0, R21
	BLT	unable
	MOVD	(R19), R1
	CMP	$0, R1
	BNE	report
	MOVD	ZR, R0
	MOVD	$(const_initReport-1), R1
	MOVD	ZR, R2
	MOVD	$436, R8	// close_range
	SVC
wait:
	MOVD	$-1, R0
	MOVD	R19, R1
	MOVD	$0x40000000, R2	// __WALL
	MOVD	ZR, R3
	MOVD	$260, R8	// wait4
	SVC
	CMP	R21, R0
	BEQ	ended
	CMN	$10, R0	// ECHILD
	BNE	wait
	B	exit
ended:
	MOVW	$const_initEnded, R1
	MOVW	R1, 4(R19)
report:
	MOVD	$const_initReport, R0
	MOVD	R19, R1
	MOVD	$8, R2
	MOVD	$64, R8	// write
	SVC
exit:
	MOVD	ZR, R0
exitWith:
	MOVD	$94, R8	// exit_group
	SVC
	B	exitWith
unable:
	NEGW	R0, R0
	MOVW	R0, (R19)
	MOVW	$const_initNoProcess, R1
	MOVW	R1, 4(R19)
	B	report

command:
	CMP	$1, R22
	BNE	inGroup
	MOVD	ZR, R0
	MOVD	ZR, R1
	MOVD	$154, R8	// setpgid
	SVC
inGroup:
	MOVD	$const_initReport, R0
	MOVD	$57, R8	// close
	SVC
	MOVD	16(R19), R0
	ADD	$16, R19, R1
	ADD	R20<<3, R1, R2	// behind argc texts and the 0
	MOVD	$221, R8	// execve
	SVC
	NEGW	R0, R0
	MOVW	R0, (R19)
	MOVW	$const_initNoProgram, R1
	MOVW	R1, 4(R19)
	MOVD	$127, R0
	B	exitWith
	DWORD	$const_initEnd

// func initAddress() *byte
TEXT ·initAddress(SB), NOSPLIT, $0-8
	MOVD	$·initProgram(SB), R0
	MOVD	R0, ret+0(FP)
	RET
