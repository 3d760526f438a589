package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// vault is what the house keeps, by name.
type vault map[string]string

// keeper is the house as a Vault. It writes down when a value is taken.
type keeper struct{ h *house }

func (k keeper) Missing(r tool.Reference) error {
	if _, ok := k.h.vault[r.Secret]; !ok {
		return fmt.Errorf("there is no secret %s", r.Secret)
	}
	return nil
}

func (k keeper) Value(_ context.Context, r tool.Reference) (string, error) {
	k.h.step("fill " + r.Secret)
	return k.h.vault[r.Secret], k.Missing(r)
}

func (k keeper) Gave(string) {}

const apiKey = "correct-horse/battery+staple"

// referring makes a tool that gets API_KEY from the vault.
func referring(text string) *tool.Tool {
	t := script(text)
	t.Sandbox.References = map[string]tool.Reference{"API_KEY": {Secret: "key"}}
	return t
}

// TestFilledLast guards the order: nothing is taken out of the vault before the decision is on disk.
func TestFilledLast(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.vault = vault{"key": apiKey}
	h.has(referring(`[[ $API_KEY == correct-horse/battery+staple ]] && echo given`))
	if result := h.execute(t.Context(), `{}`); result.Stdout != "given\n" {
		t.Fatalf("got %+v", result)
	}
	order := strings.Join(h.steps, "; ")
	decided, filled, run := strings.Index(order, "record tool.decided"), strings.Index(order, "fill key"), strings.Index(order, "run")
	if decided < 0 || filled < decided || run < filled || strings.Count(order, "fill") != 1 {
		t.Errorf("in this order: %s", order)
	}
}

// TestNothingIsFilledForNothing guards that a call which is not approved takes nothing out of the vault.
func TestNothingIsFilledForNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Reject))
	h.vault = vault{"key": apiKey}
	h.has(referring(`echo $API_KEY`))
	h.execute(t.Context(), `{}`)
	if preview, failure := h.executor.Preview(h.call(`{}`)); failure != nil || strings.Contains(fmt.Sprintf("%+v", preview), apiKey) {
		t.Errorf("preview: %+v, %v", preview, failure)
	}
	if h.count("fill") > 0 || h.count("run") > 0 {
		t.Errorf("steps: %v", h.steps)
	}
}

// TestMissingValue guards that nobody is asked about a call that could not run.
func TestMissingValue(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Ask))
	h.has(referring(`echo $API_KEY`))
	result := h.execute(t.Context(), `{}`)
	if result.Error == nil || result.Error.Code != tool.FailNotFound || !strings.Contains(result.Error.Message, "API_KEY") {
		t.Errorf("got %+v", result.Error)
	}
	if h.count("ask") > 0 || h.count("run") > 0 || len(h.of(events.ToolEnded)) != 1 {
		t.Errorf("steps: %v", h.steps)
	}
	without, err := New(Options{InForce: h.inForce, Gate: h.gate(), Host: h.host(), Record: ledger{h}, Bash: h.bash})
	if err != nil {
		t.Fatal(err)
	}
	if result := without.Execute(t.Context(), h.call(`{}`), person{h}); result.Error == nil || result.Error.Code != tool.FailNotFound {
		t.Errorf("without a vault: %+v", result.Error)
	}
}

// TestValueIsNowhere lets a tool print what it was given in every way, fail, and be asked about, and looks
// for it everywhere.
func TestValueIsNowhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text string }{
		{"on both streams", `echo "<$API_KEY>"; echo "<$API_KEY>" >&2`},
		{"in pieces", `printf %s "${API_KEY:0:7}"; printf '%s\n' "${API_KEY:7}"`},
		{"encoded", `printf 'user:%s' "$API_KEY" | base64; declare -p API_KEY; env; set -x; : $API_KEY`},
		{"before it fails", `echo "cannot use $API_KEY" >&2; exit 3`},
		{"before it is ended", `echo "$API_KEY"; kill -9 $$`},
		{"by way of a file", `echo "$API_KEY" >f; cat f; exit 4`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.vault = vault{"key": apiKey}
			work := referring(test.text)
			work.ErrorMapping = map[int]tool.MappedError{3: {Code: -32002, Message: "Resource not found", Detail: "for {{word}}"}}
			work.Retry = tool.Retry{Attempts: 2, Delay: time.Millisecond, MaxDelay: time.Millisecond, Backoff: tool.BackoffConstant}
			h.has(work)
			var asked approval.Question
			h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
				asked = q
				return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}, nil
			}
			result := h.execute(t.Context(), `{}`)
			shown, err := json.Marshal([]any{result, asked})
			if err != nil {
				t.Fatal(err)
			}
			for _, all := range []string{string(shown), h.recorded()} {
				for _, form := range []string{apiKey, "battery+st", "dXNlcjpjb3JyZWN0LWhvcnNl", "Y29ycmVjdC1ob3JzZS"} {
					if strings.Contains(all, form) {
						t.Errorf("%q stands in %s", form, all)
					}
				}
			}
			if !strings.Contains(asked.Text, "API_KEY = {secret: key}") {
				t.Errorf("the person is not told what the call is given: %s", asked.Text)
			}
			if !strings.Contains(string(shown), secret.Mark) {
				t.Errorf("nothing is marked in %s", shown)
			}
		})
	}
}

