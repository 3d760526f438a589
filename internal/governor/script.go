package governor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// script is a governor that is a program. Each act starts it anew, in the sandbox: the workspace is there
// to be read, the network is off unless the file says otherwise, and its environment holds what the file
// names and nothing else.
//
// It reads one JSON object from its standard input. Exit code 0 with one JSON object on standard output is
// an answer; exit code 2 is a rejection, for which standard error gives the reason, as with the hooks of
// Claude Code; everything else is an error.
type script struct {
	spec    Script
	timeout time.Duration
	host    func() (Host, error)
	vault   Vault
}

// The limits of a governor's program.
const (
	scriptOutput    = 1 << 20 // bytes of each stream
	scriptMemory    = 1 << 30 // bytes of address space of each process
	scriptProcesses = 64
	scriptTemp      = 64 << 20 // bytes
	scriptFiles     = 256
)

// exitReject is the exit code by which a hook of Claude Code blocks a call.
const exitReject = 2

func (s *script) judge(ctx context.Context, in *input) (answer, error) {
	if s.host == nil {
		return answer{}, errors.New("there is no sandbox to run it in")
	}
	host, err := s.host()
	if err != nil {
		return answer{}, err
	}
	environment, values, err := s.environment(ctx)
	if err != nil {
		return answer{}, err
	}
	profile, argv, err := s.profile(in, environment)
	if err != nil {
		return answer{}, err
	}
	plan, err := host.Plan(profile)
	if err != nil {
		return answer{}, err
	}
	outcome, err := host.Run(ctx, plan,
		sandbox.Process{Argv: argv, Stdin: &sandbox.Input{Name: "act", Data: in.encoded}})
	if err != nil {
		return answer{}, err
	}
	a, err := readOutcome(outcome)
	err = a.hide(values, err)
	return a, err
}

// profile says what the program may do. Nothing of the workspace can be written, and so nothing that it
// holds is changed by the governor; a program in it is refused, since whoever writes the repository would
// be the governor.
func (s *script) profile(in *input, environment map[string]string) (sandbox.Profile, []string, error) {
	argv, files, err := s.argv(in)
	if err != nil {
		return sandbox.Profile{}, nil, err
	}
	dirs := in.review.Workspace.Dirs()
	profile := sandbox.Profile{
		// Not in the workspace: what an interpreter finds where it starts (check.py, a module, .git/config)
		// is whoever's that directory is.
		Dir: os.TempDir(), TempIsolation: true, Environment: environment, Network: s.spec.Network,
		Limits: tool.Limits{
			Output: scriptOutput, Memory: scriptMemory, Processes: scriptProcesses, TempSize: scriptTemp,
			OpenFiles: scriptFiles,
		},
	}
	for _, path := range slices.Concat(dirs, files) {
		profile.AllowedPaths = append(profile.AllowedPaths, tool.AllowedPath{Path: path, ReadOnly: true})
	}
	return profile, argv, nil
}

// argv finds the program, and the files among its arguments, which it may read.
func (s *script) argv(in *input) (argv, files []string, err error) {
	argv, files, err = s.words()
	if err != nil {
		return nil, nil, err
	}
	for _, word := range argv {
		if real, err := filepath.EvalSymlinks(word); err == nil && filepath.IsAbs(word) &&
			in.review.Workspace.Contains(real) {
			return nil, nil, fmt.Errorf("%s lies in the workspace, whose author would be the governor; move it out",
				word)
		}
	}
	return argv, files, nil
}

// Missing says which file of the command is not there, in words for its author; nil where all are.
func (s Script) Missing() error {
	_, _, err := (&script{spec: s}).words()
	return err
}

