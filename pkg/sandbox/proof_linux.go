//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Prove tries every property that this machine is said to enforce, for a call that starts in dir: a real
// call attempts what it must not be able to do. The attempts need nothing but bash. What cannot be tried is
// not enforced, and the proof says why.
func (h *Host) Prove(ctx context.Context, dir string) []Proof {
	_, lacking := h.Properties(dir)
	attempts := map[Property]func(context.Context, string) (string, error){
		PropertyFiles: h.proveFiles, PropertyNetwork: h.proveNetwork, PropertyProcesses: h.proveProcesses,
		PropertyMemory: h.proveMemory, PropertyTree: h.proveTree,
	}
	var list []Proof
	for _, property := range Properties() {
		proof := Proof{Property: property}
		switch why, lacks := lacking[property]; {
		case h.capability.level == LevelNone:
			proof.How = h.capability.why
		case lacks:
			proof.How = why
		default:
			how, err := attempts[property](ctx, dir)
			proof.Enforced, proof.How = err == nil, how
			if err != nil {
				proof.How = "it was tried: " + err.Error()
			}
		}
		list = append(list, proof)
	}
	return list
}

// attempt runs a script as a call.
func (h *Host) attempt(ctx context.Context, dir, script string, profile Profile, process Process) (Outcome, error) {
	shell, err := findShell()
	if err != nil {
		return Outcome{}, err
	}
	if !strings.HasSuffix(shell, "bash") {
		return Outcome{}, errors.New("there is no bash to try it with")
	}
	profile.Dir, profile.Limits.Timeout = dir, patienceOfProbe
	if profile.Environment == nil {
		profile.Environment = map[string]string{}
	}
	profile.Environment["LC_ALL"] = "C"
	plan, err := h.Plan(profile)
	if err != nil {
		return Outcome{}, err
	}
	process.Argv = []string{shell, "-c", script}
	outcome, err := h.Run(ctx, plan, process)
	if err == nil && outcome.TimedOut {
		err = fmt.Errorf("it took more than %s, so nothing is known", patienceOfProbe)
	}
	return outcome, err
}

// says returns the last line that a script printed, which tells that it got to its end.
func says(outcome Outcome) string {
	lines := strings.Split(strings.TrimSpace(string(outcome.Stdout)), "\n")
	return lines[len(lines)-1]
}

