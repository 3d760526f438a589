package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// ended lists what is on record of the ends of acts: the type, the status and the exit code.
func (d *dialogue) ended() (list []string) {
	d.t.Helper()
	for line := range strings.Lines(d.record.String()) {
		var event events.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			d.t.Fatal(err)
		}
		if event.Outcome == nil {
			continue
		}
		end := fmt.Sprintf("%s %s", event.Type, event.Outcome.Status)
		if event.Outcome.ExitCode != nil {
			end += fmt.Sprintf(" %d", *event.Outcome.ExitCode)
		}
		list = append(list, end)
	}
	return list
}

// TestDoneWithoutAsking has an agent tell of what it has done by itself. What a rule rejects is a violation,
// on record and in the card, and the same in words that the rule does not see is only seen.
func TestDoneWithoutAsking(t *testing.T) {
	t.Parallel()
	const rules = `
version: 2
auto_approval_policies:
  - {id: private, applies_to: ["functions.acp_fs__*"], include_paths: ["private/**"], decision: {type: reject, reason: not yours}}
  - {id: no-rm, applies_to: [functions.shell], commands: {allow: [rm]}, decision: {type: reject}}
`
	for _, test := range []struct{ name, told, recorded string }{
		{"a read", `"title":"Read a","kind":"read","locations":[{"path":"$WORK/a"}],"status":"completed"`, "tool.seen completed"},
		{"a read against a rule", `"title":"Read","kind":"read","locations":[{"path":"$WORK/private/a"}],"status":"completed"`, "tool.violated completed"},
		{"a relative name", `"title":"Read","kind":"read","rawInput":{"path":"private/a"},"status":"completed"`, "tool.violated completed"},
		{"an edit against a rule", `"title":"Edit","kind":"edit","content":[{"type":"diff","path":"$WORK/private/a","oldText":null,"newText":"x"}],"status":"completed"`, "tool.violated completed"},
		{"one that failed", `"title":"Read","kind":"read","locations":[{"path":"$WORK/private/a"}],"status":"failed"`, "tool.seen failed"},
		{"a command against a rule", `"title":"rm -r x","kind":"execute","rawInput":{"command":"rm -r x"},"status":"completed"`, "tool.violated completed"},
		{"a command that failed", `"title":"ls x","kind":"execute","rawInput":{"command":"ls x"},"status":"completed","rawOutput":{"output":"","metadata":{"exit":2}}`, "tool.seen failed 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, rules, "", workDir(t))
			d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c9",` + test.told))
			violated := strings.HasPrefix(test.recorded, "tool.violated")
			if violated {
				d.wait("the card", func(s said) bool {
					return s.to == "editor" && strings.Contains(s.line, "a2a-acp: VIOLATION: the agent did this by itself, against rule ") &&
						strings.Contains(s.line, `"toolCallId":"c9"`)
				})
			}
			d.untilMarker("nothing")
			if got := d.ended(); !slices.Equal(got, []string{test.recorded}) {
				t.Errorf("on record is %q: %s", got, d.record.String())
			}
			if record := d.record.String(); strings.Contains(record, `"rule":`) != violated {
				t.Errorf("on record is %s", record)
			}
		})
	}
}

// TestTerminalsEnd has an editor run commands. The record has how they ended: what the editor says, once, or
// that nobody has asked.
func TestTerminalsEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		asked    []string // requests about the terminal and their answers
		recorded string
	}{
		{"waited for", []string{"wait_for_exit", `{"exitCode":0}`, "release", `{}`}, "tool.ended completed 0"},
		{"failed", []string{"output", `{"output":"","truncated":false}`, "wait_for_exit", `{"exitCode":1,"signal":null}`,
			"output", `{"output":"x","truncated":false,"exitStatus":{"exitCode":1}}`}, "tool.ended failed 1"},
		{"by its output", []string{"output", `{"output":"x","truncated":false,"exitStatus":{"exitCode":3}}`}, "tool.ended failed 3"},
		{"killed", []string{"kill", `{}`, "wait_for_exit", `{"signal":"SIGKILL"}`}, "tool.ended failed"},
		{"released", []string{"release", `{}`}, "tool.ended unknown"},
		{"left", nil, "tool.ended unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, readsAndEchoes, "", workDir(t))
			d.agentSays(`{"jsonrpc":"2.0","id":"t","method":"terminal/create","params":{"sessionId":"s1","command":"echo x"}}`)
			d.wait("the terminal", func(s said) bool { return s.to == "editor" && s.ID == "t" })
			d.editorSays(`{"jsonrpc":"2.0","id":"t","result":{"terminalId":"T"}}`)
			d.wait("its id", func(s said) bool { return s.to == "agent" && s.ID == "t" })
			for i := 0; i < len(test.asked); i += 2 {
				id := fmt.Sprintf("a%d", i)
				d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"terminal/%s","params":{"sessionId":"s1","terminalId":"T"}}`, id, test.asked[i]))
				d.wait("it", func(s said) bool { return s.to == "editor" && s.ID == id })
				d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":%s}`, id, test.asked[i+1]))
				d.wait("its answer", func(s said) bool { return s.to == "agent" && s.ID == id })
			}
			d.editorSays(`{"jsonrpc":"2.0","id":"over","method":"session/close","params":{"sessionId":"s1"}}`)
			d.wait("the end", func(s said) bool { return s.to == "agent" && s.Method == "session/close" })
			if got := d.ended(); !slices.Equal(got, []string{test.recorded}) {
				t.Errorf("on record is %q: %s", got, d.record.String())
			}
		})
	}
}

