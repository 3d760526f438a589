//go:build agents

package agents

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// hookProcesses returns the processes of the rig's that wait as an agent's hook: the program's own, or the
// shells that an agent has started it with.
func (r *rig) hookProcesses(shells bool) (pids []int) {
	r.t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		words, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")) // it may have ended meanwhile
		environ, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		own := bytes.Contains(words, []byte("\x00hook\x00"+r.agent.product()+"\x00"))
		name, _, _ := strings.Cut(string(words), "\x00")
		shell := strings.HasSuffix(name, "sh") && bytes.Contains(words, []byte(" hook "+r.agent.product()+" "))
		if bytes.Contains(environ, []byte("HOME="+r.home+"\x00")) && (shells && shell || !shells && own) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killHooks ends all that waits as a hook, in the middle of a question.
func (r *rig) killHooks(shells bool, answer editor.Decision) editor.Person {
	return editor.Person{Decide: func(editor.Permission) editor.Decision {
		pids := r.hookProcesses(shells)
		if len(pids) == 0 {
			r.t.Error("no hook waits")
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				r.t.Error(err)
			}
		}
		time.Sleep(300 * time.Millisecond) // nobody is that quick
		return answer
	}}
}

// removeSockets removes what hooks connect to.
func (r *rig) removeSockets() {
	r.t.Helper()
	temp, removed := "", 0
	for _, variable := range r.program.Environment {
		if value, is := strings.CutPrefix(variable, "TMPDIR="); is {
			temp = value
		}
	}
	if err := filepath.WalkDir(temp, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type() == fs.ModeSocket {
			removed++
			return os.Remove(path)
		}
		return err
	}); err != nil || removed == 0 {
		r.t.Fatalf("%d sockets were removed: %v", removed, err)
	}
}

// TestHooksThatFail has hooks wait, two at once, be killed and be missing: what nobody has answered does not
// happen.
func TestHooksThatFail(t *testing.T) {
	t.Parallel()
	for _, a := range []agent{claude(1), codex(), opencode()} {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			own := a.name != "opencode" // whose plugin needs no process
			r := assemble(t, a, options{bridge: &bridge{policies: noRules, hooks: true}})
			program := filepath.Join(t.TempDir(), "a2a-acp")
			text, err := os.ReadFile(r.program.Arguments[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, text, 0o700); err != nil {
				t.Fatal(err)
			}
			r.program.Arguments[0] = program
			r.open(options{bridge: &bridge{hooks: true}})
			touch := func(name string) []model.Step { return call(model.Call{Act: model.Shell, Command: "touch " + name}) }
			wantNot := func(t *testing.T, name string) {
				t.Helper()
				if r.has(name) {
					t.Errorf("it happened; the model was told %q", r.model.Told())
				}
			}

			r.within("slow", func(t *testing.T) {
				r.prompt(after(3*time.Second, editor.AllowOnce), touch("slow")...)
				if !r.has("slow") {
					t.Errorf("it did not happen; the model was told %q", r.model.Told())
				}
			})
			r.within("two at once", func(t *testing.T) {
				turn := r.prompt(editor.Person{Decide: func(p editor.Permission) editor.Decision {
					if strings.Contains(p.Title, "first") {
						return editor.RejectOnce
					}
					return editor.AllowOnce
				}}, model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch first"},
					{Act: model.Shell, Command: "touch second"}}}, model.Step{Say: "All done, really."})
				if len(turn.Permissions) != 2 || !r.has("second") {
					t.Errorf("asked %+v; the model was told %q", turn.Permissions, r.model.Told())
				}
				wantNot(t, "first")
			})
			if own {
				r.within("killed", func(t *testing.T) {
					r.prompt(r.killHooks(false, editor.AllowOnce), touch("killed")...)
					wantNot(t, "killed")
				})
				r.within("missing", func(t *testing.T) {
					if err := os.Rename(program, program+"-away"); err != nil {
						t.Fatal(err)
					}
					turn := r.prompt(after(0, editor.AllowOnce), touch("missing")...)
					wantNot(t, "missing")
					if len(turn.Permissions) > 0 {
						t.Errorf("asked %+v", turn.Permissions)
					}
					if err := os.Rename(program+"-away", program); err != nil {
						t.Fatal(err)
					}
				})
			}
			if a.name == "codex" { // only what exits with 2 blocks its tool, and a shell that is killed does not
				r.within("its shell killed", func(t *testing.T) {
					turn := r.prompt(r.killHooks(true, editor.RejectOnce), touch("shell")...)
					r.wantStop(turn, "cancelled")
					if violated := r.recorded(events.ToolViolated); len(violated) != 1 || violated[0].Act.Title != "touch shell" {
						t.Errorf("violations: %+v", violated)
					}
				})
			}
			r.within("nobody listens", func(t *testing.T) {
				r.removeSockets()
				r.prompt(after(0, editor.AllowOnce), touch("alone")...)
				wantNot(t, "alone")
			})
			r.stop()
		})
	}
}
