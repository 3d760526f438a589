// Package doctor finds out by trying what works on this machine, for tools or for an agent. For what does
// not work it gives the lines that mend it.
package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Machine is what of a machine the advice depends on.
type Machine struct {
	OS      string // GOOS
	Kernel  string // "6.8.0-45-generic"
	ID      string // of the distribution, "ubuntu" (os-release(5))
	IDLike  string
	Version string // "24.04"
	Title   string // "Ubuntu 24.04.1 LTS"

	Container string // "docker", "podman", …; "" outside
	Root      bool   // we are root
	Self      string // the path of this program

	// Sysctls by their path below /proc/sys; what is not there has no entry.
	Sysctls map[string]string
	// Modules are the Linux security modules that are switched on (/sys/kernel/security/lsm); nil where
	// that cannot be read.
	Modules []string
	// CmdLine is the kernel's command line.
	CmdLine string
	// Group is our control group of version 2; "" where there is none.
	Group string
}

// The settings that decide over user namespaces.
const (
	sysctlAppArmor = "kernel/apparmor_restrict_unprivileged_userns"
	sysctlClone    = "kernel/unprivileged_userns_clone"
	sysctlMost     = "user/max_user_namespaces"
)

// Look reads what there is to know from a file system, which stands for /.
func Look(root fs.FS, m Machine) Machine {
	text := func(name string) string {
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(data))
	}
	m.Kernel = text("proc/sys/kernel/osrelease")
	release := text("etc/os-release")
	if release == "" {
		release = text("usr/lib/os-release")
	}
	for line := range strings.Lines(release) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch name {
		case "ID":
			m.ID = value
		case "ID_LIKE":
			m.IDLike = value
		case "VERSION_ID":
			m.Version = value
		case "PRETTY_NAME":
			m.Title = value
		}
	}
	m.Sysctls = map[string]string{}
	for _, name := range []string{sysctlAppArmor, sysctlClone, sysctlMost} {
		if value := text(path.Join("proc/sys", name)); value != "" {
			m.Sysctls[name] = value
		}
	}
	if modules := text("sys/kernel/security/lsm"); modules != "" {
		m.Modules = strings.Split(modules, ",")
	}
	m.CmdLine = text("proc/cmdline")
	m.Container = container(root, text)
	for line := range strings.Lines(text("proc/self/cgroup")) {
		if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			m.Group = group
		}
	}
	return m
}

// container tells by what each kind of container leaves.
func container(root fs.FS, text func(string) string) string {
	there := func(name string) bool {
		_, err := fs.Stat(root, name)
		return err == nil
	}
	switch {
	case there(".dockerenv"):
		return "docker"
	case there("run/.containerenv"):
		return "podman"
	case text("run/systemd/container") != "":
		return text("run/systemd/container")
	}
	return ""
}

// atLeast compares a kernel's version.
func (m Machine) atLeast(major, minor int) bool {
	parts := strings.SplitN(m.Kernel, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, _ := strconv.Atoi(parts[0])
	b, _ := strconv.Atoi(strings.TrimRight(parts[1], "-+abcdefghijklmnopqrstuvwxyz"))
	return a > major || a == major && b >= minor
}

// Describe says in a few words what machine it is.
func (m Machine) Describe() string {
	text := m.OS
	if m.Title != "" {
		text = m.Title
	}
	if m.Kernel != "" {
		text += ", kernel " + m.Kernel
	}
	if m.Container != "" {
		text += fmt.Sprintf(", in a container (%s)", m.Container)
	}
	return text
}