// TestCardSaysWhy has an agent ask. The card says in our words, before the agent's, why the person is asked,
// by which rule, what would run, and what it could reach, whatever the agent writes.
func TestCardSaysWhy(t *testing.T) {
	t.Parallel()
	const rules = `
version: 2
auto_approval_policies:
  - {id: look, applies_to: [functions.shell], commands: {allow: [make]}, decision: {type: ask, reason: "it ` + "`builds`" + `"}}
  - {id: edits, applies_to: ["functions.acp_fs__*"], include_paths: ["**"], decision: {type: approve}}
  - {id: count, applies_to: [functions.shell], commands: {allow: [wc, git status]}, decision: {type: approve}}
  - {id: put, applies_to: [mcp.web.put], parameters: {key: x}, decision: {type: approve}}
`
	for _, test := range []struct{ name, asks, first string }{
		{"nearly a rule's command", `"title":"wc -l $f","kind":"execute"`,
			"a2a-acp asks because no rule approves or rejects it: rule count does not, because it uses the value of $f, and nobody knows what that is, or whether it is a secret\n" +
				"It could reach all that you can: no sandbox holds the agent."},
		{"a rule's command, and another", `"title":"wc -l a; rm b","kind":"execute"`,
			"a2a-acp asks because no rule approves or rejects it: none covers `rm`\nIt would run: wc -l a; rm b\nIt could reach all that you can: no sandbox holds the agent."},
		{"nearly a rule's tool", `"title":"mcp__web__put","name":"mcp__web__put","kind":"other","rawInput":{"key":"hunter2"}`,
			"a2a-acp asks because no rule approves or rejects it: rule put does not, because it has other arguments"},
		{"no rule", `"title":"touch x","kind":"execute"`,
			"a2a-acp asks because no rule approves or rejects it\nIt could reach all that you can: no sandbox holds the agent."},
		{"a rule", `"title":"make","kind":"execute"`,
			"a2a-acp asks because it `builds` (rule look, policies.yaml:4)\nIt could reach all that you can: no sandbox holds the agent."},
		{"several commands", `"title":"cd x && touch 'a  b' 2>&1 > out | xargs rm *.o","kind":"execute"`,
			"a2a-acp asks because no rule approves or rejects it: there is no directory x yet, so it cannot be told what will be there\n" +
				"It would run: cd x; touch 'a  b' 2>&1 > out; xargs rm *.o; rm *.o … (run by xargs)\nIt could reach all that you can: no sandbox holds the agent."},
		{"what no rule could cover", `"title":"python3 -m \"$l\"","kind":"execute"`,
			"a2a-acp asks because no rule approves or rejects it: it uses the value of $l, and nobody knows what that is, " +
				"or whether it is a secret\nIt could reach all that you can: no sandbox holds the agent."},
		{"a search that says a place", `"title":"'foo' within /nowhere","kind":"search"`,
			"a2a-acp asks because no rule approves or rejects it\nOutside of the workspace: /nowhere"},
		{"a search that says no place", `"title":"'foo'","kind":"search"`,
			"a2a-acp asks because the agent does not say where it searches, so it could be anywhere, and no rule approves that"},
		{"a fetch", `"title":"Fetch","kind":"fetch","rawInput":{"prompt":"Sum up https://example.com/a?x=1 and (http://127.0.0.1:80/)"}`,
			"a2a-acp asks because no rule approves or rejects it\nOver the network it would reach example.com, 127.0.0.1:80."},
		{"a network client", `"title":"curl --url=https://example.com/a && git fetch && echo https://elsewhere","kind":"execute"`,
			"a2a-acp asks because no rule approves or rejects it\nIt would run: curl --url=https://example.com/a; git fetch; echo https://elsewhere\n" +
				"Over the network it would reach example.com, what git is told or set to.\nIt could reach all that you can: no sandbox holds the agent."},
		{"what runs later", `"title":"Edit","kind":"edit","content":[{"type":"diff","path":"$WORK/.git/hooks/pre-commit","oldText":null,"newText":"x"}]`,
			"a2a-acp asks because `.git/hooks/pre-commit` runs as code later"},
		{"outside", `"title":"Edit","kind":"edit","locations":[{"path":"/nowhere/x"}]`,
			"a2a-acp asks because no rule approves or rejects it\nOutside of the workspace: /nowhere/x"},
		{"a tool of ours, by its name", `"title":"mcp__a2a-acp-guard__note","name":"mcp__a2a-acp-guard__note","kind":"other"`,
			"a2a-acp asks because no rule approves or rejects it\nBy its name it is a tool of a2a-acp, whose MCP server decides about the call again."},
		{"another server's tool", `"title":"mcp__web__get","name":"mcp__web__get","kind":"other"`,
			"a2a-acp asks because no rule approves or rejects it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, rules, "board\ntools", workDir(t))
			outcome, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1",`+
				strings.ReplaceAll(test.asks, "$WORK", d.work)+`}`+yesNo+`}`)
			call, _ := s.Params["toolCall"].(map[string]any)
			content, _ := call["content"].([]any)
			if outcome != "asked" || len(content) == 0 {
				t.Fatalf("it is %s: %s", outcome, s.line)
			}
			first, _ := content[0].(map[string]any)
			block, _ := first["content"].(map[string]any)
			if block["text"] != test.first {
				t.Errorf("the card begins with %q, want %q", block["text"], test.first)
			}
			head, _, _ := strings.Cut((<-d.board.posted).question.Text, "\n\n")
			if want := strings.Replace(test.first, "a2a-acp asks because ", "Asked because: ", 1); head != want {
				t.Errorf("elsewhere the question begins with %q, want %q", head, want)
			}
		})
	}
}