// words are the words of the command with the files among them found, the program first. It is an error where the program
// is not there, or a file that it runs: an interpreter says that with any exit code, Python, Perl and dash with the one
// that rejects.
func (s *script) words() (argv, files []string, err error) {
	argv = slices.Clone(s.spec.Command)
	if len(argv) == 0 {
		return nil, nil, errors.New("it has no command")
	}
	roles := shellwords.Read(shellwords.Fixed(argv...), nil).Roles
	for i, word := range argv {
		switch {
		case filepath.IsAbs(word):
		case strings.HasPrefix(word, "./"), strings.HasPrefix(word, "../"), i == 0 && strings.Contains(word, "/"):
			argv[i] = filepath.Join(s.spec.Dir, word)
		case i == 0:
			if argv[i], err = lookPath(word); err != nil {
				return nil, nil, err
			}
		default:
			beside := filepath.Join(s.spec.Dir, word)
			info, err := os.Stat(beside)
			switch {
			case isCode(word, roles[i]) && err != nil:
				return nil, nil, fmt.Errorf("its file %s cannot be opened: %w", beside, withoutPath(err))
			case err != nil || !info.Mode().IsRegular() && !isCode(word, roles[i]):
				continue
			}
			argv[i] = beside
		}
		real, err := filepath.EvalSymlinks(argv[i])
		if err != nil && i == 0 {
			return nil, nil, fmt.Errorf("its program %s cannot be found: %w", argv[i], withoutPath(err))
		}
		if isCode(word, roles[i]) {
			if err := opens(argv[i]); err != nil {
				return nil, nil, fmt.Errorf("its file %s cannot be opened: %w", argv[i], withoutPath(err))
			}
		}
		if err != nil {
			continue
		}
		if info, err := os.Stat(real); err == nil && info.Mode().IsRegular() {
			files = append(files, argv[i])
		}
	}
	return argv, files, nil
}

// isCode reports whether a word names the file that an interpreter runs: its operand, and neither a module, which it looks
// for by itself, nor its standard input.
func isCode(word string, r shellwords.Role) bool {
	return r.Kind == shellwords.CodeFile && !strings.Contains(r.Reader, " ") && word != "-"
}

func opens(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// lookPath finds a program by its name where every call of the sandbox finds them, whatever our own PATH is.
func lookPath(name string) (string, error) {
	for _, dir := range []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
		path := filepath.Join(dir, name)
		if _, err := exec.LookPath(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("its program %s is not installed; name it with its whole path where it lies elsewhere",
		quoted(name))
}

// environment resolves what stands elsewhere, and gives those values beside it.
func (s *script) environment(ctx context.Context) (environment map[string]string, values []string, err error) {
	if environment = maps.Clone(s.spec.Environment); environment == nil {
		environment = map[string]string{}
	}
	for name, reference := range s.spec.Secrets {
		value, err := s.vault.Value(ctx, reference)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		environment[name] = value
		values = append(values, value)
	}
	return environment, values, nil
}

func withoutPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// readOutcome reads what the program says from how it ended.
func readOutcome(o sandbox.Outcome) (answer, error) {
	code := o.ExitCode
	a := answer{exitCode: &code}
	fail := func(format string, args ...any) (answer, error) { return a, fmt.Errorf(format, args...) }
	switch {
	case o.Lost > 0:
		return fail("%d processes that it started could not be ended", o.Lost)
	case o.TimedOut, o.Cancelled:
		return a, errTimeout
	case len(o.LimitsHit) > 0:
		return fail("it was ended by its limit on %s", strings.Join(o.LimitsHit, ", "))
	case o.Truncated:
		return fail("it wrote more than %d bytes", scriptOutput)
	case o.Signal != "":
		return fail("it was ended by %s", o.Signal)
	case o.ExitCode == exitReject:
		a.status = statusReject
		if said := strings.TrimSpace(strings.ToValidUTF8(string(o.Stderr), "�")); said != "" {
			a.messages = []string{cut(said, longestText)}
		}
		return a, nil
	case o.ExitCode != 0:
		return fail("it ended with exit code %d%s", o.ExitCode, lastWords(o.Stderr))
	}
	said, err := parseReply(o.Stdout)
	if err != nil {
		return a, err
	}
	said.exitCode = &code
	return said, nil
}

// lastWords are the end of what a program says on its standard error.
func lastWords(stderr []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(stderr), "�"))
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return ": " + cut(lines[len(lines)-1], 300)
}
