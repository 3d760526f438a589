package serve

import (
	"fmt"
	"os"
	"strings"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// unitHead begins both units. What would take namespaces, mounts or new privileges from the daemon's children is
// not in them: the sandbox of the tools is made of namespaces and Landlock.
const unitHead = `# %[1]s
# Written by: a2a-acp serve --print-unit%[2]s
[Unit]
Description=a2a-acp: guarded tools for agents and programs
Documentation=https://github.com/a2a-acp/a2a-acp/blob/main/docs/daemon.md
%[3]s
[Service]
Type=notify
ExecStart=%[4]s serve
ExecReload=/bin/kill -HUP $MAINPID
NotifyAccess=main
WatchdogSec=60s
Restart=on-failure
RestartSec=2s
TimeoutStopSec=45s
KillMode=mixed
LimitNOFILE=65536
`

const unitUser = `
# Only what its tools are given is theirs to write, which their sandbox sees to; the service itself works in
# your home.
WorkingDirectory=%%h
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`

const unitSystem = `
# A user of its own, with the files of /etc/a2a-acp, its state, and nothing of anybody's home.
DynamicUser=yes
StateDirectory=a2a-acp a2a-acp/state a2a-acp/workspace
StateDirectoryMode=0700
Environment=HOME=%%S/private/a2a-acp A2A_STATE_DIR=%%S/private/a2a-acp/state
WorkingDirectory=%%S/private/a2a-acp/workspace
# What its tools may write to besides:
# ReadWritePaths=/srv/project
# A token for the principal ci, as {file: /run/credentials/a2a-acp.service/ci} in a2a-acp.yaml:
# LoadCredential=ci:/etc/a2a-acp/ci.token
UMask=0077
# Memory and processes of each tool are bounded where control groups are delegated.
Delegate=yes
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectKernelModules=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
# It may open no port below 1024. A socket unit beside this one can (a2a-acp.socket: [Socket] ListenStream=443).
SystemCallArchitectures=native
# Not here, since each keeps the sandbox of the tools from being made: RestrictNamespaces, SystemCallFilter,
# PrivateUsers, and what mounts something over parts of /proc (ProtectProc, ProtectKernelTunables,
# ProtectKernelLogs, ProtectHostname).

[Install]
WantedBy=multi-user.target
`

// printUnit prints a unit for systemd.
func printUnit(env *cli.Environment, user bool) error {
	self, err := os.Executable()
	if err != nil {
		return cli.Fail(exit.Host, err)
	}
	path, flag, rest := "/etc/systemd/system/a2a-acp.service", "", unitSystem
	after := "After=network-online.target\nWants=network-online.target\n"
	if user {
		path, flag, after, rest = "~/.config/systemd/user/a2a-acp.service", " --user", "", unitUser
	}
	_, err = fmt.Fprintf(env.Stdout, unitHead+rest, path, flag, after, quoted(self))
	return err
}

// quoted writes a path as a unit wants it (systemd.syntax(7), and the specifiers of systemd.unit(5)).
func quoted(path string) string {
	path = strings.ReplaceAll(path, "%", "%%")
	if !strings.ContainsAny(path, " \t\"'\\;$") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", "$$").Replace(path) + `"`
}
