package executor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// scriptPath is what bash is given to read: the descriptor that holds the script. It works for a script of
// any size, where `bash -c` fails at 128 KiB (execve(2), MAX_ARG_STRLEN), and leaves no file behind.
const scriptPath = "/dev/fd/4"

// processOf lays out a script for the sandbox: the values, or the parameters of a script that bash
// does not run, on render.ValuesDescriptor (3), the script on render.ScriptDescriptor (4), both sealed.
func processOf(work *scriptWork) sandbox.Process {
	var values strings.Builder
	values.WriteString(work.parameters) // for bash there are none
	for _, value := range work.values {
		values.WriteString(value)
		values.WriteByte(0)
	}
	inputs := make([]sandbox.Input, render.ScriptDescriptor-2)
	inputs[render.ValuesDescriptor-3] = sandbox.Input{Name: "values", Data: []byte(values.String())}
	inputs[render.ScriptDescriptor-3] = sandbox.Input{Name: "script", Data: []byte(work.script)}
	return sandbox.Process{Argv: work.interpreter, Inputs: inputs}
}

// realDirectory follows the links of the caller's directory, which a person has chosen. From there on no
// link is followed that a call may have made.
func realDirectory(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir // the sandbox tells
}

// startDirectory returns the directory that a call starts in, or below which it gets one of its own. An
// entry that names none means the temporary directory when it is isolated, since nothing there is the
// caller's, and else the caller's own.
func startDirectory(s tool.Sandbox, callers string) string {
	switch dir := s.WorkingDirectory; {
	case dir == "" && s.TempIsolation:
		return os.TempDir()
	case filepath.IsAbs(dir):
		return ownTemporary(filepath.Clean(dir))
	default:
		return filepath.Join(callers, dir)
	}
}

// ownTemporary returns a directory that an entry names, or the place for temporary files where it names one
// there that does not exist: a call has such a place of its own, in which nothing was made yet.
func ownTemporary(dir string) string {
	for _, temp := range []string{os.TempDir(), "/tmp"} {
		if !strings.HasPrefix(dir, strings.TrimSuffix(temp, "/")+"/") {
			continue
		}
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			return temp
		}
	}
	return dir
}

// allowedPaths returns the paths that an entry allows, absolute: what is relative is so to the working
// directory that the entry names, and that to the caller's.
func allowedPaths(s tool.Sandbox, callers string) []tool.AllowedPath {
	base := s.WorkingDirectory
	if !filepath.IsAbs(base) {
		base = filepath.Join(callers, base)
	}
	list := make([]tool.AllowedPath, len(s.AllowedPaths))
	for i, allowed := range s.AllowedPaths {
		if !filepath.IsAbs(allowed.Path) {
			allowed.Path = filepath.Join(base, allowed.Path)
		}
		list[i] = allowed
	}
	return list
}

// profile says to the sandbox what an invocation may do.
func profile(invocation *tool.Invocation) sandbox.Profile {
	work := workOf(invocation)
	return profileOf(work.sandbox, invocation.Dir, work.environment)
}

// SandboxProfile says to the sandbox what an entry's calls may do that are made from a directory.
func SandboxProfile(s tool.Sandbox, callers string) sandbox.Profile {
	callers = realDirectory(callers)
	s.AllowedPaths = allowedPaths(s, callers)
	return profileOf(s, startDirectory(s, callers), s.Environment)
}

func profileOf(s tool.Sandbox, dir string, environment map[string]string) sandbox.Profile {
	require := make([]sandbox.Property, len(s.Require))
	for i, property := range s.Require {
		require[i] = sandbox.Property(property)
	}
	var own []string
	for _, allowed := range s.AllowedPaths {
		if allowed.Anything {
			own = append(own, allowed.Path)
		}
	}
	return sandbox.Profile{
		Own:           own,
		Dir:           dir,
		TempIsolation: s.TempIsolation,
		Environment:   environment,
		Limits:        s.Limits,
		AllowedPaths:  s.AllowedPaths,
		Network:       s.Network,
		Isolated:      s.Strict,
		Sockets:       s.Sockets,
		Commands:      s.Commands,
		Require:       require,
		BestEffort:    s.BestEffort,
	}
}

// asFailure returns err as a Failure, under code when it is not one already.
func asFailure(err error, code tool.FailureCode) *tool.Failure {
	var failure *tool.Failure
	if errors.As(err, &failure) {
		return failure
	}
	return tool.Failf(code, "%v", err)
}
