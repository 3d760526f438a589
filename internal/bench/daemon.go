package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// maxDaemonMemory is in megabytes.
const maxDaemonMemory = 50

// daemonMemory takes the resident memory of a daemon that has said that it is ready, with all its doors.
func daemonMemory(bin, dir string) row {
	r := within("idle memory, daemon", "MB", maxDaemonMemory)
	var all []float64
	for n := range memories {
		size, err := measureDaemon(bin, filepath.Join(dir, fmt.Sprint("daemon", n)))
		if err != nil {
			return r.unmeasured(err)
		}
		all = append(all, size)
	}
	return r.measured(median(all), 0, fmt.Sprintf("%d processes", memories))
}

func measureDaemon(bin, state string) (size float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "serve", "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "A2A_STATE_DIR="+state)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()) }()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return 0, fmt.Errorf("the first line of the daemon: %w", err)
	}
	if !json.Valid(line) {
		return 0, fmt.Errorf("the first line of the daemon is %q", line)
	}
	return resident(cmd.Process.Pid)
}
