package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// stubborn is the command stubborn FILE: it leaves its parent's session, forks once more and ignores what
// asks it to end. While it lives it shares a lock of FILE, so that others can wait for its end without
// knowing its number.
func stubborn() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		exitPlay(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
		exitPlay(err)
	}
	if len(os.Args) == 2 {
		next := exec.Command(os.Args[0], os.Args[1], "child")
		next.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		ready, err := next.StdoutPipe()
		if err != nil {
			exitPlay(err)
		}
		if err := next.Start(); err != nil {
			exitPlay(err)
		}
		var b [1]byte
		_, _ = ready.Read(b[:])
		os.Exit(0) // the child is nobody's now
	}
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	os.Stdout.WriteString("r")
	os.Stdout.Close()
	sleep()
}

// breed leaves a stubborn process behind.
func breed(file string) error {
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	return exec.Command("stubborn", file).Run()
}

// sleep lasts until SIGKILL.
func sleep() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	for {
		time.Sleep(time.Hour)
	}
}
