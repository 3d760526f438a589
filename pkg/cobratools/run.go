package cobratools

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/argv"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// grace is how long the processes of a call have after SIGTERM.
const grace = 2 * time.Second

// unguarded is what each result says of a call that nobody guards.
const unguarded = "(no sandbox: a2a-acp is not installed, so this ran with all rights of the person who started it)"

// run makes a call of a command by starting the program, with the environment and in the directory of this process.
// It returns when every process of the call has been ended that did not leave its group.
func run(ctx context.Context, t *tool.Tool, given json.RawMessage) tool.Result {
	result := tool.Result{ToolID: t.ID, Status: tool.StatusFailed, ExitCode: -1}
	arguments, failure := t.CheckArguments(given)
	if failure == nil {
		var words []string
		if words, failure = argv.Words(t, arguments); failure == nil {
			return start(ctx, t, words, result)
		}
	}
	result.Error = failure
	return result
}

func start(ctx context.Context, t *tool.Tool, words []string, result tool.Result) tool.Result {
	ctx, cancel := context.WithTimeoutCause(ctx, t.Sandbox.Limits.Timeout, errTimeout)
	defer cancel()
	stdout, stderr := capped{most: t.Sandbox.Limits.Output}, capped{most: t.Sandbox.Limits.Output}
	cmd := exec.CommandContext(ctx, t.Exec.Command, words...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err := cmd.Start()
	if err == nil {
		err = cmd.Wait()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error says that nobody is left
	}
	result.Stdout, result.Stderr = string(stdout.kept), string(stderr.kept)
	result.OutputLength = stdout.length + stderr.length
	result.Truncated = result.OutputLength > int64(len(result.Stdout)+len(result.Stderr))
	if state := cmd.ProcessState; state != nil {
		result.ExitCode = state.ExitCode()
		if ended, ok := state.Sys().(syscall.WaitStatus); ok && ended.Signaled() {
			result.Signal, result.ExitCode = ended.Signal().String(), 128+int(ended.Signal())
		}
	}
	var exited *exec.ExitError
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		result.Error = tool.Failf(tool.FailTimeout, "it took longer than %s", t.Sandbox.Limits.Timeout)
	case err == nil:
		result.Status = tool.StatusCompleted
	case !errors.As(err, &exited):
		result.Error = tool.Failf(tool.FailInternal, "%v", err)
	}
	return result
}

var errTimeout = errors.New("the call took too long")

// capped keeps the beginning of what is written to it.
type capped struct {
	kept         []byte
	most, length int64
}

// Write implements io.Writer. It never fails.
func (c *capped) Write(p []byte) (int, error) {
	c.length += int64(len(p))
	c.kept = append(c.kept, p[:min(int64(len(p)), c.most-int64(len(c.kept)))]...)
	return len(p), nil
}
