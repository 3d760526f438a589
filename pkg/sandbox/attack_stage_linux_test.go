//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// stage is what one attempt finds: a directory of its own, and things outside that it must not get at.
type stage struct {
	row    *attack
	base   string
	work   string
	secret string // in every file and process outside that holds one
	marker string

	outside []string // directories that nothing is granted of, in places of different kinds
	before  map[string]string
	vars    map[string]string

	listeners  []int
	victim     *exec.Cmd
	toVictim   io.Writer
	fromVictim io.Reader
	tty        *os.File
}

// newStage makes a stage that is cleared away with the test: furnished, or only good to be planned for.
func newStage(t *testing.T, a *attack, furnished bool) *stage {
	t.Helper()
	uid, _ := callerUser()
	name := randomName()
	s := &stage{row: a, secret: randomName(), marker: randomName(), base: filepath.Join(stagePlace, name)}
	s.work = filepath.Join(s.base, "work")
	s.vars = map[string]string{
		"PROBE": probePath, "LC_ALL": "C", "MARKER": s.marker, "DAEMON": pidText(os.Getpid()), "WORK": s.work,
		"OUTSIDE": filepath.Join(s.base, "outside"), "TMP_OUTSIDE": filepath.Join("/tmp", name),
		"RUN_OUTSIDE": filepath.Join("/run", name), "HOME_OUTSIDE": filepath.Join(os.Getenv("HOME"), name), "OWN": ownPlace,
		"GORACE": os.Getenv("GORACE"), "PROBE_RUN": "env " + roleVariable + "=attack " + probePath,
	}
	s.outside = []string{s.vars["OUTSIDE"], s.vars["TMP_OUTSIDE"], s.vars["RUN_OUTSIDE"], s.vars["HOME_OUTSIDE"]}
	dirs := []string{s.base, s.work, filepath.Join(s.base, "tmp")}
	if furnished {
		dirs = append(dirs, s.outside...)
	}
	for _, dir := range dirs {
		mustDo(t, os.Mkdir(dir, 0o755))
		mustDo(t, os.Chown(dir, uid, -1))
		t.Cleanup(func() { os.RemoveAll(dir) })
	}
	if furnished {
		s.furnish(t)
	}
	return s
}

// furnish puts everything there that the row is about.
func (s *stage) furnish(t *testing.T) {
	t.Helper()
	a := s.row
	uid, _ := callerUser()
	for _, dir := range s.outside {
		for _, file := range []struct {
			name, text string
			mode       os.FileMode
		}{{"secret", s.secret + "\n", 0o600}, {"target", "intact\n", 0o644}, {"program", "#!/bin/bash\necho " + s.secret + "\n", 0o755}} {
			path := filepath.Join(dir, file.name)
			mustDo(t, os.WriteFile(path, []byte(file.text), file.mode))
			mustDo(t, os.Chown(path, uid, -1))
		}
		path := filepath.Join(dir, "dir")
		mustDo(t, os.Mkdir(path, 0o755))
		mustDo(t, os.Chown(path, uid, -1))
	}
	t.Cleanup(func() { s.clear(t) })
	if strings.Contains(a.Setup+a.Attempt+a.Check+a.Control, "$VICTIM") {
		s.startVictim(t)
	}
	if strings.Contains(a.Attempt, "$OTHER_TTY") {
		slave, _ := s.openTerminal(t)
		s.vars["OTHER_TTY"] = slave.Name()
	}
	if strings.Contains(a.Attempt, "$LEAKED") {
		fd, err := unix.Open(filepath.Join(s.vars["OUTSIDE"], "secret"), unix.O_RDONLY, 0)
		mustDo(t, err)
		t.Cleanup(func() { unix.Close(fd) })
		s.vars["LEAKED"] = strconv.Itoa(fd)
	}
	if a.Proof == proofContact {
		s.listen(t)
	}
	if a.Setup != "" {
		s.outsideRun(t, a.Setup, true)
	}
	s.before = s.snapshot(t)
}

// environment is what the row's texts find, inside and outside.
func (s *stage) environment() map[string]string { return s.vars }

