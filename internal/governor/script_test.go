package governor

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestScripts runs real programs that answer well, badly and not at all. Whatever is not surely an approval
// approves nothing.
func TestScripts(t *testing.T) {
	t.Parallel()
	const approve = `echo '{"status":"approve"}'`
	for _, test := range []struct {
		name, text string
		verdict    permissions.Verdict
		silent     bool
		status     string
		says       string // in the reason, or in the recorded error
		change     func(*Spec)
	}{
		{name: "approves", text: approve, verdict: permissions.Approve, status: "approve"},
		{name: "rejects", text: `echo '{"status":"reject","messages":["no","really"]}'`, verdict: permissions.Reject, status: "reject", says: "no; really"},
		{name: "wants attention", text: `echo '{"status":"needs_attention","messages":"look"}'`, verdict: permissions.Ask, status: "needs_attention", says: "look"},
		{name: "abstains", text: `echo '{"status":"abstain"}'`, silent: true, status: "abstain"},
		{name: "says that it failed", text: `echo '{"status":"error","messages":["no disk"]}'`, verdict: permissions.Ask, status: "error", says: "no disk"},
		{name: "a hook that denies", text: `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not here"}}'`, verdict: permissions.Reject, status: "reject", says: "not here"},
		{name: "a hook that allows", text: `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`, verdict: permissions.Approve, status: "approve"},
		{name: "a hook that asks", text: `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`, verdict: permissions.Ask, status: "needs_attention"},
		{name: "a hook that blocks by its exit code", text: approve + `; echo "never on Friday" >&2; exit 2`, verdict: permissions.Reject, status: "reject", says: "never on Friday"},
		{name: "both at once, and they differ", text: `echo '{"status":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}'`, verdict: permissions.Ask, status: "error", says: "says both"},
		{name: "an old hook that blocks", text: `echo '{"decision":"block","reason":"old"}'`, verdict: permissions.Reject, status: "reject", says: "old"},

		{name: "another exit code", text: approve + `; echo oops >&2; exit 1`, verdict: permissions.Ask, status: "error", says: "exit code 1: oops"},
		{name: "crashes", text: approve + `; bash -c 'kill -SEGV $$'; exit $?`, verdict: permissions.Ask, status: "error", says: "exit code 139"},
		{name: "dies half-way", text: `printf '{"status":"appr'; bash -c 'kill -KILL $$'; exit $?`, verdict: permissions.Ask, status: "error", says: "exit code 137"},
		{name: "half an answer", text: `printf '{"status":"approve"'`, verdict: permissions.Ask, status: "error", says: "cannot be read"},
		{name: "nothing", text: `:`, verdict: permissions.Ask, status: "error", says: "answered nothing"},
		{name: "garbage", text: `head -c 500 /dev/urandom`, verdict: permissions.Ask, status: "error"},
		{name: "words before the answer", text: `echo debug; ` + approve, verdict: permissions.Ask, status: "error", says: "no JSON"},
		{name: "words after the answer", text: approve + `; echo done`, verdict: permissions.Ask, status: "error"},
		{name: "answers twice", text: approve + `; echo '{"status":"reject"}'`, verdict: permissions.Ask, status: "error", says: "more than one"},
		{name: "the same key twice", text: `echo '{"status":"reject","status":"approve"}'`, verdict: permissions.Ask, status: "error", says: "stands twice"},
		{name: "the same key in another case", text: `echo '{"status":"reject","Status":"approve"}'`, verdict: permissions.Ask, status: "error", says: "stands twice"},
		{name: "a list", text: `echo '[{"status":"approve"}]'`, verdict: permissions.Ask, status: "error", says: "no JSON object"},
		{name: "an unknown status", text: `echo '{"status":"approved"}'`, verdict: permissions.Ask, status: "error", says: "approved"},
		{name: "another letter case", text: `echo '{"status":"Approve"}'`, verdict: permissions.Ask, status: "error"},
		{name: "no status", text: `echo '{"ok":true}'`, verdict: permissions.Ask, status: "error", says: "no status"},
		{name: "a status of another type", text: `echo '{"status":true}'`, verdict: permissions.Ask, status: "error"},
		{name: "deep", text: `printf '{"status":"approve","metadata":'; for i in {1..300}; do printf '['; done`, verdict: permissions.Ask, status: "error"},
		{name: "floods its output", text: `yes '{"status":"approve"}'`, verdict: permissions.Ask, status: "error", says: "limit on output"},
		{name: "floods its standard error", text: `yes no >&2`, verdict: permissions.Ask, status: "error", says: "limit on output"},
		{name: "hangs", text: approve + `; sleep 1000`, verdict: permissions.Ask, status: "timeout", says: "time was up", change: quick},
		{name: "hangs and will not end", text: `trap '' TERM INT; ` + approve + `; while :; do sleep 1000; done`, verdict: permissions.Ask, status: "timeout", change: quick},
		{name: "does not read", text: `exec <&-; ` + approve, verdict: permissions.Approve, status: "approve"},
		{name: "leaves children that hold its output", text: `sleep 1000 & disown; setsid sleep 1000 & ` + approve, verdict: permissions.Approve, status: "approve"},
		{name: "forks without end", text: `f() { f | f & }; f; sleep 1000`, verdict: permissions.Ask, status: "timeout", change: quick},
		{name: "is not there", text: approve, verdict: permissions.Ask, status: "error", says: "cannot be found", change: func(s *Spec) { s.Script.Command[0] += "-gone" }},
		{name: "its file is not there", text: approve, verdict: permissions.Ask, status: "error", says: "gone.sh cannot be opened: no such file", change: runs("sh", "./gone.sh")},
		{name: "its file is not there, by its name alone", text: approve, verdict: permissions.Ask, status: "error", says: "gone.sh cannot be opened: no such file", change: runs("sh", "gone.sh", "x")},
		{name: "its file is not there, behind an option", text: approve, verdict: permissions.Ask, status: "error", says: "gone.sh cannot be opened: no such file", change: runs("sh", "-u", "/gone.sh")},
		{name: "its file is not there, for a program in front", text: approve, verdict: permissions.Ask, status: "error", says: "gone.sh cannot be opened: no such file", change: runs("env", "A=b", "sh", "../gone.sh")},
		{name: "its file is not there, which counts as a rejection where the file says so", text: approve, verdict: permissions.Reject, status: "error", says: "cannot be opened", change: func(s *Spec) { runs("sh", "./gone.sh")(s); s.OnError = FallbackReject }},
		{name: "a file that it does not run is not there", text: approve, verdict: permissions.Approve, status: "approve", change: func(s *Spec) { s.Script.Command = append(s.Script.Command, "./gone.json", "/v1/check") }},
		{name: "code that stands in its command", text: approve, verdict: permissions.Approve, status: "approve", change: runs("sh", "-c", approve, "gone.sh")},
		{name: "cannot start what it runs", text: approve + `; exit 127`, verdict: permissions.Ask, status: "error", says: "exit code 127"},
		{name: "may not start what it runs", text: approve + `; exit 126`, verdict: permissions.Ask, status: "error", says: "exit code 126"},
		{name: "may not be run", text: approve, verdict: permissions.Ask, status: "error", change: func(s *Spec) { _ = os.Chmod(s.Script.Command[0], 0o600) }},
		{name: "no command", text: approve, verdict: permissions.Ask, status: "error", change: func(s *Spec) { s.Script.Command = nil }},

		{name: "an error counts as a rejection where the file says so", text: `exit 1`, verdict: permissions.Reject, status: "error", change: func(s *Spec) { s.OnError = FallbackReject }},
		{name: "an error is passed over where the file says so", text: `exit 1`, silent: true, status: "error", change: func(s *Spec) { s.OnError = FallbackIgnore }},
		{name: "a time-out counts as a rejection where the file says so", text: `sleep 1000`, verdict: permissions.Reject, status: "timeout", change: func(s *Spec) { quick(s); s.OnTimeout = FallbackReject }},
		{name: "a fallback that nobody knows asks", text: `exit 1`, verdict: permissions.Ask, status: "error", change: func(s *Spec) { s.OnError = "approve" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			s := h.script("guard", test.text)
			if test.change != nil {
				test.change(&s)
			}
			h.has(s)
			ruling := h.governors.Review(t.Context(), h.review())
			answers := ruling.Governance.Answers
			if test.silent && len(answers) == 0 {
				if !ruling.Silent {
					t.Errorf("got %+v, want silence", ruling)
				}
				return
			}
			if len(answers) != 1 {
				t.Fatalf("got %d answers, want one: %+v", len(answers), ruling)
			}
			if ruling.Silent != test.silent || !test.silent && ruling.Verdict != test.verdict || answers[0].Status != test.status {
				t.Errorf("got %s, silent %t, %+v; want %s, silent %t, status %s", ruling.Verdict, ruling.Silent, answers[0], test.verdict, test.silent, test.status)
			}
			if !strings.Contains(ruling.Reason+answers[0].Error, test.says) {
				t.Errorf("got the reason %q and error %q, want %q in it", ruling.Reason, answers[0].Error, test.says)
			}
			if len(ruling.Governance.InputSHA256) != 64 || ruling.Governance.Phase != "permission" {
				t.Errorf("got %+v, want the hash of what was told", ruling.Governance)
			}
		})
	}
}

