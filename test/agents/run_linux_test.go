//go:build agents

package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// terminalAgent is an agent's own terminal program.
type terminalAgent struct {
	agent
	program string // under node_modules
	prints  []string
}

// terminalAgents are those that a2a-acp run has ask through their hooks.
func terminalAgents() []terminalAgent {
	return []terminalAgent{
		{claude(1), "@anthropic-ai/claude-agent-sdk-linux-x64/claude", []string{"-p"}},
		{codex(), "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
			[]string{"exec", "--skip-git-repo-check", "-s", "danger-full-access"}}, // its own sandbox cannot be made everywhere
		{opencode(), "opencode-linux-x64/bin/opencode", []string{"run"}},
	}
}

// inTerminal makes everything ready to start an agent's own terminal program.
func inTerminal(t *testing.T, a terminalAgent, policies string, flags ...string) *terminalRig {
	t.Helper()
	if _, err := built(); err != nil {
		t.Fatal(err)
	}
	r := &terminalRig{rig: assemble(t, a.agent, options{}), agent: a}
	rules, bin := filepath.Join(filepath.Dir(r.work), "policies.yaml"), filepath.Join(filepath.Dir(r.work), "bin")
	write(t, rules, policies)
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(installed(t, a.program), filepath.Join(bin, a.name)); err != nil {
		t.Fatal(err)
	}
	r.environ = append(slices.Clone(r.program.Environment), "A2A_STATE_DIR="+r.state, "PATH="+bin+":"+os.Getenv("PATH"),
		"IS_SANDBOX=1")
	r.words = slices.Concat([]string{bridgeCommand(t)[0], "run"}, flags, []string{"--policies", rules, a.name})
	t.Cleanup(func() { endStrays(t, r.home) })
	return r
}

type terminalRig struct {
	*rig
	agent   terminalAgent
	words   []string
	environ []string
}

// command returns the command that has the agent answer one prompt, which stands on its standard input where
// the program reads it there: opencode puts quotes around its words.
func (r *terminalRig) command(steps ...model.Step) *exec.Cmd {
	prompt, words := model.Prompt(steps...), slices.Concat(r.words, r.agent.prints)
	var stdin *strings.Reader
	if r.agent.name == "opencode" {
		stdin = strings.NewReader(prompt)
		words = append(words, "go")
	} else {
		words, stdin = append(words, prompt), strings.NewReader("")
	}
	cmd := exec.CommandContext(r.t.Context(), words[0], words[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = r.environ, r.work, stdin
	return cmd
}

// play has the agent answer one prompt, and returns what was printed.
func (r *terminalRig) play(steps ...model.Step) string {
	r.t.Helper()
	out, err := r.command(steps...).CombinedOutput()
	if err != nil {
		r.t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

// terminal makes a terminal, and returns both of its ends.
func terminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close() })
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(ours.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 160}); err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	return ours, theirs
}

// answer has a person answer the question that stands, at a terminal of their own, after a time.
func (r *terminalRig) answer(delay time.Duration, words ...string) {
	r.t.Helper()
	program := bridgeCommand(r.t)[0]
	started := time.Now()
	var list []struct{ ID string }
	for len(list) == 0 {
		if time.Since(started) > patience {
			r.t.Error("nobody asks")
			return
		}
		cmd := exec.Command(program, "approvals", "list", "--json")
		cmd.Env = r.environ
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, &list)
		}
		if err != nil {
			r.t.Errorf("%v: %s", err, out)
			return
		}
	}
	time.Sleep(delay)
	_, theirs := terminal(r.t)
	cmd := exec.Command(program, append([]string{"approvals", words[0], list[0].ID}, words[1:]...)...)
	cmd.Env, cmd.Stdin = r.environ, theirs
	asBridge.Lock()
	defer asBridge.Unlock()
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Errorf("%v: %s", err, out)
	}
}

const runRules = `version: 2
auto_approval_policies:
  - id: no-ls
    applies_to: [functions.shell]
    commands: {allow: [ls], redirects: none}
    decision: {type: reject, reason: "no looking around"}
  - id: touch
    applies_to: [functions.shell]
    commands: {allow: [touch made], redirects: none}
    decision: {type: approve}
`

