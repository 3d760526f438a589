//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const bash = "/bin/bash"

// roleVariable makes the test binary another program: one that a test runs, inside a sandbox or beside it.
const roleVariable = "SANDBOX_TEST_ROLE"

// The roles in which the main goroutine has to have the main thread need it before anything else runs.
func init() {
	if role := os.Getenv(roleVariable); role == "main-thread" || role == "strays" {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	// The race detector would have every process of a test wait for a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is what the test binary does in a role.
func play(role string) error {
	switch role {
	case "block":
		block()
	case "clone-parent": // starts a sibling instead of a child
		cmd := exec.Command("/bin/sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_PARENT}
		return cmd.Start()
	case "leave-group": // joins the process group of its parent
		signal.Ignore(syscall.SIGTERM)
		group, err := unix.Getpgid(os.Getppid())
		if err != nil {
			return err
		}
		if err := unix.Setpgid(0, group); err != nil {
			return err
		}
		fmt.Println("ready")
		block()
	case "careless":
		return playCareless()
	case "remove":
		return removeTree(unix.AT_FDCWD, os.Args[1])
	case "connect": // hands its standard output to somebody else
		return playConnect()
	case "nested": // a sandbox within a sandbox
		return playNested()
	case "main-thread":
		return playMainThread()
	case "strays": // has children that it waits for, and others that nobody does
		return playStrays()
	case "terminal": // runs a call on its terminal
		return playTerminal()
	case "neighbour": // has a call of its own beside the test's
		return playNeighbour()
	case "victim": // is killed while a call runs
		return playVictim()
	case "unlooked": // is killed while nobody has looked at what a call of it made
		return playUnlooked()
	case "attack": // makes a system call that bash cannot
		return playAttack(os.Args[1:])
	case "attack-killed": // runs a call, and is killed
		return playKilled()
	case "attack-machine": // stands for a whole machine, in namespaces of its own
		return playMachine()
	}
	return fmt.Errorf("no such role: %s", role)
}

// block does nothing until the process is killed. A single pause(2) ends with any signal, and Go sends
// itself some.
func block() {
	for {
		_ = unix.Pause()
	}
}

// self is the test binary: a new process is that program until it has become another one. The path works
// for a user who cannot get to the directory that the binary is in.
const self = "/proc/self/exe"

// stress returns how often a test does something that it could do for ever: n times, or as many times more
// as A2A_STRESS says, and an eighth of it with -short.
func stress(n int) int {
	if factor, err := strconv.Atoi(os.Getenv("A2A_STRESS")); err == nil && factor > 0 {
		return n * factor
	}
	if testing.Short() {
		return max(n/8, 1)
	}
	return n
}

// asEveryUser runs a test as the user we are and, if that is root, in a process of its own as an ordinary
// user too: the kernel lets root do much that it would refuse anybody else. With -short it is one of the
// two.
func asEveryUser(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Geteuid() != 0 {
		f(t)
		return
	}
	first := len(t.Name())%2 == 0
	if !testing.Short() || first {
		t.Run("root", f)
	}
	if testing.Short() && first {
		return
	}
	t.Run("user", func(t *testing.T) {
		again(t, &syscall.Credential{Uid: 65534, Gid: 65534})
	})
}

// alone runs a test in a process of its own, as every user, so that it can count what the whole process has.
func alone(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	const variable = "SANDBOX_TEST_ALONE"
	if os.Getenv(variable) != "" {
		f(t)
		return
	}
	t.Run("same user", func(t *testing.T) { again(t, nil, variable+"=1") })
	if os.Geteuid() == 0 && !testing.Short() {
		t.Run("user", func(t *testing.T) { again(t, &syscall.Credential{Uid: 65534, Gid: 65534}, variable+"=1") })
	}
}

// again runs the calling test in a new process.
func again(t *testing.T, as *syscall.Credential, environment ...string) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+name+"$", "-test.count=1", "-test.short="+strconv.FormatBool(testing.Short()), "-test.timeout="+flag.Lookup("test.timeout").Value.String())
	cmd.Env = append(os.Environ(), environment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	cmd.WaitDelay = 10 * time.Second // a process that a failed test has left may hold the output
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("as another process: %v\n%s", err, out)
	}
	if bytes.Contains(out, []byte("--- SKIP")) {
		lacking(t, string(out))
	}
}

// lacking skips a test because the machine cannot do what it is about. Where REQUIRE_SANDBOX is set it must.
func lacking(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("REQUIRE_SANDBOX") != "" {
		t.Fatalf("REQUIRE_SANDBOX is set, but: %s", why)
	}
	t.Skip(why)
}

// openHost opens a Host that is closed with the test and must leave nothing behind. It owns its calls by
// their marks, as it must where there are no namespaces, and they have little time to end.
func openHost(t testing.TB) *Host {
	t.Helper()
	return open(t, 100*time.Millisecond)
}

// openFull opens a Host that confines its calls.
func openFull(t testing.TB) *Host {
	t.Helper()
	return openWith(t, Options{Grace: 100 * time.Millisecond, Level: LevelFull})
}

// atLevels runs a test as every user on every level that this machine can reach, and that a machine of this
// kind should.
func atLevels(t *testing.T, f func(t *testing.T, h *Host)) {
	t.Helper()
	levels := []Level{LevelRlimits, LevelLandlock, LevelNoProc, LevelFull}
	if testing.Short() {
		levels = []Level{LevelRlimits, LevelFull}
	}
	asEveryUser(t, func(t *testing.T) {
		for _, level := range levels {
			t.Run(string(level), func(t *testing.T) {
				f(t, openWith(t, Options{Grace: 100 * time.Millisecond, Level: level, AllowWeak: true}))
			})
		}
	})
}

// openPatientHost opens a Host whose calls have all the time that they need to end when they are told to.
func openPatientHost(t testing.TB) *Host {
	t.Helper()
	return open(t, time.Hour)
}

func open(t testing.TB, grace time.Duration) *Host {
	t.Helper()
	host := openWith(t, Options{Grace: grace, Level: LevelRlimits, AllowWeak: true})
	// Nor are there control groups on such a machine.
	if host.groups != nil {
		host.groups.close()
		host.groups, host.capability.tasks = nil, false
	}
	return host
}

// openWith opens a Host at the very level that the options name.
func openWith(t testing.TB, o Options) *Host {
	t.Helper()
	temp := t.TempDir()
	o.TempDir = temp
	host, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if host.Level() != o.Level {
		if test, ok := t.(*testing.T); ok {
			lacking(test, fmt.Sprintf("want level %s, found %s: %s", o.Level, host.Level(), host.Why()))
		}
		t.Fatal(host.Why())
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if left, _ := os.ReadDir(tempPlace(temp)); len(left) > 0 {
			t.Errorf("Close left %v behind", left)
		}
	})
	return host
}

