//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// openTable opens the table of the mounts that a process has, which tells of changes (proc_pid_mounts(5)), and can
// be read when the process has ended. The caller closes it.
func openTable(pid int) (fd int, err error) {
	path := fmt.Sprintf("/proc/%d/mounts", pid)
	// Not os.Open: the runtime would have a thread woken for each change.
	if fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return -1, fmt.Errorf("watch what is mounted: open %s: %w", path, err)
	}
	return fd, nil
}

// hasChanged reports whether something was mounted or unmounted since this was asked of a table of mounts, or
// it was opened.
func hasChanged(table int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(table), Events: unix.POLLPRI}}, 0)
	return n != 0 || err != nil // EINTR: who knows
}

// readTable tells where something is mounted.
func readTable(table int) (map[string]bool, error) {
	if _, err := unix.Seek(table, 0, unix.SEEK_SET); err != nil {
		return nil, fmt.Errorf("read what is mounted: %w", err)
	}
	var all []byte
	for text := make([]byte, 1<<14); ; {
		n, err := unix.Read(table, text)
		if err != nil {
			return nil, fmt.Errorf("read what is mounted: %w", err)
		}
		if n == 0 {
			break
		}
		all = append(all, text[:n]...)
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\043`, "#", `\134`, `\`)
	there := map[string]bool{}
	for line := range strings.Lines(string(all)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			there[unescape.Replace(fields[1])] = true
		}
	}
	return there, nil
}

// fileID tells a file from all others that are there at the time.
type fileID struct {
	major, minor uint32
	inode        uint64
}

// identifyPath tells which file a path leads to that has no link in it.
func identifyPath(path string) (fileID, error) {
	var is unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_INO, &is)
	return fileID{is.Dev_major, is.Dev_minor, is.Ino}, err
}

// heldPlaces lists what a view keeps from being changed, or seen, in what may be written to, and which files that are.
func (v *mountView) heldPlaces() map[string]fileID {
	places := map[string]fileID{}
	hold := func(path string) { places[path], _ = identifyPath(path) } // one that is gone already is told
	for _, g := range v.placed {
		if !g.write && slices.ContainsFunc(v.placed, func(other grant) bool { return other.write && within(g.path, other.path) }) {
			hold(g.path)
		}
	}
	for _, h := range v.hidden {
		hold(h.path)
	}
	return places
}

// tellUncovered tells, when a call has ended, what of that it could see or change all the same. The kernel takes a
// mount away, in every namespace, when its place is removed or something is renamed to it (fs/namespace.c,
// __detach_mounts), and a mount goes with its place when that gets another name. The call can do neither; a person
// can who saves a file, or works with git.
func (c *call) tellUncovered() []string {
	var there map[string]bool
	changed := c.table >= 0 && hasChanged(c.table)
	if changed {
		there, _ = readTable(c.table) // where it cannot be read, all is told
	}
	told := telling{dir: c.plan.profile.Dir}
	for _, path := range slices.Sorted(maps.Keys(c.held)) {
		if is, _ := identifyPath(path); is == c.held[path] && (!changed || there[path]) {
			continue
		}
		shown := path
		if !isPlain(path) {
			shown = strconv.Quote(path)
		}
		told.add("protected: while the command ran, somebody else moved, removed or replaced " + shown +
			"; from then on the command could see, and change, what has that name")
	}
	return told.lines()
}
