//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestLaunchEnvironment checks that a call gets the environment that was made for it and nothing of ours.
func TestLaunchEnvironment(t *testing.T) {
	t.Setenv("SANDBOX_TEST_SECRET", "sk-do-not-leak")
	atLevels(t, func(t *testing.T, host *Host) {
		out := script{text: "/usr/bin/env -0; echo; cat /proc/$$/environ", env: map[string]string{"TOOL": "a b\nc"}}.run(t.Context(), t, host)
		if strings.Contains(string(out.Stdout), "sk-do-not-leak") {
			t.Errorf("our secret is in the call's environment:\n%s", out.Stdout)
		}
		list, _, _ := strings.Cut(string(out.Stdout), "\x00\n")
		variables := map[string]string{}
		for _, entry := range strings.Split(list, "\x00") {
			name, value, _ := strings.Cut(entry, "=")
			variables[name] = value
		}
		own := strings.Contains(variables["HOME"], scratchPrefix) || host.Level().hasNamespaces() && variables["HOME"] == "/tmp"
		if variables["HOME"] != variables["TMPDIR"] || !own {
			t.Errorf("HOME=%q TMPDIR=%q, want the call's own directory for both", variables["HOME"], variables["TMPDIR"])
		}
		for _, name := range []string{"HOME", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD"} { // bash sets the last four itself
			delete(variables, name)
		}
		want := map[string]string{"PATH": searchPath, "LC_CTYPE": "C.UTF-8", "SHELL": "/bin/sh", "TOOL": "a b\nc"}
		if diff := cmp.Diff(want, variables); diff != "" {
			t.Errorf("environment (-want +got):\n%s", diff)
		}
	})
}

// TestLaunchDescriptors checks that nothing is open in a call but its three streams and its inputs, also
// when this program has many descriptors open, some of them below the numbers that are handed on, and some
// not marked close-on-exec.
func TestLaunchDescriptors(t *testing.T) {
	atLevels(t, func(t *testing.T, host *Host) {
		for range 20 {
			var pipe [2]int
			if err := syscall.Pipe(pipe[:]); err != nil { // inheritable
				t.Fatal(err)
			}
			defer syscall.Close(pipe[0])
			defer syscall.Close(pipe[1])
		}
		for _, inputs := range []int{0, 1, 2, 40} {
			process := Process{Argv: []string{"/bin/ls", "-l", "/proc/self/fd"}}
			want := []string{"0 /dev/null", "1 pipe", "2 pipe"}
			for i := range inputs {
				name := fmt.Sprintf("input%d", i)
				process.Inputs = append(process.Inputs, Input{Name: name})
				want = append(want, fmt.Sprintf("%d /memfd:%s", i+3, name))
			}
			// ls itself opens the directory that it lists.
			want = append(want, fmt.Sprintf("%d /proc/", inputs+3))
			outcome, err := host.Run(t.Context(), planFor(t, host, tool.DefaultLimits(), false), process)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(string(outcome.Stdout)) {
				if name, target, ok := strings.Cut(strings.TrimSpace(line), " -> "); ok {
					words := strings.Fields(name)
					target, _, _ = strings.Cut(strings.TrimSuffix(target, " (deleted)"), ":[")
					if strings.HasPrefix(target, "/proc/") {
						target = "/proc/"
					}
					got = append(got, words[len(words)-1]+" "+target)
				}
			}
			slices.SortFunc(got, func(a, b string) int { return number(a) - number(b) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with %d inputs (-want +got):\n%s", inputs, diff)
			}
		}
	})
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.Fields(s)[0])
	return n
}

// TestOpenMarksInheritedDescriptors checks that programs which other parts of this one start do not get
// what it inherited.
func TestOpenMarksInheritedDescriptors(t *testing.T) {
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pipe[0])
	defer syscall.Close(pipe[1])
	openHost(t)
	if out, err := exec.Command("/bin/readlink", fmt.Sprintf("/proc/self/fd/%d", pipe[0])).Output(); err == nil {
		t.Errorf("a program that is started elsewhere has descriptor %d: %s", pipe[0], out)
	}
}