// script is a call of bash in a test.
type script struct {
	text    string
	limits  tool.Limits // the defaults when zero
	dir     string      // a directory of the test's when ""
	isolate bool
	env     map[string]string
	argv    []string // instead of bash
	stdout  io.Writer
	last    int64 // bytes of each stream that are kept; all when 0
	allowed []tool.AllowedPath
	profile func(*Profile) // changes what the rest makes
}

// run runs a script as the executor does: bash reads it from a sealed file.
func (s script) run(ctx context.Context, t testing.TB, h *Host) Outcome {
	t.Helper()
	outcome, err := s.try(ctx, t, h)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return outcome
}

func (s script) try(ctx context.Context, t testing.TB, h *Host) (Outcome, error) {
	t.Helper()
	if s.limits == (tool.Limits{}) {
		s.limits = tool.DefaultLimits()
		s.limits.Timeout = 5 * time.Minute // however busy the machine is
	}
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	profile := Profile{Dir: s.dir, TempIsolation: s.isolate, Environment: s.env, Limits: s.limits, AllowedPaths: s.allowed}
	if s.profile != nil {
		s.profile(&profile)
	}
	plan, err := h.Plan(profile)
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	if s.argv == nil {
		s.argv = []string{bash, "--noprofile", "--norc", "/dev/fd/4"}
	}
	return h.Run(ctx, plan, Process{
		Argv:   s.argv,
		Inputs: []Input{{Name: "values", Data: []byte("values\n")}, {Name: "script", Data: []byte(s.text)}},
		Stdout: s.stdout, Last: s.last,
	})
}

func planFor(t testing.TB, h *Host, limits tool.Limits, isolate bool) Plan {
	t.Helper()
	p, err := h.Plan(Profile{Dir: h.temp, TempIsolation: isolate, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// role makes a script of a role of the test binary, for levels where a call sees the way to it. The Go
// runtime and the race detector reserve more memory than a tool may.
func role(name string) script {
	limits := tool.DefaultLimits()
	limits.Memory, limits.OpenFiles = 0, 0
	return script{argv: []string{self}, env: map[string]string{roleVariable: name, "GORACE": os.Getenv("GORACE")}, limits: limits}
}

// marker is an environment variable that tells the processes of one test from all others.
func marker() (name, value string) { return "SANDBOX_TEST_MARKER", randomName() }

// survivors lists the processes that have a marker in their environment. It sees no zombies.
func survivors(t testing.TB, name, value string) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		data, err := environ(path)
		if err != nil || !bytes.Contains(append([]byte{0}, data...), []byte("\x00"+name+"="+value+"\x00")) {
			continue // another user's, gone meanwhile, or none of the test's
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, filepath.Base(filepath.Dir(path))+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return found
}

// environ reads the environment of a process. One that is in the middle of execve has none for a moment,
// and is waited for; a thread of the kernel never has one, and no program either.
func environ(path string) ([]byte, error) {
	for {
		data, err := os.ReadFile(path)
		if err != nil || len(data) > 0 {
			return data, err
		}
		dir := filepath.Dir(path)
		if _, err := os.Readlink(filepath.Join(dir, "exe")); err != nil || taskState(filepath.Join(dir, "stat")) == 'Z' {
			return nil, nil //nolint:nilerr // a process without a program has no environment, which is no error
		}
		if line, _ := os.ReadFile(filepath.Join(dir, "cmdline")); len(line) > 0 {
			return os.ReadFile(path) // it has a command line, so it has got through: what there is now is all
		}
		runtime.Gosched()
	}
}

// isAlive reports whether a process runs.
func isAlive(pid int) bool {
	state := taskState("/proc/" + strconv.Itoa(pid) + "/stat")
	return state != 0 && state != 'Z'
}

// ownChildren lists all children of this process, zombies included.
func ownChildren(t testing.TB) []int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, task := range tasks {
		thread, _ := strconv.Atoi(task.Name())
		list, err := openChildList(thread)
		if errors.Is(err, os.ErrNotExist) {
			continue // the thread has ended
		}
		if err != nil {
			t.Fatal(err)
		}
		pids, err := list.read()
		list.close()
		if err != nil && !errors.Is(err, unix.ESRCH) {
			t.Fatal(err)
		}
		all = append(all, pids...)
	}
	return all
}

func names(t *testing.T, dirs ...string) []string {
	t.Helper()
	var all []string
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			all = append(all, entry.Name())
		}
	}
	return all
}

func fields(out []byte) []string { return strings.Fields(string(out)) }