// proveFiles has a call read and write a file that anybody may, and make one where it starts.
func (h *Host) proveFiles(ctx context.Context, dir string) (string, error) {
	outside, err := os.MkdirTemp(h.temp, "a2a-acp-proof-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(outside)
	canary := filepath.Join(outside, "canary")
	if err := errors.Join(os.Chmod(outside, 0o777), os.WriteFile(canary, []byte("secret\n"), 0o666),
		os.Chmod(canary, 0o666)); err != nil {
		return "", err
	}
	made := filepath.Join(dir, "."+filepath.Base(outside))
	defer os.Remove(made)
	outcome, err := h.attempt(ctx, dir, `
		read -r line <"$CANARY" && echo it read a file outside
		: >>"$CANARY" && echo changed >"$CANARY"
		: >"$CANARY.new"
		: >"$MADE"
		echo done`, Profile{Environment: map[string]string{"CANARY": canary, "MADE": made}}, Process{})
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(canary)
	switch {
	case err != nil:
		return "", fmt.Errorf("the call removed a file outside: %w", err)
	case string(text) != "secret\n":
		return "", errors.New("the call changed a file outside")
	case exists(canary + ".new"), exists(made):
		return "", errors.New("the call made a file outside")
	case string(outcome.Stdout) != "done\n":
		return "", fmt.Errorf("the call said %q, ended with %d", outcome.Stdout, outcome.ExitCode)
	}
	return "a call could neither read nor change nor make a file that anybody may, nor one in " + dir, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// proveNetwork has a call send to listeners of ours. Afterwards we do so ourselves: what arrives first tells.
func (h *Host) proveNetwork(ctx context.Context, dir string) (string, error) {
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = udp.Close() }()
	outcome, err := h.attempt(ctx, dir, `
		(exec 3<>"/dev/tcp/127.0.0.1/$TCP") && echo it connected
		echo theirs >"/dev/udp/127.0.0.1/$UDP" && echo it sent
		echo done`, Profile{Environment: map[string]string{"TCP": port(tcp.Addr()), "UDP": port(udp.LocalAddr())}}, Process{})
	if err != nil {
		return "", err
	}
	ours, err := net.Dial("tcp4", tcp.Addr().String())
	if err != nil {
		return "", err
	}
	defer ours.Close()
	first, err := tcp.Accept()
	if err != nil {
		return "", err
	}
	defer first.Close()
	if first.RemoteAddr().String() != ours.LocalAddr().String() {
		return "", errors.New("the call connected to a listener on the loopback")
	}
	sender, err := net.Dial("udp4", udp.LocalAddr().String())
	if err != nil {
		return "", err
	}
	defer sender.Close()
	if _, err := sender.Write([]byte("ours")); err != nil {
		return "", err
	}
	datagram := make([]byte, 16)
	n, _, err := udp.ReadFrom(datagram)
	switch {
	case err != nil:
		return "", err
	case string(datagram[:n]) != "ours":
		return "", errors.New("the call sent a datagram to a listener on the loopback")
	case string(outcome.Stdout) != "done\n":
		return "", fmt.Errorf("the call said %q, ended with %d", outcome.Stdout, outcome.ExitCode)
	}
	return "a call reached neither by TCP nor by UDP a listener of ours, which we reached", nil
}

func port(a net.Addr) string {
	_, port, _ := net.SplitHostPort(a.String())
	return port
}

// proveProcesses has a call start more than it may. A shell that is refused a process waits and tries
// again, which is not waited for.
func (h *Host) proveProcesses(ctx context.Context, dir string) (string, error) {
	const most, tried = 16, 48
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	refused := &watcher{words: "Resource temporarily unavailable", seen: cancel}
	outcome, err := h.attempt(ctx, dir, fmt.Sprintf(`
		for ((n = 0; n < %d; n++)); do (kill -STOP $BASHPID) & done
		echo all`, tried), Profile{Limits: tool.Limits{Processes: most, Output: 1 << 20}}, Process{Stderr: refused})
	switch {
	case err != nil:
		return "", err
	case says(outcome) == "all", !refused.found():
		return "", fmt.Errorf("a call that may have %d processes started %d and was not refused any", most, tried)
	}
	return fmt.Sprintf("a call that may have %d processes was refused another", most), nil
}

// watcher looks for words in what is written to it.
type watcher struct {
	words string
	seen  func()
	text  bytes.Buffer
}

// Write implements io.Writer. Run writes from one goroutine, and has ended it when it returns.
func (w *watcher) Write(data []byte) (int, error) {
	w.text.Write(data)
	if w.found() {
		w.seen()
	}
	return len(data), nil
}

func (w *watcher) found() bool { return bytes.Contains(w.text.Bytes(), []byte(w.words)) }

// proveMemory has a call take in several processes more than it may have in all, and in each less.
func (h *Host) proveMemory(ctx context.Context, dir string) (string, error) {
	const most = 64 << 20
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Either one of them is killed, or all of them have it.
	all := &watcher{words: "full\nfull\nfull\nfull\n", seen: cancel}
	outcome, err := h.attempt(ctx, dir, `
		for n in 1 2 3 4; do (printf -v s %030000000d 0; echo full; kill -STOP $BASHPID) & done
		wait -n`, Profile{Limits: tool.Limits{Memory: most, Output: 1 << 20}}, Process{Stdout: all})
	switch {
	case err != nil:
		return "", err
	case !slices.Contains(outcome.LimitsHit, limitMemory):
		return "", fmt.Errorf("a call that may have %d MB took more in several processes", most>>20)
	}
	return fmt.Sprintf("a call that took more than %d MB in several processes was ended", most>>20), nil
}

// treeGone bounds how long what a call left behind is waited for.
const treeGone = 10 * time.Second

// proveTree has a call leave a process behind that has left its parent, is stopped and heeds no signal. It
// holds a pipe, whose other end tells when the last holder has gone.
func (h *Host) proveTree(ctx context.Context, dir string) (string, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return "", err
	}
	to := os.NewFile(uintptr(ends[1]), "pipe")
	if err := unix.SetNonblock(ends[0], true); err != nil {
		return "", err
	}
	from := os.NewFile(uintptr(ends[0]), "pipe")
	defer from.Close()
	outcome, err := h.attempt(ctx, dir, `
		exec 8>&1 9< <( (trap '' HUP TERM INT; echo here; kill -STOP $BASHPID) & )
		read -r line <&9
		echo "$line"
		exit 0`, Profile{}, Process{Stdio: []*os.File{h.null, to, to}})
	to.Close()
	if err != nil {
		return "", err
	}
	// Another call that starts at this moment holds the pipe too, until it has closed what it inherited. The
	// stopped process would hold it forever.
	if err := from.SetReadDeadline(time.Now().Add(treeGone)); err != nil {
		return "", err
	}
	text, err := io.ReadAll(from)
	switch {
	case err != nil:
		return "", errors.New("a process that the call left behind still runs")
	case !strings.HasPrefix(string(text), "here"):
		return "", fmt.Errorf("the call could not start a process to leave behind (it ended with %d)",
			outcome.ExitCode)
	}
	return fmt.Sprintf("a process that a call had left behind was gone %s after its start, with the call",
		outcome.Elapsed.Round(time.Millisecond)), nil
}
