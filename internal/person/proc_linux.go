package person

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// procfs is /proc, when it is the kernel's own and shows this process by the number that it has. Whoever
// has a mount namespace of his own can lay files and directories over it, down to a single one. So each
// name in it is opened without going into another mount (openat2(2), Linux 5.6), from a root that is that
// of a file system of its kind.
type procfs struct{ fd int }

// procRoot is the number of the root of every procfs (PROC_ROOT_INO, include/linux/proc_ns.h).
const procRoot = 1

var errNoProc = errors.New("/proc is not the kernel's own")

func openProc() (*procfs, error) {
	fd, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/proc", Err: err}
	}
	p := &procfs{fd}
	if err := p.check(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *procfs) check() error {
	var system unix.Statfs_t
	var root unix.Stat_t
	if err := errors.Join(unix.Fstatfs(p.fd, &system), unix.Fstat(p.fd, &root)); err != nil {
		return fmt.Errorf("/proc cannot be looked at: %w", err)
	}
	if system.Type != unix.PROC_SUPER_MAGIC || root.Ino != procRoot {
		return errNoProc
	}
	self, err := p.link("self")
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return fmt.Errorf("/proc cannot be read in a way that nobody can fake (openat2 of Linux 5.6: %w)", err)
	}
	if err != nil {
		return fmt.Errorf("%w, or shows another process namespace (self: %w)", errNoProc, err)
	}
	if self != strconv.Itoa(os.Getpid()) {
		return fmt.Errorf("/proc shows another process namespace: this process is %d, and %s there",
			os.Getpid(), self)
	}
	return nil
}

func (p *procfs) close() { _ = unix.Close(p.fd) } // it was only read from

// open opens a name below /proc. A name that something else lies over is refused with EXDEV.
func (p *procfs) open(name string, flags uint64) (int, error) {
	how := &unix.OpenHow{
		Flags:   flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_MAGICLINKS,
	}
	fd, err := unix.Openat2(p.fd, name, how)
	if errors.Is(err, unix.EXDEV) {
		err = errors.New("something else was mounted there")
	}
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: "/proc/" + name, Err: err}
	}
	return fd, nil
}

// link reads where a link points to.
func (p *procfs) link(name string) (string, error) {
	fd, err := p.open(name, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	var target [4096]byte
	n, err := unix.Readlinkat(fd, "", target[:])
	if err != nil {
		return "", &os.PathError{Op: "readlink", Path: "/proc/" + name, Err: err}
	}
	return string(target[:n]), nil
}

func (p *procfs) read(name string) ([]byte, error) {
	fd, err := p.open(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "/proc/"+name)
	defer f.Close()
	return io.ReadAll(f)
}

// list returns the names in /proc.
func (p *procfs) list() ([]string, error) {
	fd, err := p.open(".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "/proc")
	defer f.Close()
	return f.Readdirnames(-1)
}

// process is what /proc/PID/stat says of one (proc_pid_stat(5)).
type process struct {
	pid, parent int
	name        string // what it calls itself
	started     uint64 // in clock ticks since the machine started
}

// stat reads "4711 (a name) S 4242 ...". A process chooses its name, which may hold spaces and parentheses.
func (p *procfs) stat(pid int) (process, error) {
	text, err := p.read(strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 1 || end < open {
		return process{}, errNoProc
	}
	fields := strings.Fields(string(text[end+1:])) // from the third on
	if len(fields) < 20 || strings.TrimSpace(string(text[:open])) != strconv.Itoa(pid) {
		return process{}, errNoProc
	}
	parent, err1 := strconv.Atoi(fields[1])
	started, err2 := strconv.ParseUint(fields[19], 10, 64)
	return process{pid: pid, parent: parent, name: string(text[open+1 : end]), started: started},
		errors.Join(err1, err2)
}

func (p *procfs) commandLine(pid int) ([]string, error) {
	text, err := p.read(strconv.Itoa(pid) + "/cmdline")
	return strings.Split(string(text), "\x00"), err
}

// program returns the file that a process runs, or ran when an update has replaced it; "" when that is not
// to be seen.
func (p *procfs) program(pid int) string {
	path, err := p.link(strconv.Itoa(pid) + "/exe")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}