// TestCardSaysWhatIsKept has an agent offer an answer for the whole session, by whatever name: its card says before the answer
// what that would allow, or that nothing is kept. Where it offers none, the card says nothing of it.
func TestCardSaysWhatIsKept(t *testing.T) {
	t.Parallel()
	const gemini = `,"options":[{"optionId":"proceed_always","name":"Allow for this session","kind":"allow_always"},` +
		`{"optionId":"proceed_once","name":"Allow","kind":"allow_once"},{"optionId":"cancel","name":"Reject","kind":"reject_once"}]`
	const once = `,"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	for _, test := range []struct{ name, asks, options, says string }{
		{"a command", `"title":"touch x","kind":"execute","rawInput":{"command":"touch x"}`, gemini, "exactly this command, `touch x`, in $WORK"},
		{"a command by its title alone", `"title":"touch x","kind":"execute","content":[]`, gemini, "exactly this command, `touch x`, in $WORK"},
		{"a file", `"title":"w","kind":"edit","locations":[{"path":"$WORK/a"}],"content":[{"type":"diff","path":"$WORK/a","newText":"x"}]`, yesNo, "writing `a`"},
		{"a secret", `"title":"cat .env","kind":"execute","rawInput":{"command":"cat .env"}`, gemini, "nothing is kept: `.env` may hold a secret, so you are asked every time"},
		{"what runs later", `"title":"w","kind":"edit","locations":[{"path":"$WORK/setup.py"}],"content":[{"type":"diff","path":"$WORK/setup.py","newText":"x"}]`, gemini, "nothing is kept: `setup.py` "},
		{"a fetch", `"title":"f","kind":"fetch","rawInput":{"url":"https://example.com/"}`, gemini, "nothing is kept: an act of this kind (fetch) is asked every time"},
		{"no such answer", `"title":"touch x","kind":"execute","rawInput":{"command":"touch x"}`, once, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			_, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1",`+
				strings.ReplaceAll(test.asks, "$WORK", d.work)+`}`+test.options+`}`)
			says := strings.Count(s.line, "Allow in this session: ")
			want := "a2a-acp: Allow in this session: " + strings.ReplaceAll(test.says, "$WORK", d.work)
			if test.says == "" && says > 0 || test.says != "" && (says != 1 || !strings.Contains(s.line, want)) {
				t.Errorf("the card does not say %q once: %s", want, s.line)
			}
		})
	}
}