func shell(command string) model.Step {
	return model.Step{Calls: []model.Call{{Act: model.Shell, Command: command}}}
}

// TestRun has the agents' own programs answer a prompt each: every act is decided, and its reason told.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, a := range terminalAgents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := inTerminal(t, a, runRules)
			r.within("by rule", func(t *testing.T) {
				out := r.play(shell("touch made"), shell("ls"), model.Step{Say: "All done, really."})
				if !strings.Contains(out, "All done, really.") || !strings.Contains(out, "ran 1, read 0, stopped 1") || !r.has("made") {
					t.Errorf("it printed:\n%s", out)
				}
				if !r.toldAnything("no looking around") {
					t.Errorf("the model was told %q", r.model.Told())
				}
				r.wantDecision(decision{"execute", "approve", "policy", "touch"})
				r.wantDecision(decision{"execute", "reject", "policy", "no-ls"})
			})
			for i, delay := range []time.Duration{300 * time.Millisecond, 3 * time.Second} {
				r.within(fmt.Sprintf("by a person after %s", delay), func(t *testing.T) {
					yes, no := fmt.Sprintf("yes%d", i), fmt.Sprintf("no%d", i)
					cmd := r.command(shell("touch "+yes), shell("touch "+no), model.Step{Say: "All done."})
					var out bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &out
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					r.answer(delay, "approve", "--yes")
					r.answer(delay, "deny", "--reason", "not on a Friday")
					if err := cmd.Wait(); err != nil || !r.has(yes) || r.has(no) || !r.toldAnything("not on a Friday") {
						t.Errorf("%v, %v; the model was told %q; it printed:\n%s", err, r.files(), r.model.Told(), out.String())
					}
					if !strings.Contains(out.String(), "a2a-acp approvals approve ") {
						t.Errorf("nobody was told where to answer:\n%s", out.String())
					}
				})
			}
			if seen := r.recorded(events.ToolSeen); len(seen) > 0 {
				t.Errorf("only seen: %+v", seen)
			}
		})
	}
}

// TestRunKilled kills the guard while a question stands: nothing may happen after that.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	for _, a := range often(terminalAgents()) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := inTerminal(t, a, runRules)
			cmd := r.command(shell("touch asked"), shell("touch made"), model.Step{Say: "All done."})
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for started := time.Now(); ; {
				if asked, _ := filepath.Glob(filepath.Join(r.state, "state.db")); len(asked) > 0 && len(r.recorded(events.ApprovalAsked)) > 0 {
					break
				}
				if time.Since(started) > patience {
					t.Fatal("nobody asks")
				}
				time.Sleep(10 * time.Millisecond)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(out); err != nil { // until nobody of the agent's is left to write
				t.Error(err)
			}
			_ = cmd.Wait()
			if r.has("asked") || r.has("made") {
				t.Errorf("it happened: %v", r.files())
			}
		})
	}
}

// TestRunSandbox has a rule approve a command in the sandbox: the agent is not confined, and the command is.
func TestRunSandbox(t *testing.T) {
	t.Parallel()
	for _, a := range often(terminalAgents()) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := inTerminal(t, a, `version: 2
auto_approval_policies:
  - id: probe
    applies_to: [functions.shell]
    commands: {allow: [make probe], redirects: none}
    decision: {type: approve, sandbox: terminal}
`)
			outside := filepath.Join(filepath.Dir(r.work), "outside")
			write(t, r.path("Makefile"), "probe:\n\ttouch inside\n\ttouch '"+outside+"'\n")
			out := r.play(shell("make probe"), model.Step{Say: "All done."})
			if _, err := os.Stat(outside); err == nil || !r.has("inside") {
				t.Errorf("%v; outside: %v; the model was told %q; it printed:\n%s", r.files(), err, r.model.Told(), out)
			}
			r.wantDecision(decision{"execute", "approve", "policy", "probe"})
			if violated := r.recorded(events.ToolViolated); len(violated) > 0 {
				t.Errorf("violations: %+v", violated)
			}
			for _, event := range r.recorded(events.ToolDecided) {
				if event.Decision.Sandbox != "terminal" {
					t.Errorf("on record: %+v", event.Decision)
				}
			}
		})
	}
}

