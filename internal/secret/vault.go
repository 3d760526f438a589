package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// commandTime is how long a command may take to print a value. A password manager may have to ask its
// person first.
const commandTime = 60 * time.Second

// Vault turns references into values. It is safe for concurrent use. Its errors name where a value should
// stand, and the cure; they never hold a value.
type Vault struct {
	// Store is where secrets are kept; nil when there is no state directory.
	Store *Store
	// Environ looks up a variable of the environment that the program was started with. Required.
	Environ func(string) string
	// Own are the files and directories of the program itself. No reference leads there.
	Own []string
	// Withheld says why this process is given no values; nil where it is. Optional.
	Withheld func() error
	// Issued learns the values that were given, as does Hidden. Optional.
	Issued *Issued
	Hidden *Hidden
}

// Missing says why the value of a reference cannot be had, as far as that can be told without an effect: no
// command is run.
func (v *Vault) Missing(r tool.Reference) error {
	if err := v.withheld(); err != nil {
		return err
	}
	command := r.Command
	if r.Secret != "" && v.Store != nil {
		e, _, err := v.Store.Lookup(r.Secret)
		if err != nil {
			return err
		}
		command = e.Command
	}
	if len(command) > 0 {
		_, err := lookPath(command[0])
		return err
	}
	_, err := v.value(context.Background(), r)
	return err
}

func (v *Vault) withheld() error {
	if v.Withheld == nil {
		return nil
	}
	return v.Withheld()
}

// Value returns the value that a reference names. A command is run for it, each time, outside of the
// sandbox and with the environment of the program itself; ending ctx ends the command.
func (v *Vault) Value(ctx context.Context, r tool.Reference) (string, error) {
	if err := v.withheld(); err != nil {
		return "", err
	}
	value, err := v.value(ctx, r)
	if err == nil {
		v.Gave(value)
	}
	return value, err
}

// Gave has a value looked for, and hidden, as those that Value returns are: a token that was fetched with one.
func (v *Vault) Gave(value string) {
	if v.Issued != nil {
		v.Issued.add(value)
	}
	v.Hidden.Add(value)
}

func (v *Vault) value(ctx context.Context, r tool.Reference) (string, error) {
	switch {
	case r.Secret != "":
		return v.stored(ctx, r.Secret)
	case r.Env != "":
		return v.variable(r.Env)
	case r.File != "":
		return v.file(r.File)
	case len(r.Command) > 0:
		return v.printed(ctx, r.Command)
	}
	return "", errors.New("the reference names nothing")
}

func (v *Vault) stored(ctx context.Context, name string) (string, error) {
	if v.Store == nil {
		return "", errors.New("there is no state directory, and so there are no secrets")
	}
	e, ok, err := v.Store.Lookup(name)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", fmt.Errorf("there is no secret %s; a2a-acp secrets set %s makes it", name, name)
	case e.Command != nil:
		return v.printed(ctx, e.Command)
	}
	return e.Value, nil
}

func (v *Vault) variable(name string) (string, error) {
	if IsOwnVariable(name) {
		return "", fmt.Errorf("the variable %s belongs to this program", name)
	}
	value := v.Environ(name)
	if value == "" {
		return "", fmt.Errorf("the variable %s is not set where a2a-acp was started", name)
	}
	return value, nil
}

// IsOwnVariable reports whether a variable is one of this program's own, which hold tokens that no tool is
// for.
func IsOwnVariable(name string) bool {
	folded := strings.ToLower(strings.TrimLeft(name, "_"))
	return strings.HasPrefix(folded, "a2a_") || folded == "a2a"
}

func (v *Vault) file(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("the path %s is not absolute", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("the file %s: %w", path, cause(err))
	}
	for _, own := range v.Own {
		if resolved, err := filepath.EvalSymlinks(own); err == nil {
			own = resolved
		}
		if real == own || strings.HasPrefix(real, own+"/") {
			return "", fmt.Errorf("the file %s belongs to this program", path)
		}
	}
	// Not to wait for somebody who writes into a FIFO; no link that was put there meanwhile.
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return "", fmt.Errorf("the file %s: %w", path, cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, LongestValue+2))
	if err != nil {
		return "", fmt.Errorf("the file %s: %w", path, cause(err))
	}
	return trimmed(data, "the file "+path)
}

// printed runs a command and takes what it prints. What it says on its standard error is not passed on: it
// may hold what it was asked for.
func (v *Vault) printed(ctx context.Context, argv []string) (string, error) {
	program, err := lookPath(argv[0])
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	out := &bounded{left: LongestValue + 2}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout = environ(), "/", out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for what has left the group and holds the pipe
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not print the value in time, and was ended", argv[0])
	case err != nil && cmd.ProcessState != nil:
		return "", fmt.Errorf("%s did not print the value: it ended with code %d; run it yourself to see why",
			argv[0], cmd.ProcessState.ExitCode())
	case err != nil:
		return "", fmt.Errorf("%s could not be run: %w", argv[0], cause(err))
	}
	return trimmed(out.kept.Bytes(), "what "+argv[0]+" printed")
}

// environ is our environment without our own variables.
func environ() []string {
	var list []string
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !IsOwnVariable(name) {
			list = append(list, variable)
		}
	}
	return list
}

func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(path) {
		return "", fmt.Errorf("the command %s is not found in PATH; write its whole path", name)
	}
	return path, nil
}

// trimmed returns the value without the line end that editors and commands put behind it.
func trimmed(data []byte, what string) (string, error) {
	data = bytes.TrimSuffix(bytes.TrimSuffix(data, []byte("\n")), []byte("\r"))
	switch {
	case len(data) == 0:
		return "", fmt.Errorf("%s is empty", what)
	case len(data) > LongestValue:
		return "", fmt.Errorf("%s is longer than %d bytes", what, LongestValue)
	case bytes.IndexByte(data, 0) >= 0:
		return "", fmt.Errorf("%s holds a NUL, which no variable can", what)
	}
	return string(data), nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	kept bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.kept.Write(p[:n])
	b.left -= n
	return len(p), nil
}

// cause takes the operation and the path off an error: ours name the path already.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
