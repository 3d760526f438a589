package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The bounds of one look at a repository and its submodules.
const (
	patience     = 3 * time.Second
	mostSettings = 1 << 20  // bytes of what git lists
	mostListed   = 64 << 20 // bytes of what git lists of an index
	mostModules  = 200
)

// Asker asks the git of this machine. The zero Asker is ready to use, and an Asker is safe for concurrent
// use.
type Asker struct {
	Environ []string      // optional, default the environment of this process: what git would run with
	Within  time.Duration // optional, default 3 s: how long one Look may take
}

// What is asked may need objects that a partial clone lacks, which git gets by whatever program the clone's settings name.
// Where a git does not know the first (2.45, and older ones with the mend of CVE-2024-32004), the second allows no way to
// another repository (git(1)).
const (
	noLazyFetch = "GIT_NO_LAZY_FETCH=1"
	noProtocol  = "GIT_ALLOW_PROTOCOL=none"
)

// deadline bounds how long git is asked.
func (a *Asker) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	within := a.Within
	if within <= 0 {
		within = patience
	}
	return context.WithTimeout(ctx, within)
}

// errAnswer is an answer of git's that has another form than its manual says.
var errAnswer = errors.New("git gives an answer that is not known here")

// redirecting are variables by which git works with other files than those of the directory that it runs in
// (git(1), Environment Variables). They are not imitated: where one is set, nothing can be told.
var redirecting = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_CONFIG_PARAMETERS", "GIT_REFERENCE_BACKEND", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
}

// look is one Look under way.
type look struct {
	git      string
	environ  []string // what git would run with, without what has it say or write more
	switched []string // the same, with the switches
	free     bool     // nobody else uses the variables of the switches
	modules  int
}

// begin finds git and makes the environment that it is asked in; nil when there is nothing to ask, since
// there is surely no repository around dir. avoid are directories whose programs must not be run.
func (a *Asker) begin(dir string, avoid []string) (*look, error) {
	environ := a.Environ
	if environ == nil {
		environ = os.Environ()
	}
	values := map[string]string{}
	for _, variable := range environ {
		if name, value, ok := strings.Cut(variable, "="); ok {
			values[name] = value
		}
	}
	for _, name := range redirecting {
		if values[name] != "" {
			return nil, fmt.Errorf("%s is set, so git looks elsewhere", name)
		}
	}
	if noneAround(dir) {
		return nil, nil
	}
	git, err := findProgram(values["PATH"], avoid)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH",
		"GIT_SSH_COMMAND", "GIT_ASKPASS"} {
		if word := fromRepository(values[name], values["HOME"], avoid); word != "" {
			return nil, fmt.Errorf("%s names %s, which could be a program of the repository", name, word)
		}
	}
	// GIT_CONFIG would have git config list another file than the commands read.
	drop := func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "GIT_CONFIG" || strings.HasPrefix(name, "GIT_TRACE") ||
			strings.HasPrefix(name, "GIT_REDIRECT_")
	}
	count, err := strconv.Atoi(cmp.Or(values["GIT_CONFIG_COUNT"], "0"))
	if err != nil || count < 0 {
		return nil, errors.New("GIT_CONFIG_COUNT is no number")
	}
	base := append(slices.DeleteFunc(slices.Clone(environ), drop), "LC_ALL=C", noLazyFetch, noProtocol)
	with := func(settings ...Variable) []string {
		all := slices.Clone(base)
		for _, v := range append(configVariables(settings, count), fixedVariables()...) {
			all = append(all, v.Name+"="+v.Value)
		}
		return all
	}
	// A repository of somebody else's is looked at all the same: who will run git there need not be who asks.
	anybodys := Variable{"safe.directory", "*"}
	return &look{git: git, environ: with(anybodys), switched: with(append(switches(), anybodys)...),
		free: count == 0}, nil
}

// findProgram finds git as a shell does, but not in a directory that is to be avoided, or relative to
// whatever directory.
func findProgram(path string, avoid []string) (string, error) {
	for dir := range strings.SplitSeq(path, ":") {
		if !filepath.IsAbs(dir) {
			return "", errors.New("the PATH has a name that is relative, so git could be a program of the repository")
		}
		name := filepath.Join(dir, "git")
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(name)
		if err != nil || slices.ContainsFunc(avoid,
			func(root string) bool { return lies(real, root) || lies(name, root) }) {
			return "", fmt.Errorf("the first git on the PATH is %s, which is a file of the workspace", name)
		}
		return name, nil
	}
	return "", errors.New("there is no git on the PATH that could be asked")
}

// run runs git in a directory and gives what it prints. What it is asked runs nothing, whatever the
// repository holds (see TestAskingRunsNothing); should it ever, it has no terminal, no input, and ends with
// ctx.
func (l *look) run(ctx context.Context, environ []string, dir string, most int64, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, l.git, args...)
	cmd.Dir, cmd.Env = dir, environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // on a busy machine it takes a while until all is read that git has said
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{&out, most}, &bounded{&said, 4096}
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, errors.New("git did not answer in time")
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, &refusal{line, cmd.ProcessState.ExitCode()}
	}
	return out.Bytes(), nil
}

// refusal is git's own no.
type refusal struct {
	line string // the first that it says
	code int
}

func (r *refusal) Error() string { return "git says: " + r.line }

// bounded takes so many bytes, and fails beyond.
type bounded struct {
	io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errors.New("it says too much")
	}
	return b.Writer.Write(p)
}

// lies reports whether a path is a directory or lies below it. Both are absolute and clean.
func lies(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