// TestCutWithinValue is about a call that is ended within a value, by its own limit on output.
func TestCutWithinValue(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.vault = vault{"key": apiKey}
	work := referring(`printf '%s' "$API_KEY$API_KEY"; sleep 60`)
	work.Sandbox.Limits.Output = int64(len(apiKey) + 12)
	h.has(work)
	if result := h.execute(t.Context(), `{}`); !result.Truncated || result.Stdout != secret.Mark+secret.Mark {
		t.Errorf("got %q, %+v", result.Stdout, result.Error)
	}
}

// TestGrantCoversValues guards that a run which was granted with one value cannot be made with another, and
// that what is recorded does not depend on the value.
func TestGrantCoversValues(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	h.vault = vault{"key": apiKey}
	entry := referring(`true`)
	h.has(entry)
	filled := func() *act {
		a, failure := h.executor.prepare(h.call(`{}`))
		if failure != nil {
			t.Fatal(failure)
		}
		if failure := h.executor.fill(t.Context(), a); failure != nil {
			t.Fatal(failure)
		}
		return a
	}
	one := filled()
	decision := h.authority.Decide(one.request)
	grant, err := permissions.Issue(decision, one.invocation.Digest(), one.plan.Digest(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := grant.Covers(filled().invocation.Digest(), filled().plan.Digest(), decision.Policy, decision.Governors, time.Now()); err != nil {
		t.Errorf("the same value: %v", err)
	}
	h.vault["key"] = "another-value"
	other := filled()
	if err := grant.Covers(other.invocation.Digest(), one.plan.Digest(), decision.Policy, decision.Governors, time.Now()); !errors.Is(err, permissions.ErrPermitMismatch) {
		t.Errorf("another value: %v", err)
	}
	if one.digest != other.digest || len(one.digest) != 64 || one.digest == one.invocation.Digest().String() {
		t.Errorf("recorded %s and %s", one.digest, other.digest)
	}
	if strings.Contains(fmt.Sprintf("%+v", *one.invocation), apiKey) {
		t.Error("the invocation holds the value")
	}
}

// TestNeighbourCannotRead lets one call look for the value that another call was given, which is running
// beside it: in every process that it can see, and where the kernel shows what is mounted and open. With
// -short on the highest level and the lowest.
func TestNeighbourCannotRead(t *testing.T) {
	t.Parallel()
	for _, level := range []sandbox.Level{sandbox.LevelFull, sandbox.LevelNoProc, sandbox.LevelLandlock} {
		if testing.Short() && level == sandbox.LevelNoProc {
			continue
		}
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			neighbourCannotRead(t, level)
		})
	}
}

func neighbourCannotRead(t *testing.T, level sandbox.Level) {
	h := newHouse(t, rule(permissions.Approve))
	host, err := sandbox.Open(sandbox.Options{TempDir: t.TempDir(), Level: level})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}()
	if host.Level() != level {
		t.Skipf("this machine has level %s, want %s: %s", host.Level(), level, host.Why())
	}
	h.runsIn(workshop{h, host})
	h.vault = vault{"key": apiKey}
	running, over := filepath.Join(h.dir, "running"), filepath.Join(h.dir, "over")
	holder := referring(`touch running; until [[ -e over ]]; do sleep 0.02; done; echo "$API_KEY" | wc -c`)
	holder.ID = "holder"
	thief := script(`for p in /proc/[0-9]*; do tr '\0' '\n' <$p/environ 2>/dev/null; cat $p/cmdline $p/mountinfo 2>/dev/null; ls -l $p/fd $p/cwd 2>/dev/null; done; env; true`)
	thief.Sandbox.Limits.Processes = 0
	h.has(holder, thief)
	done := make(chan tool.Result)
	go func() { // ends with the call
		call := h.call(`{}`)
		call.Tool = "holder"
		done <- h.executor.Execute(t.Context(), call, person{h})
	}()
	for h.count("run") == 0 || !exists(running) {
		select {
		case result := <-done:
			t.Fatalf("the holder has ended: %+v", result)
		case <-time.After(5 * time.Millisecond):
		}
	}
	stolen := h.execute(t.Context(), `{}`)
	if err := os.WriteFile(over, nil, 0o600); err != nil {
		t.Error(err)
	}
	held := <-done
	if held.Stdout != fmt.Sprintln(len(apiKey)+1) {
		t.Errorf("the holder was not given its value: %+v", held)
	}
	// The thief was given nothing, so nothing is taken out of what it prints.
	if strings.Contains(stolen.Stdout+stolen.Stderr, "correct-horse") || !strings.Contains(stolen.Stdout, "PATH=") {
		t.Errorf("the thief has %q, %q", stolen.Stdout, stolen.Stderr)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestClean is about what else a run says: hints, what is left over, and the reason why there was none.
func TestClean(t *testing.T) {
	t.Parallel()
	a := &act{redactor: secret.New(apiKey)}
	o := a.clean(outcomeOf(sandbox.Outcome{Stdout: []byte(apiKey), Hints: []string{"no " + apiKey}, Leftover: apiKey}))
	if strings.Contains(fmt.Sprintf("%s %+v", o.Stdout, o), apiKey) {
		t.Errorf("got %+v", o)
	}
}
