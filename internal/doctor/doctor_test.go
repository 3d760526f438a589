package doctor_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/doctor"
)

func files(pairs ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fs[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fs
}

const (
	ubuntu = "PRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n"
	debian = "PRETTY_NAME=\"Debian GNU/Linux 10 (buster)\"\nID=debian\nVERSION_ID=\"10\"\n"
	fedora = "PRETTY_NAME=\"Fedora Linux 42\"\nID=fedora\nVERSION_ID=42\n"
)

// On each kind of machine the advice names what is missing there, and the lines that mend it.
func TestAdvise(t *testing.T) {
	t.Parallel()
	const landlock = "lockdown,capability,landlock,yama,apparmor"
	tests := []struct {
		name    string
		files   fstest.MapFS
		machine doctor.Machine
		found   doctor.Findings
		what    []string // is missing
		says    []string // in all of it
	}{
		{
			name:    "Ubuntu where AppArmor restricts user namespaces",
			files:   files("etc/os-release", ubuntu, "proc/sys/kernel/osrelease", "6.8.0-45-generic\n", "proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "sys/kernel/security/lsm", landlock, "proc/self/cgroup", "0::/user.slice/a.scope\n"),
			machine: doctor.Machine{OS: "linux", Self: "/opt/my tools/a2a-acp"},
			found:   doctor.Findings{Level: "landlock", Landlock: true},
			what:    []string{"user namespaces", "control groups"},
			says: []string{
				"Ubuntu since 23.10", "/etc/apparmor.d/a2a-acp", "profile a2a-acp \"/opt/my tools/a2a-acp\" flags=(unconfined) {\n  userns,", "sudo apparmor_parser -r /etc/apparmor.d/a2a-acp",
				`systemd-run --user --pty --same-dir -p Delegate="memory pids" -p DelegateSubgroup=`, "Delegate=memory pids\nDelegateSubgroup=",
			},
		},
		{
			name:    "old Debian",
			files:   files("usr/lib/os-release", debian, "proc/sys/kernel/osrelease", "6.2.0\n", "proc/sys/kernel/unprivileged_userns_clone", "0\n", "sys/kernel/security/lsm", landlock),
			machine: doctor.Machine{OS: "linux"},
			found:   doctor.Findings{Level: "landlock", Landlock: true, Memory: true, Processes: true},
			what:    []string{"user namespaces"},
			says:    []string{"echo 'kernel.unprivileged_userns_clone = 1' | sudo tee /etc/sysctl.d/"},
		},
		{
			name:    "the setting does not bind root",
			files:   files("proc/sys/kernel/unprivileged_userns_clone", "0\n"),
			machine: doctor.Machine{OS: "linux", Root: true},
			found:   doctor.Findings{Level: "landlock", Landlock: true, Memory: true, Processes: true},
			what:    []string{"user namespaces"},
			says:    []string{"something here forbids them"},
		},
		{
			name:    "switched off by their number",
			files:   files("proc/sys/user/max_user_namespaces", "0\n", "proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n"),
			machine: doctor.Machine{OS: "linux"},
			found:   doctor.Findings{Level: "landlock", Landlock: true, Memory: true, Processes: true},
			what:    []string{"user namespaces"},
			says:    []string{"user.max_user_namespaces is 0", "user.max_user_namespaces = 15000"},
		},
		{
			name:    "in Docker",
			files:   files(".dockerenv", "", "sys/kernel/security/lsm", landlock),
			machine: doctor.Machine{OS: "linux"},
			found:   doctor.Findings{Level: "landlock", Landlock: true, Memory: true, Processes: true},
			what:    []string{"user namespaces"},
			says:    []string{"docker run --security-opt seccomp=unconfined", "podman run --security-opt seccomp=unconfined"},
		},
		{
			name:    "in a container that hides parts of /proc",
			files:   files("run/.containerenv", ""),
			machine: doctor.Machine{OS: "linux"},
			found:   doctor.Findings{Level: "no-proc", Landlock: true, Namespaces: true, Memory: true, Processes: true},
			what:    []string{"a /proc of the call's own"},
			says:    []string{"--security-opt unmask=ALL"},
		},
		{
			name:    "a kernel from before Landlock",
			files:   files("etc/os-release", strings.ReplaceAll(ubuntu, "24.04", "20.04"), "proc/sys/kernel/osrelease", "5.4.0-190-generic\n"),
			machine: doctor.Machine{OS: "linux"},
			found:   doctor.Findings{Level: "rlimits"},
			what:    []string{"Landlock", "user namespaces"},
			says:    []string{"kernel 5.4.0-190-generic is older than Landlock", "linux-generic-hwe-20.04"},
		},
		{
			name:    "Landlock switched off",
			files:   files("etc/os-release", fedora, "proc/sys/kernel/osrelease", "6.15.3-200.fc42\n", "sys/kernel/security/lsm", "lockdown,capability,yama,selinux"),
			machine: doctor.Machine{OS: "linux"},
			found:   doctor.Findings{Level: "rlimits"},
			what:    []string{"Landlock", "user namespaces"},
			says:    []string{"sudo grubby --update-kernel=ALL --args=lsm=landlock,lockdown,capability,yama,selinux"},
		},
		{
			name:    "nothing is missing",
			files:   files("proc/sys/kernel/osrelease", "6.18.0\n"),
			machine: doctor.Machine{OS: "linux"},
			found:   doctor.Findings{Level: "full+cgroup", Landlock: true, Namespaces: true, OwnProc: true, Memory: true, Processes: true},
		},
		{
			name:    "macOS",
			files:   files(),
			machine: doctor.Machine{OS: "darwin"},
			found:   doctor.Findings{Level: "none"},
			what:    []string{"a sandbox"},
			says:    []string{"on macOS there is none: the bridge, the policies and the record work, tools do not run"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var what []string
			var all strings.Builder
			for _, advice := range doctor.Advise(doctor.Look(test.files, test.machine), test.found) {
				what = append(what, advice.What)
				all.WriteString(advice.Why + "\n" + advice.Fix + "\n")
				if advice.Fix == "" || len(advice.Gives) == 0 {
					t.Errorf("%s: no cure, or no use: %+v", advice.What, advice)
				}
			}
			if diff := cmp.Diff(test.what, what); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			for _, words := range test.says {
				if !strings.Contains(all.String(), words) {
					t.Errorf("%q is not said in:\n%s", words, &all)
				}
			}
		})
	}
}