// runs has a governor be another command.
func runs(words ...string) func(*Spec) { return func(s *Spec) { s.Script.Command = words } }

// quick has a governor's time up soon. Nothing is measured: the program would take a quarter of an hour.
func quick(s *Spec) { s.Timeout = 150 * time.Millisecond }

// TestScriptIsConfined checks what a governor's program is given: the act, the workspace to read, its named
// secrets; and what it is not.
func TestScriptIsConfined(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.env["GUARD_TOKEN"], h.env["OTHER_TOKEN"] = "tok-1", "tok-2"
	if err := os.WriteFile(filepath.Join(h.workspace, "a.txt"), []byte("from the workspace"), 0o644); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(secret, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := h.script("guard", `
		in=$(cat); workspace=$(jq -r '.toolCall.workspace[0]' <<< "$in"); read=$(cat "$workspace/a.txt")
		echo x > "$workspace/a.txt"; echo x > "$workspace/new.txt"; wrote=$?
		exec 3<>/dev/tcp/127.0.0.1/1; net=$?
		jq -cn --arg read "$read" --argjson in "$in" --arg token "${TOKEN:0:3}" --arg file "${KEY:0:4}" --arg whole "$TOKEN$KEY" --arg literal "$MODE" --arg other "$OTHER_TOKEN$GUARD_TOKEN" --arg wrote $wrote \
			'{status: "approve", metadata: {read: $read, in: $in, token: $token, file: $file, literal: $literal, other: $other, wrote: $wrote, whole: $whole}, messages: [$whole]}'`)
	s.Script.Environment = map[string]string{"MODE": "strict"}
	s.Script.Secrets = map[string]tool.Reference{"TOKEN": {Env: "GUARD_TOKEN"}, "KEY": {File: secret}}
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed")
	}
	h.has(s)
	ruling := h.governors.Review(t.Context(), h.review())
	if ruling.Verdict != permissions.Approve || ruling.Silent {
		t.Fatalf("got %+v", ruling)
	}
	var told struct {
		Read, Token, File, Literal, Other, Wrote, Whole string
		In                                              struct {
			Phase, SessionID string
			ToolCall         struct {
				ToolID, Digest string
				Parameters     map[string]string
				Commands       []string
				Paths          []permissions.ReviewedPath
			}
		}
	}
	if err := json.Unmarshal([]byte(ruling.Governance.Answers[0].Metadata), &told); err != nil {
		t.Fatal(err)
	}
	if told.Read != "from the workspace" || told.Token != "tok" || told.File != "from" || told.Literal != "strict" || told.Other != "" || told.Wrote == "0" {
		t.Errorf("got %+v", told)
	}
	if told.Whole != "[secret][secret]" || ruling.Reason != "[secret][secret]" {
		t.Errorf("its values are shown: %q, %q", told.Whole, ruling.Reason)
	}
	call := told.In.ToolCall
	if told.In.Phase != "permission" || call.ToolID != "note" || call.Digest != "d1" || call.Parameters["text"] != "hello" || call.Parameters["token"] != "[secret]" ||
		len(call.Commands) != 1 || call.Commands[0] != "ls -l a.txt" || len(call.Paths) != 1 || !call.Paths[0].Inside || call.Paths[0].Resolved != filepath.Join(h.workspace, "a.txt") {
		t.Errorf("got the act %+v", told.In)
	}
	if data, err := os.ReadFile(filepath.Join(h.workspace, "a.txt")); err != nil || string(data) != "from the workspace" {
		t.Errorf("the governor changed the workspace: %q, %v", data, err)
	}
}