// TestCardSaysWhatTheSandboxRefuses has a confined agent ask about commands that name what its sandbox keeps from it: a yes
// does not help there, and the card says so.
func TestCardSaysWhatTheSandboxRefuses(t *testing.T) {
	t.Parallel()
	const head = "It could reach what the agent's sandbox lets it."
	for _, test := range []struct{ name, command, says string }{
		{"nothing", "touch a > /dev/null", ""},
		{"a write", "touch a > control", "\nRefused whatever you answer: confined, and others believe it"},
		{"a read", "touch a < $WORK/outside", "\nRefused whatever you answer: confined; --allow $WORK/outside"},
		{"a word", "touch $WORK/outside", "\nRefused whatever you answer: confined; --allow $WORK/outside"},
		{"no file", "touch ./outside /not/there/outside", ""}, // inside, and no file
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "board\nconfined", workDir(t))
			if err := os.WriteFile(filepath.Join(d.work, "outside"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			_, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","kind":"execute","title":"`+
				strings.ReplaceAll(test.command, "$WORK", d.work)+`"}`+yesNo+`}`)
			_, says, _ := strings.Cut((<-d.board.posted).question.Text, head)
			if says, _, _ = strings.Cut(says, "\n\n"); says != strings.ReplaceAll(test.says, "$WORK", d.work) {
				t.Errorf("the card says %q, want %q: %s", says, test.says, s.line)
			}
		})
	}
}

// TestDoneBeside has the editor write one of the files that a call names. Of the others the agent says that
// they are written, too, and nobody has decided that.
func TestDoneBeside(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, files, recorded string }{
		{"that file", `{"path":"$WORK/docs/a.md"}`, "tool.ended completed"},
		{"by another name", `{"path":"$WORK/docs/../docs/a.md"}`, "tool.ended completed"},
		{"another, too", `{"path":"$WORK/docs/a.md"},{"path":"$WORK/b.md"}`, "tool.ended completed, tool.seen completed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, readsAndEchoes, "", workDir(t))
			d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c9","title":"Write","kind":"edit","status":"in_progress","locations":[` + test.files + `]`))
			if outcome, s := d.request("fs/write_text_file", strings.ReplaceAll(writeOf("s1", "$WORK/docs/a.md", "x"), "$WORK", d.work)); outcome != "forwarded" {
				t.Fatalf("it is %s: %s", outcome, s.line)
			}
			d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c9","status":"completed"`))
			d.untilMarker("nothing")
			if got := strings.Join(d.ended(), ", "); got != test.recorded {
				t.Errorf("on record is %q: %s", got, d.record.String())
			}
			if seen := strings.Count(d.record.String(), `/b.md"],"dir":`); seen != strings.Count(test.recorded, "seen") {
				t.Errorf("on record is %s", d.record.String())
			}
		})
	}
}

// TestAnotherCallOfThatName has an agent use the id of a call that has ended for another. What it does then
// is on record, too, and neither the yes nor the editor's part in the first is for it.
func TestAnotherCallOfThatName(t *testing.T) {
	t.Parallel()
	const again = `"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read","kind":"read","locations":[{"path":"$WORK/a"}],"status":"completed"`
	for name, before := range map[string]func(*dialogue) string{
		"seen": func(d *dialogue) string {
			d.agentSays(updateOf(again))
			return "tool.seen completed"
		},
		"approved": func(d *dialogue) string {
			_, s := d.request("session/request_permission", asksForHook)
			d.answer(s, "y", "r1")
			d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"`))
			return "tool.ended completed"
		},
		"done by the editor": func(d *dialogue) string {
			d.agentSays(updateOf(`"sessionUpdate":"tool_call","toolCallId":"c1","title":"Write","kind":"edit","status":"in_progress","locations":[{"path":"$WORK/docs/a.md"}]`))
			d.request("fs/write_text_file", strings.ReplaceAll(writeOf("s1", "$WORK/docs/a.md", "x"), "$WORK", d.work))
			d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"`))
			return "tool.ended completed"
		},
	} {
		for way, anew := range map[string][]string{
			"told anew": {again},
			"under way again": {`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read","kind":"read","locations":[{"path":"$WORK/a"}],"status":"in_progress"`,
				`"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"`},
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				d := newDialogue(t, readsAndEchoes, "", workDir(t))
				first := before(d)
				for _, update := range anew {
					d.agentSays(updateOf(update))
				}
				d.agentSays(updateOf(`"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"`)) // says no more
				d.untilMarker("nothing")
				if last := d.record.String(); !strings.Contains(last[strings.LastIndex(last, `"tool.seen"`):], `"call_id":`) {
					t.Errorf("it is told as a part of the first: %s", last)
				}
				if got, want := strings.Join(d.ended(), ", "), first+", tool.seen completed"; got != want {
					t.Errorf("on record is %q, want %q: %s", got, want, d.record.String())
				}
			})
		}
	}
}