func (s *stage) expand(text string) string {
	return os.Expand(text, func(name string) string { return s.vars[name] })
}

func (s *stage) script(text string) string { return prelude + text }

// startVictim starts a process of the caller's that knows the secret.
func (s *stage) startVictim(t *testing.T) {
	cmd := exec.Command("/bin/cat") // says what it is told, as long as it lives
	cmd.Env = []string{"VICTIM_SECRET=" + s.secret}
	cmd.Dir = s.vars["OUTSIDE"]
	file, err := os.Open(filepath.Join(s.vars["OUTSIDE"], "secret"))
	mustDo(t, err)
	defer file.Close()
	cmd.ExtraFiles = []*os.File{file}
	if uid, owned := callerUser(); owned {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	s.toVictim, err = cmd.StdinPipe()
	mustDo(t, err)
	s.fromVictim, err = cmd.StdoutPipe()
	mustDo(t, err)
	mustDo(t, cmd.Start())
	s.victim = cmd
	s.vars["VICTIM"] = pidText(cmd.Process.Pid)
	if !s.victimAnswers() { // also, it has become that program by now
		t.Fatal("the victim does not answer")
	}
	// Where its environment is (proc_pid_stat(5), env_start), for those who look into its memory.
	stat, err := os.ReadFile("/proc/" + s.vars["VICTIM"] + "/stat")
	mustDo(t, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	s.vars["VICTIM_AT"] = fields[50-3]
}

// victimAnswers reports whether the victim lives, which one that has been sent SIGKILL and has not yet
// ended does not.
func (s *stage) victimAnswers() bool {
	if _, err := s.toVictim.Write([]byte("x")); err != nil {
		return false
	}
	n, err := s.fromVictim.Read(make([]byte, 1))
	return n == 1 && err == nil
}

// listen opens sockets of all kinds for the attempt to reach: their addresses are in the environment.
// Nobody serves them. The kernel keeps a connection, or a datagram, until the proof asks for it.
func (s *stage) listen(t *testing.T) {
	uid, _ := callerUser()
	open := func(family, kind int, address unix.Sockaddr) unix.Sockaddr {
		fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		mustDo(t, err)
		s.listeners = append(s.listeners, fd)
		mustDo(t, unix.Bind(fd, address))
		if kind != unix.SOCK_DGRAM {
			mustDo(t, unix.Listen(fd, 8))
		}
		bound, err := unix.Getsockname(fd)
		mustDo(t, err)
		return bound
	}
	loopback := [4]byte{127, 0, 0, 1}
	s.vars["TCP"] = strconv.Itoa(open(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Addr: loopback}).(*unix.SockaddrInet4).Port)
	s.vars["UDP"] = strconv.Itoa(open(unix.AF_INET, unix.SOCK_DGRAM, &unix.SockaddrInet4{Addr: loopback}).(*unix.SockaddrInet4).Port)
	for _, kind := range []struct {
		name string
		kind int
	}{{"stream", unix.SOCK_STREAM}, {"dgram", unix.SOCK_DGRAM}, {"seqpacket", unix.SOCK_SEQPACKET}} {
		for _, dir := range s.outside {
			path := filepath.Join(dir, kind.name)
			open(unix.AF_UNIX, kind.kind, &unix.SockaddrUnix{Name: path})
			mustDo(t, os.Chown(path, uid, -1))
		}
		open(unix.AF_UNIX, kind.kind, &unix.SockaddrUnix{Name: "@" + s.marker + kind.name})
	}
	s.vars["ABSTRACT"] = "@" + s.marker
}

// contacted reports whether any of the sockets has been reached.
func (s *stage) contacted(t *testing.T) bool {
	for _, fd := range s.listeners {
		if kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE); err == nil && kind == unix.SOCK_DGRAM {
			if _, _, err := unix.Recvfrom(fd, make([]byte, 100), unix.MSG_DONTWAIT); err == nil {
				return true
			}
			continue
		}
		if peer, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC); err == nil {
			unix.Close(peer)
			return true
		}
	}
	return false
}