// TestScriptOfTheWorkspace checks that whoever writes the repository is not the governor.
func TestScriptOfTheWorkspace(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.script("guard", `echo '{"status":"approve"}'`)
	inside := filepath.Join(h.workspace, "guard")
	if err := os.Rename(s.Script.Command[0], inside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(inside, s.Script.Command[0]); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{inside}, {s.Script.Command[0]}, {"bash", inside}} {
		s.Script.Command = command
		h.has(s)
		if ruling := h.governors.Review(t.Context(), h.review()); ruling.Verdict != permissions.Ask || !strings.Contains(ruling.Reason, "lies in the workspace") {
			t.Errorf("%q: got %s, %q", command, ruling.Verdict, ruling.Reason)
		}
	}
}

// TestScriptByName checks that a file which the command names without a directory is the one beside
// governors.yaml, and never one that the repository brings.
func TestScriptByName(t *testing.T) {
	t.Parallel()
	const approves = "#!/bin/bash\necho '{\"status\":\"approve\"}'\n"
	for _, row := range []struct {
		name, in string // where the file is
		want     permissions.Verdict
	}{{"beside the file", "config", permissions.Approve}, {"in the workspace", "workspace", permissions.Ask}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			s := h.script("guard", "exit 1")
			s.Script.Dir = filepath.Dir(s.Script.Command[0])
			s.Script.Command = []string{"bash", "check.sh"}
			dir := map[string]string{"config": s.Script.Dir, "workspace": h.workspace}[row.in]
			if err := os.WriteFile(filepath.Join(dir, "check.sh"), []byte(approves), 0o755); err != nil {
				t.Fatal(err)
			}
			h.has(s)
			if got := h.governors.Review(t.Context(), h.review()); got.Verdict != row.want {
				t.Errorf("got %+v, want %s", got, row.want)
			}
		})
	}
}
