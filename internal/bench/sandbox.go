package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	maxFull     = 1.35 // of the bare start's time
	maxStrict   = 1.7
	maxLandlock = 1.05
	maxBubble   = 0.40 // of bubblewrap's time
	minAtEight  = 0.70 // of the bare start's throughput, eight at a time
	minBubble   = 3.5  // of bubblewrap's throughput, eight at a time

	ballast = 1500 << 20 // bytes of a large heap

	sandboxScript = "echo hello\n"
	// bareStart is what everything is compared with: the same script in a file, started by
	// clone(CLONE_VM|CLONE_VFORK) as posix_spawn(3) does, with its output at /dev/null and nothing kept.
	bareStart  = "bare bash"
	bubblewrap = "bubblewrap"
	nobody     = 65534
)

// way is a way to run a script.
type way struct {
	name string
	run  func() error // nil where it cannot be run here, and
	why  error        // why

	goal   float64 // the largest part of the bare start's time; 0 is none
	bubble float64 // the largest part of bubblewrap's time; 0 is none
	eight  float64 // the smallest part of the bare start's throughput, eight at a time; 0 is none
}

// sandboxRows takes the rows of the sandbox in processes of their own, which have no memory of other rows:
// one as the user that we are and, where that is root, another as an ordinary user. The kernel does not do
// the same for both.
func sandboxRows(dir string) []row {
	rows, err := sandboxRowsAs(dir, nil)
	if err != nil {
		rows = []row{comparedRow("start, full", "ms", bareStart, maxFull).unmeasured(err)}
	}
	if os.Geteuid() != 0 {
		return rows
	}
	theirs, err := sandboxRowsAs(dir, &syscall.Credential{Uid: nobody, Gid: nobody})
	if err != nil {
		theirs = []row{comparedRow("start, full", "ms", bareStart, maxFull).unmeasured(err)}
	}
	for i := range rows {
		rows[i].Name = "root: " + rows[i].Name
	}
	for i := range theirs {
		theirs[i].Name = "user: " + theirs[i].Name
	}
	return append(rows, theirs...)
}

// sandboxRowsAs takes them as a user; nil is the one that we are.
func sandboxRowsAs(dir string, user *syscall.Credential) ([]row, error) {
	own, err := os.MkdirTemp(dir, "sandbox-")
	if err != nil {
		return nil, err
	}
	if user != nil {
		if err := errors.Join(os.Chmod(dir, 0o711), os.Chown(own, int(user.Uid), int(user.Gid))); err != nil {
			return nil, err
		}
	}
	// By this path another user finds it too, wherever `go run` has put it.
	cmd := exec.Command("/proc/self/exe", "-role", "sandbox", own)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+own, "TMPDIR="+own)
	cmd.Dir = own
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("bench -role sandbox: %w", err)
	}
	var lines []struct {
		row
		Floor   float64 `json:"floor"`
		Samples string  `json:"samples"`
	}
	if err := json.Unmarshal(data, &lines); err != nil {
		return nil, fmt.Errorf("bench -role sandbox: %w", err)
	}
	var rows []row
	for _, line := range lines {
		line.row.floor, line.row.samples = line.Floor, line.Samples
		rows = append(rows, line.row)
	}
	return rows, nil
}