// TestRunAltered has a hook of the repository's put another command in the place of what was approved, behind
// ours: what was not approved does not happen.
func TestRunAltered(t *testing.T) {
	t.Parallel()
	r := inTerminal(t, terminalAgents()[0], runRules)
	write(t, r.path("other.sh"), `#!/bin/sh
sleep 1
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"touch altered"}}}'
`)
	write(t, r.path(".claude/settings.json"),
		`{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"sh other.sh"}]}]}}`)
	r.trusts(".claude/settings.json")
	out := r.play(shell("touch made"), model.Step{Say: "All done."})
	if r.has("altered") || r.has("made") || !r.toldAnything("another hook has put it in the place") {
		t.Errorf("%v; the model was told %q; it printed:\n%s", r.files(), r.model.Told(), out)
	}
}

// TestRunInteractive types a prompt into Claude's own terminal.
func TestRunInteractive(t *testing.T) {
	t.Parallel()
	r := inTerminal(t, terminalAgents()[0], runRules)
	settings, err := json.Marshal(map[string]any{"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{"none"}},
		"projects":              map[string]any{r.work: map[string]any{"hasTrustDialogAccepted": true}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(r.home, ".claude/.claude.json"), string(settings))
	ours, theirs := terminal(t)
	cmd := exec.Command(r.words[0], r.words[1:]...)
	cmd.Env, cmd.Dir = append(slices.Clone(r.environ), "TERM=xterm-256color"), r.work
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	screen := &screen{t: t, from: ours}
	go screen.read() // ends with the terminal
	screen.wait("❯")
	screen.keys(model.Prompt(shell("touch made"), shell("ls"), shell("touch yes"), model.Step{Say: "All done, really."}))
	screen.enter(func() bool { return len(r.model.Told()) > 0 })
	screen.wait("approvals watch") // it shows what it waits for
	r.answer(300*time.Millisecond, "approve", "--yes")
	for started := time.Now(); len(r.model.Told()) < 3; time.Sleep(20 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatalf("the model was told %q", r.model.Told())
		}
	}
	if !r.has("made") || !r.has("yes") || !r.toldAnything("no looking around") {
		t.Errorf("%v; the model was told %q", r.files(), r.model.Told())
	}
	screen.keys("/exit")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // the agent ends, or the test has it killed
	screen.enter(func() bool { return len(ended) > 0 })
	if err := <-ended; err != nil {
		t.Error(err)
	}
	screen.wait("ran 2, read 0, stopped 1")
}

// screen is what a program draws on a terminal.
type screen struct {
	t    *testing.T
	from *os.File

	mu    sync.Mutex
	drawn []byte
}

func (s *screen) read() {
	buffer := make([]byte, 1<<14)
	for {
		n, err := s.from.Read(buffer)
		s.mu.Lock()
		s.drawn = append(s.drawn, buffer[:n]...)
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *screen) keys(text string) {
	s.t.Helper()
	if _, err := s.from.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// enter presses the key until it is heard: right behind other keys it is taken for a part of what is pasted.
func (s *screen) enter(heard func() bool) {
	s.t.Helper()
	for started := time.Now(); !heard(); time.Sleep(300 * time.Millisecond) {
		if time.Since(started) > patience {
			s.t.Fatal("the program does not hear what is typed")
		}
		_, _ = s.from.WriteString("\r") // it may have ended meanwhile
	}
}

// control matches what a terminal is told beside letters. A program may move over blanks.
var control = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07]*\x07|[\s\x00-\x1f]`)

// wait waits for a text, whatever blanks there are.
func (s *screen) wait(text string) {
	s.t.Helper()
	text = strings.ReplaceAll(text, " ", "")
	for started := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		shown := control.ReplaceAllString(string(s.drawn), "")
		s.mu.Unlock()
		switch {
		case strings.Contains(shown, text):
			return
		case time.Since(started) > patience:
			s.t.Fatalf("no %q on the screen:\n%s", text, shown[max(0, len(shown)-2000):])
		}
	}
}