// TestLaunchState checks what else a process has of its parent: signals, privileges, limits, groups.
func TestLaunchState(t *testing.T) {
	// What nohup(1) does. A shell cannot even trap a signal that was ignored when it started.
	signal.Ignore(syscall.SIGHUP, syscall.SIGUSR1)
	t.Cleanup(func() { signal.Reset(syscall.SIGHUP, syscall.SIGUSR1) })
	atLevels(t, func(t *testing.T, host *Host) {
		dir := t.TempDir()
		out := script{dir: dir, text: `
			grep -E '^(Sig(Blk|Ign)|NoNewPrivs|CapBnd)' /proc/self/status
			read -r _ _ _ ppid pgrp session _ < /proc/$$/stat
			echo "leader $(( pgrp == $$ ))"
			echo "dir $(/bin/pwd -P)"
			echo "core $(ulimit -Hc)"
			trap 'echo hangup' HUP; kill -HUP $$`}.run(t.Context(), t, host)
		state := map[string]string{}
		for line := range strings.Lines(string(out.Stdout)) {
			name, value, _ := strings.Cut(strings.TrimSpace(strings.Replace(line, ":", " ", 1)), " ")
			state[name] = strings.TrimSpace(value)
		}
		if bounding, _ := strconv.ParseUint(state["CapBnd"], 16, 64); os.Geteuid() == 0 && bounding&(1<<24) != 0 {
			t.Errorf("root still has CAP_SYS_RESOURCE and can raise its limits: %x", bounding)
		}
		delete(state, "CapBnd")
		want := map[string]string{
			"SigBlk": "0000000000000000", "SigIgn": "0000000000000000", "NoNewPrivs": "1",
			"leader": "1", "dir": dir, "core": "0", "hangup": "",
		}
		if host.Level() == LevelNoProc {
			// $$ is 2 there, and /proc/2 is somebody else.
			delete(want, "leader")
			delete(state, "leader")
		}
		if diff := cmp.Diff(want, state); diff != "" {
			t.Errorf("state (-want +got):\n%s\n%s", diff, out.Stderr)
		}
	})
}

// TestLaunchRefused checks that what cannot be started says so in words, runs nothing and leaves nothing.
func TestLaunchRefused(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		text := filepath.Join(dir, "text")
		if err := os.WriteFile(text, []byte("no program"), 0o700); err != nil {
			t.Fatal(err)
		}
		host := openHost(t)
		for _, test := range []struct {
			name  string
			start script
			step  string
			path  string
			err   error
		}{
			{"missing program", script{argv: []string{"/no/such/program"}}, "execve", "/no/such/program", syscall.ENOENT},
			{"file that may not be executed", script{argv: []string{file}}, "execve", file, syscall.EACCES},
			{"file that is no program", script{argv: []string{text}}, "execve", text, syscall.ENOEXEC},
			{"directory", script{argv: []string{dir}}, "execve", dir, syscall.EACCES},
			{"argument too long", script{argv: []string{bash, strings.Repeat("x", 200<<10)}}, "execve", bash, syscall.E2BIG},
			{"missing directory", script{dir: "/no/such/directory"}, "chdir", "/no/such/directory", syscall.ENOENT},
			{"file as directory", script{dir: file}, "chdir", file, syscall.ENOTDIR},
			{"missing directory, isolated", script{dir: "/no/such/directory", isolate: true}, "open", "/no/such/directory", syscall.ENOENT},
			{"file as directory, isolated", script{dir: file, isolate: true}, "open", file, syscall.ENOTDIR},
		} {
			t.Run(test.name, func(t *testing.T) {
				outcome, err := test.start.try(t.Context(), t, host)
				var start *StartError
				if !errors.As(err, &start) || start.Step != test.step || start.Path != test.path || !errors.Is(err, test.err) {
					t.Fatalf("got %v (%+v), want %s %s: %v", err, start, test.step, test.path, test.err)
				}
				if start.Cure == "" {
					t.Error("the error names no cure")
				}
				var failure *tool.Failure
				if !errors.As(err, &failure) || failure.Code != tool.FailSandbox {
					t.Errorf("got failure %v, want sandbox_unavailable", failure)
				}
				if outcome.ExitCode != -1 {
					t.Errorf("exit code %d of a process that did not run, want -1", outcome.ExitCode)
				}
			})
		}
	})
}

func TestProcessRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		argv []string
		want string
	}{
		{"no command", nil, "there is no command"},
		{"relative program", []string{"bash"}, "want an absolute path"},
		{"NUL in an argument", []string{bash, "-c", "a\x00b"}, "argument 2 holds a NUL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := Process{Argv: test.argv}
			if err := p.check(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