// succeeded reports whether the attempt did what it was after.
func (s *stage) succeeded(t *testing.T, out string) bool {
	t.Helper()
	switch s.row.Proof {
	case proofLeak:
		return strings.Contains(out, s.secret) || strings.Contains(out, os.Getenv(machineSecret))
	case proofChange:
		return s.changes(t) != ""
	case proofContact:
		return s.contacted(t)
	case proofKill:
		return !s.victimAnswers()
	case proofSurvivor:
		return len(survivors(t, "MARKER", s.marker)) > 0
	case proofCheck:
		return s.outsideRun(t, s.row.Check, false)
	case proofSays:
		return strings.Contains("\n"+strings.ReplaceAll(out, "\r", ""), "\ndone\n")
	}
	t.Fatalf("unknown proof %q", s.row.Proof)
	return false
}

// outsideRun runs a text as this program, unconfined, for setups and checks.
func (s *stage) outsideRun(t *testing.T, text string, must bool) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-c", s.script(text))
	cmd.Dir = s.work
	cmd.Env = append(os.Environ(), "PATH="+searchPath)
	for name, value := range s.vars {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, "SECRET="+s.secret)
	if uid, owned := callerUser(); owned {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil && must {
		t.Fatalf("setup: %v\n%s", err, out)
	}
	if err != nil {
		t.Logf("check: %v\n%s", err, out)
	}
	return err == nil
}

// snapshot notes all that can be changed of what is outside, also of what cannot be set back (inode(7),
// ctime).
func (s *stage) snapshot(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range s.outside {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			var stat unix.Stat_t
			if err := unix.Lstat(path, &stat); err != nil {
				return err
			}
			text := fmt.Sprintf("%o %d:%d %d links, %d bytes, %v %v", stat.Mode, stat.Uid, stat.Gid, stat.Nlink, stat.Size, stat.Mtim, stat.Ctim)
			if entry.Type().IsRegular() {
				data, err := os.ReadFile(path)
				if err == nil {
					text += fmt.Sprintf(" %x", sha256.Sum256(data))
				}
			}
			all[path] = text
			return nil
		})
		mustDo(t, err)
	}
	return all
}

// changes tells what is different outside, one thing of it.
func (s *stage) changes(t *testing.T) string {
	t.Helper()
	after := s.snapshot(t)
	for path, was := range s.before {
		if after[path] != was {
			return path + ": " + was + " → " + after[path]
		}
	}
	for path := range after {
		if _, ok := s.before[path]; !ok {
			return path + ": new"
		}
	}
	return ""
}

// openTerminal makes a terminal for an attempt. What is typed into it is the proof's to find.
func (s *stage) openTerminal(t *testing.T) (slave *os.File, output io.Reader) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	mustDo(t, err)
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	mustDo(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	mustDo(t, err)
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	mustDo(t, err)
	t.Cleanup(func() { slave.Close() })
	uid, _ := callerUser()
	mustDo(t, slave.Chown(uid, -1))
	s.tty = slave
	return slave, master
}

// terminalOutput returns what an attempt has written to its terminal.
func (s *stage) terminalOutput(t *testing.T, from io.Reader) string {
	t.Helper()
	var all []byte
	buffer := make([]byte, 64<<10)
	fd := int(from.(*os.File).Fd())
	for {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, _ := unix.Poll(poll, 0); n <= 0 || poll[0].Revents&unix.POLLIN == 0 {
			return string(all)
		}
		n, err := unix.Read(fd, buffer)
		if n <= 0 || err != nil {
			return string(all)
		}
		all = append(all, buffer[:n]...)
	}
}

// clear ends what a control has left running.
func (s *stage) clear(t *testing.T) {
	for _, fd := range s.listeners {
		unix.Close(fd)
	}
	if s.victim != nil {
		_ = s.victim.Process.Kill()
		_ = s.victim.Wait()
	}
	for _, line := range survivors(t, "MARKER", s.marker) {
		pid, _, _ := strings.Cut(line, " ")
		if n, err := strconv.Atoi(pid); err == nil && n > 1 && n != os.Getpid() {
			_ = unix.Kill(n, unix.SIGKILL) // of ours: nobody else has the marker
		}
	}
}

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
