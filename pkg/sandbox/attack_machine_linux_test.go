//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The attacks run in a machine of their own: namespaces for mounts, processes, System V IPC, the network
// and the host name, made for one run of the table and gone with its first process. So an attack that is
// not stopped, and every control, which is not meant to be, changes nothing that anybody else has; and the
// table may put files, sockets and processes where the ones stand that an attacker would look for.

// What the machine is told in its environment.
const (
	machineCaller = "ATTACK_CALLER" // who runs the calls there: see callers
	machineSecret = "ATTACK_SECRET" // something that no call may learn, in the environment that the program was started with
)

// The places of the machine. Each is an empty file system in memory.
const (
	stagePlace = "/mnt" // visible in the calls' views, but nothing of it is granted
	homePlace  = "/home"
)

// callers are who runs the calls. With the owner, the program is root and the files are an ordinary user's,
// so the calls are that user's too.
var callers = []string{"root", "owner", "user"}

// patienceWithTable is how long one caller's run may take, on a machine that is busy with other things.
const patienceWithTable = 5 * time.Minute

// ordinaryUser is who it is when we are root and could be anybody.
const ordinaryUser = 65534

// inMachine runs the calling test in a machine, as a caller. The names of the subtests to run are those
// below the caller's.
func inMachine(t *testing.T, caller string) {
	t.Helper()
	pattern := "^" + t.Name() + "$"
	if parts := strings.Split(flag.Lookup("test.run").Value.String(), "/"); len(parts) > 0 {
		name, _, _ := strings.Cut(t.Name(), "/")
		pattern = "^" + name + "$"
		if len(parts) > 2 {
			pattern += "/" + strings.Join(parts[2:], "/")
		}
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run="+pattern, "-test.count=1", "-test.timeout="+patienceWithTable.String(), "-test.parallel=6", "-test.short="+strconv.FormatBool(testing.Short()))
	if testing.Verbose() {
		cmd.Args = append(cmd.Args, "-test.v")
	}
	cmd.Env = append(os.Environ(), roleVariable+"=attack-machine", machineCaller+"="+caller, machineSecret+"="+randomName())
	cmd.Env = append(cmd.Env, "HOME="+filepath.Join(homePlace, "somebody"))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWUTS,
		Pdeathsig:  unix.SIGKILL,
	}
	if uid := os.Geteuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		t.Logf("%s", out)
	case errors.As(err, &exit) && !bytes.Contains(out, []byte(noMachine)):
		t.Errorf("%v\n%s", err, out)
	default:
		lacking(t, fmt.Sprintf("a machine of its own cannot be made: %v\n%s", err, out))
	}
}

const noMachine = "make a machine: "

// playMachine is the machine's first process: it furnishes it, runs the table in it, and reaps orphans.
func playMachine() error {
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 && os.Getenv(machineCaller) == "user" {
		uid, gid = ordinaryUser, ordinaryUser
	}
	if owner, owned := callerUser(); owned {
		if err := furnishMachine(owner, owner); err != nil {
			return fmt.Errorf("%s%w", noMachine, err)
		}
	} else if err := furnishMachine(uid, gid); err != nil {
		return fmt.Errorf("%s%w", noMachine, err)
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"=")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	} else if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case pid == cmd.Process.Pid && status.ExitStatus() != 0:
			return fmt.Errorf("the table ended with %d", status.ExitStatus())
		case pid == cmd.Process.Pid:
			return nil // and with us everybody else
		}
	}
}

// furnishMachine makes a freshly cloned process's namespaces a machine with places of its own.
func furnishMachine(uid, gid int) error {
	binary, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount /: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	options := fmt.Sprintf("mode=0755,uid=%d,gid=%d", uid, gid)
	for _, place := range []struct{ path, options string }{
		{stagePlace, options}, {homePlace, options}, {"/run", options}, {"/tmp", "mode=1777"}, {"/dev/shm", "mode=1777"},
		{"/var/spool", options}, // where jobs for later are
		{"/srv", options}, {"/var/tmp", "mode=1777"},
	} {
		if err := unix.Mount("tmpfs", place.path, "tmpfs", 0, place.options); err != nil {
			return fmt.Errorf("mount %s: %w", place.path, err)
		}
	}
	for _, dir := range []string{os.Getenv("HOME"), ownPlace, filepath.Join(ownPlace, "state")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		if err := os.Chown(dir, uid, gid); err != nil {
			return err
		}
	}
	if err := os.WriteFile(probePath, binary, 0o755); err != nil {
		return err
	}
	os.Setenv("TMPDIR", "/tmp")
	return raiseLoopback()
}

// raiseLoopback lets the machine reach itself: a new network namespace has its interface down.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

const (
	probePath = stagePlace + "/probe"
	// ownPlace is a directory that a row can be granted although there is something in it that is the
	// program's own.
	ownPlace = stagePlace + "/own"
)

// callerUser returns whom the files of a stage belong to.
func callerUser() (uid int, owned bool) {
	if os.Getenv(machineCaller) == "owner" {
		return ordinaryUser, true
	}
	return os.Geteuid(), false
}

func pidText(pid int) string { return strconv.Itoa(pid) }
