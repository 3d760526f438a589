package dirs

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mount is a line of /proc/self/mountinfo (proc(5)).
type mount struct {
	device string
	root   string // which directory of the device's file system is shown
	at     string // where
}

// otherNames returns the further names that some directories have because a mount shows them, or a directory that they
// are in, a second time (mount --bind). Where the mounts cannot be read there are none.
func otherNames(own []string) []string {
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	mounts := mountsIn(string(info))
	var names []string
	for _, dir := range own {
		for _, other := range namesBy(mounts, realName(dir)) {
			is, err := os.Stat(other.of)
			named, errNamed := os.Stat(other.name)
			if err == nil && errNamed == nil && !os.SameFile(is, named) {
				continue // something else is mounted over it
			}
			names = append(names, other.name)
		}
	}
	return names
}

// otherName is another name of a directory.
type otherName struct{ name, of string }

// namesBy returns the other names that mounts give a directory, or something in it.
func namesBy(mounts []mount, dir string) []otherName {
	in := mount{}
	for _, m := range mounts { // of two at one place the last covers the other
		if within(dir, m.at) && len(m.at) >= len(in.at) {
			in = m
		}
	}
	if in.at == "" {
		return nil
	}
	inside := filepath.Join(in.root, strings.TrimPrefix(dir, in.at))
	var names []otherName
	for _, m := range mounts {
		switch {
		case m.device != in.device:
		case within(inside, m.root):
			if name := filepath.Join(m.at, strings.TrimPrefix(inside, strings.TrimSuffix(m.root, "/"))); name != dir {
				names = append(names, otherName{name, dir})
			}
		case within(m.root, inside) && !within(m.at, dir):
			names = append(names, otherName{m.at, filepath.Join(dir, strings.TrimPrefix(m.root, inside))})
		}
	}
	return names
}

// mountsIn reads mountinfo.
func mountsIn(info string) []mount {
	var mounts []mount
	for line := range strings.Lines(info) {
		if fields := strings.Fields(line); len(fields) > 5 {
			mounts = append(mounts, mount{device: fields[2], root: unescaped(fields[3]), at: unescaped(fields[4])})
		}
	}
	return mounts
}

// unescaped reads a name in which blanks, tabs, line ends and backslashes are three octal digits.
func unescaped(name string) string {
	before, rest, found := strings.Cut(name, `\`)
	if !found {
		return name
	}
	if len(rest) >= 3 {
		if n, err := strconv.ParseUint(rest[:3], 8, 8); err == nil {
			return before + string([]byte{byte(n)}) + unescaped(rest[3:])
		}
	}
	return before + `\` + unescaped(rest)
}

// realName returns the name of a directory without links, as far as it is there.
func realName(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	if above := filepath.Dir(dir); above != dir {
		return filepath.Join(realName(above), filepath.Base(dir))
	}
	return dir
}

// within reports whether a clean path is a directory, or in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
