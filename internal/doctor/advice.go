package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Advice is something that a machine lacks.
type Advice struct {
	What string `json:"what"` // "user namespaces"
	Why  string `json:"why"`
	Fix  string `json:"fix"` // what to do, commands as they are typed
	// Gives names what the fix leads to: properties, or a level.
	Gives []string `json:"gives"`
}

// Findings is what was found out about the sandbox by trying.
type Findings struct {
	Level      string // the highest that works
	Namespaces bool   // calls have namespaces of their own
	OwnProc    bool   // and a /proc
	Landlock   bool   // calls can open only what was granted
	Memory     bool   // calls are held to their memory as a whole
	Processes  bool   // and to their number of processes
}

// Advise says what would make a machine confine better, the greatest gain first.
func Advise(m Machine, f Findings) []Advice {
	if m.OS != "linux" {
		return []Advice{{
			What: "a sandbox", Why: "on " + name(m.OS) +
				" there is none: the bridge, the policies and the record work, tools do not run",
			Fix:   "run a2a-acp in a Linux machine (amd64 or arm64); a virtual machine or a container on it will do",
			Gives: []string{"fs", "net", "processes", "memory", "tree"},
		}}
	}
	var list []Advice
	if !f.Landlock && !m.hasLandlock() {
		list = append(list, m.landlock())
	}
	if !f.Namespaces {
		list = append(list, m.namespaces(f))
	}
	if f.Namespaces && !f.OwnProc {
		list = append(list, Advice{
			What:  "a /proc of the call's own",
			Why:   "parts of /proc are hidden here, as containers do, and then nobody may mount another",
			Fix:   "docker run --security-opt systempaths=unconfined …\npodman run --security-opt unmask=ALL …",
			Gives: []string{"full"},
		})
	}
	if f.Landlock && (!f.Memory || !f.Processes) {
		list = append(list, m.groups(f))
	}
	return list
}

func name(goos string) string {
	if goos == "darwin" {
		return "macOS"
	}
	return goos
}

// hasLandlock reports whether the kernel says that Landlock is there, which does not say that it can be used.
func (m Machine) hasLandlock() bool { return slices.Contains(m.Modules, "landlock") }

func (m Machine) landlock() Advice {
	a := Advice{What: "Landlock", Gives: []string{"fs"}}
	switch {
	case !m.atLeast(5, 13):
		a.Why = fmt.Sprintf("kernel %s is older than Landlock (Linux 5.13; 6.2 has all that is needed)", m.Kernel)
		a.Fix = "install a newer kernel, 6.2 or later"
		if m.ID == "ubuntu" {
			a.Fix += ": sudo apt install linux-generic-hwe-" + m.Version
		}
	case m.Container != "":
		a.Why = "this container lets nobody use it, or the machine below has it switched off"
		a.Fix = "docker run --security-opt seccomp=unconfined … (Docker 20.10.10 and older); " +
			"else on the machine below: a2a-acp doctor"
	default:
		modules := "landlock"
		if len(m.Modules) > 0 {
			modules += "," + strings.Join(m.Modules, ",")
		}
		a.Why = "the kernel has it switched off: it is not among the security modules of its command line"
		a.Fix = "add lsm=" + modules + " to the kernel's command line"
		if m.like("debian") {
			a.Fix += ": in /etc/default/grub extend GRUB_CMDLINE_LINUX, then sudo update-grub, and restart"
		} else if m.like("fedora") {
			a.Fix = "sudo grubby --update-kernel=ALL --args=lsm=" + modules + ", and restart"
		}
	}
	return a
}

// like reports whether the distribution is one, or made from it.
func (m Machine) like(id string) bool {
	return m.ID == id || slices.Contains(strings.Fields(m.IDLike), id)
}

// namespaces says why there are no user namespaces. The order is that of the checks that the kernel makes.
func (m Machine) namespaces(f Findings) Advice {
	a := Advice{What: "user namespaces", Gives: []string{"tree", "full"}}
	if !f.Processes {
		a.Gives = append([]string{"processes"}, a.Gives...)
	}
	persistent := func(setting string) string {
		return fmt.Sprintf("echo '%s' | sudo tee /etc/sysctl.d/60-a2a-acp.conf && "+
			"sudo sysctl -p /etc/sysctl.d/60-a2a-acp.conf", setting)
	}
	switch {
	case m.Sysctls[sysctlMost] == "0":
		a.Why = "user.max_user_namespaces is 0"
		a.Fix = persistent("user.max_user_namespaces = 15000")
	case m.Sysctls[sysctlClone] == "0" && !m.Root:
		a.Why = "kernel.unprivileged_userns_clone is 0, as it was on Debian 10"
		a.Fix = persistent("kernel.unprivileged_userns_clone = 1")
	case m.Container != "":
		a.Why = "this container lets nobody make them"
		a.Fix = "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined " +
			"--security-opt systempaths=unconfined …\npodman run --security-opt seccomp=unconfined --security-opt unmask=ALL …"
	case m.Sysctls[sysctlAppArmor] == "1" && !m.Root:
		a.Why = "AppArmor lets only programs with a profile that says so make them (Ubuntu since 23.10)"
		a.Fix = m.appArmor()
	default:
		a.Why = "something here forbids them; the sandbox's own words are above"
		a.Fix = "is CONFIG_USER_NS in the kernel's configuration? does a security module or a seccomp filter of whoever " +
			"started us forbid them?"
	}
	return a
}

// appArmor returns the profile for this program, and how it is loaded. The path is the one that the program
// really has.
func (m Machine) appArmor() string {
	self := m.Self
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return fmt.Sprintf(`sudo tee /etc/apparmor.d/a2a-acp <<'END'
abi <abi/4.0>,
include <tunables/global>

profile a2a-acp "%s" flags=(unconfined) {
  userns,
  include if exists <local/a2a-acp>
}
END
sudo apparmor_parser -r /etc/apparmor.d/a2a-acp`, self)
}

// groups says how control groups are delegated. Without a service of our own there is nothing to delegate to.
func (m Machine) groups(f Findings) Advice {
	a := Advice{What: "control groups", Gives: []string{"memory"}}
	if !f.Processes {
		a.Gives = append(a.Gives, "processes")
	}
	a.Why = "none is delegated to this program, so only single processes are held to a limit on memory"
	if m.Group == "" {
		a.Why = "control groups of version 2 are not mounted here, so only single processes are held to a limit on memory"
	}
	if m.Container != "" {
		a.Fix = "start the container with a group of its own that can be written to: " +
			"docker run --cgroupns=private -v /sys/fs/cgroup:/sys/fs/cgroup:rw …, " +
			"or run a2a-acp as a systemd service on the machine below"
		return a
	}
	user := " --user"
	if m.Root {
		user = ""
	}
	a.Fix = fmt.Sprintf(`for once: systemd-run%s --pty --same-dir -p Delegate="memory pids" -p DelegateSubgroup=own a2a-acp …
for a service, in its unit:
[Service]
Delegate=memory pids
DelegateSubgroup=own`, user)
	return a
}
