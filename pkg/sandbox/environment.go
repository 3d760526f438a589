package sandbox

import (
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// searchPath is PATH for every call: Debian's for root, so that a tool finds the same programs whoever runs
// it.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environ makes a call's environment from nothing. home is the call's private directory: an empty HOME
// keeps the user's dotfiles, which programs would read or run, out of the call. Without SHELL every bash
// looks the user up (getpwuid(3)), and with some set-ups asks a server, to make up one; which may be any
// shell, or none (nologin).
//
// Texts are UTF-8. LC_CTYPE alone says that: with LANG every program also opens the files of eleven other
// categories, which in C.UTF-8 say what they say in C; that is a tenth of a start of bash. An entry's own
// LANG stays in force.
//
// trace is told in the variables of OpenTelemetry's specification of environment variables as carriers.
func (p *Plan) environ(home string, trace tool.Trace) []string {
	variables := map[string]string{
		"PATH":   searchPath,
		"HOME":   home,
		"TMPDIR": home,
		"SHELL":  "/bin/sh",
	}
	if _, named := p.profile.Environment["LANG"]; !named {
		variables["LC_CTYPE"] = "C.UTF-8"
	}
	if header := trace.Header(); header != "" {
		variables["TRACEPARENT"] = header
		if trace.State != "" {
			variables["TRACESTATE"] = trace.State
		}
	}
	maps.Copy(variables, p.profile.Environment)
	list := make([]string, 0, len(variables))
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		list = append(list, name+"="+variables[name])
	}
	return list
}