// measureSandbox is the role: it takes the rows, in a directory of its own, and writes them with what the
// table needs.
func measureSandbox(dir string, out io.Writer) (err error) {
	ways, closeAll, err := waysToRun(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	rows := []row{load("before")}
	rows = append(rows, latencies(ways, "", latencyRounds)...)
	for _, at := range []int{1, 2, 8, 64} {
		rows = append(rows, throughputs(ways, at)...)
	}
	rows = append(rows, callMemory(dir))
	heap := pointers(ballast)
	rows = append(rows, latencies(ways, ", 1.5 GB heap", latencyRounds/3)...)
	if heap[len(heap)-1][0] != 1 {
		return errors.New("the large heap is gone") // it is read here, so that it is kept until here
	}
	rows = append(rows, load("after"))

	type line struct {
		row
		Floor   float64 `json:"floor"`
		Samples string  `json:"samples"`
	}
	var lines []line
	for _, r := range rows {
		lines = append(lines, line{r, r.floor, r.samples})
	}
	return json.NewEncoder(out).Encode(lines)
}

// waysToRun makes ready every way to run the script. The caller closes them.
func waysToRun(dir string) (ways []way, closeAll func() error, err error) {
	script, work := filepath.Join(dir, "script"), filepath.Join(dir, "work")
	if err := errors.Join(os.WriteFile(script, []byte(sandboxScript), 0o644), os.Mkdir(work, 0o755)); err != nil {
		return nil, nil, err
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, nil, err
	}
	argv := []string{bash, "--noprofile", "--norc", script}
	// The one that calls get: what bash does first depends on it. With LANG in place of LC_CTYPE it reads
	// a dozen files more, without a SHELL four.
	environment := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + work, "TMPDIR=" + work, "LC_CTYPE=C.UTF-8",
		"SHELL=/bin/sh"}
	var hosts []*sandbox.Host
	closeAll = func() error {
		var errs []error
		for _, h := range hosts {
			errs = append(errs, h.Close())
		}
		return errors.Join(errs...)
	}
	ours := func(w way, level sandbox.Level, isolated bool) way {
		host, err := sandbox.Open(sandbox.Options{TempDir: dir, Level: level, AllowWeak: true})
		if err != nil {
			w.why = err
			return w
		}
		hosts = append(hosts, host)
		if host.Level() != level {
			w.why = fmt.Errorf("this machine does not reach it: %s", host.Why())
			return w
		}
		w.run, w.why = sandboxed(host, bash, work, isolated)
		return w
	}
	// Where bubblewrap covers /tmp, the script is put back.
	wrapped := []string{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
		"--tmpfs", "/tmp", "--ro-bind", script, script, "--"}
	ways = []way{
		{name: bareStart, run: bare(argv, environment)},
		ours(way{name: "full", goal: maxFull, bubble: maxBubble, eight: minAtEight}, sandbox.LevelFull, false),
		ours(way{name: "strict", goal: maxStrict}, sandbox.LevelFull, true),
		ours(way{name: "landlock", goal: maxLandlock}, sandbox.LevelLandlock, false),
		ours(way{name: "rlimits"}, sandbox.LevelRlimits, false),
		{name: "os/exec with capture", run: captured(argv, environment)},
		peer(bubblewrap, append(wrapped, argv...), environment),
		peer("firejail", append([]string{"firejail", "--quiet", "--noprofile"}, argv...), environment),
		peer("nsjail", append([]string{"nsjail", "-Mo", "-Q", "-e", "--chroot", "/", "--"}, argv...), environment),
	}
	return ways, closeAll, nil
}

// sandboxed runs the script as every tool is: with the default limits, in a directory of its own, its text
// in a sealed file, its output kept.
func sandboxed(host *sandbox.Host, bash, work string, isolated bool) (func() error, error) {
	plan, err := host.Plan(sandbox.Profile{Dir: work, TempIsolation: true, Limits: tool.DefaultLimits(),
		Isolated: isolated})
	if err != nil {
		return nil, err
	}
	return func() error {
		outcome, err := host.Run(context.Background(), plan, sandbox.Process{
			Argv:   []string{bash, "--noprofile", "--norc", "/dev/fd/4"},
			Inputs: []sandbox.Input{{Name: "values"}, {Name: "script", Data: []byte(sandboxScript)}},
		})
		if err == nil && string(outcome.Stdout) != "hello\n" {
			err = fmt.Errorf("the call came to %+v", outcome)
		}
		return err
	}, nil
}

// bare starts a command with its output at /dev/null.
func bare(argv, environment []string) func() error {
	return func() error {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = environment
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", argv[0], err)
		}
		return nil
	}
}

// captured starts a command as Go programs do that want to know what it says, and to be able to end it.
func captured(argv, environment []string) func() error {
	return func() error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Stdout, cmd.Stderr, cmd.Env = &stdout, &stderr, environment
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w: %s", argv[0], err, stderr.Bytes())
		}
		return nil
	}
}

// peer is another sandbox, if it is here and works. Its output goes to /dev/null, which is the quickest for
// it.
func peer(name string, argv, environment []string) way {
	w := way{name: name}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		w.why = fmt.Errorf("%s is not installed (on Debian or Ubuntu: apt install %s)", argv[0], name)
		return w
	}
	out, err := exec.Command(path, argv[1:]...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "hello") {
		said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		w.why = fmt.Errorf("%s does not work here: %w: %s", argv[0], err, said)
		return w
	}
	// Within another sandbox, or a container, firejail starts the program as it is.
	if said, _ := exec.Command(path, "--noprofile", "true").CombinedOutput(); name == "firejail" &&
		strings.Contains(string(said), "existing sandbox") {
		w.why = errors.New("firejail found itself in a sandbox already, and makes no other one")
		return w
	}
	w.run = bare(append([]string{path}, argv[1:]...), environment)
	return w
}

// load tells how much else the machine had to do: the mean over a minute of what was runnable, our own
// included.
func load(when string) row {
	r := row{Name: "load average " + when, Unit: "tasks"}
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return r.unmeasured(err)
	}
	first, _, _ := strings.Cut(string(data), " ")
	value, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return r.unmeasured(err)
	}
	return r.measured(value, 0, "1 min")
}

// pointers makes a heap of that many bytes, all of which the kernel has given pages for.
func pointers(size int) []*[4096]byte {
	list := make([]*[4096]byte, size/4096)
	for i := range list {
		list[i] = new([4096]byte)
		list[i][0] = 1
	}
	return list
}
