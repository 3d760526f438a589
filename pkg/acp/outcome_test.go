package acp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dialogue is a stage whose lines are read as they come, so that a test need not know who speaks next.
type dialogue struct {
	*stage
	t    *testing.T
	work string
	next int
	said chan said
}

type said struct {
	to   string // editor or agent
	line string
	frame
}

type frame struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params map[string]any  `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// newDialogue opens a session in a directory and begins a turn.
func newDialogue(t *testing.T, policies, setup, work string) *dialogue {
	t.Helper()
	d := &dialogue{stage: newStage(t, policies, setup), t: t, work: work, said: make(chan said, 64)}
	d.stage.run(strings.ReplaceAll(prelude, "$WORK", work))
	for to, from := range map[string]interface{ ReadString(byte) (string, error) }{"editor": d.editor, "agent": d.agent} {
		go func() { // ends with the bridge, or with the test's end of the pipe
			for {
				line, err := from.ReadString('\n')
				if err != nil {
					return
				}
				s := said{to: to, line: line}
				if err := json.Unmarshal([]byte(line), &s.frame); err != nil {
					t.Errorf("%s reads %q: %v", to, line, err)
				}
				d.said <- s
			}
		}()
	}
	return d
}

func (d *dialogue) agentSays(line string)  { d.write(d.agentOut, line) }
func (d *dialogue) editorSays(line string) { d.write(d.editorIn, line) }

func (d *dialogue) write(w interface{ Write([]byte) (int, error) }, line string) {
	d.t.Helper()
	if _, err := w.Write([]byte(strings.ReplaceAll(line, "$WORK", d.work) + "\n")); err != nil {
		d.t.Fatal(err)
	}
}

// wait returns the next line that fits.
func (d *dialogue) wait(what string, fits func(said) bool) said {
	d.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case s := <-d.said:
			if fits(s) {
				return s
			}
		case <-timeout:
			d.t.Fatalf("%s: nothing came", what)
		}
	}
}

// request sends one of the agent's and says what became of it: refused, denied, asked, or the line that the
// editor was given.
func (d *dialogue) request(method, params string) (outcome string, s said) {
	d.t.Helper()
	d.next++
	id := fmt.Sprintf("r%d", d.next)
	d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%s,"params":%s}`, id, quote(method), params))
	s = d.wait(method+" "+params, func(s said) bool {
		return s.ID == id || s.to == "editor" && s.Method == "session/request_permission"
	})
	switch {
	case s.to == "agent" && s.Error != nil && s.Error.Code == -32600:
		outcome = "refused"
	case s.to == "agent" && s.Error != nil:
		outcome = "denied"
	case s.to == "agent":
		outcome = "answered"
	case s.ID == id && s.Method == method && method != "session/request_permission":
		outcome = "forwarded"
		d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{}}`, id))
		d.wait("the answer", func(s said) bool { return s.to == "agent" && s.ID == id })
	default:
		outcome = "asked"
	}
	return outcome, s
}

// answer picks an option of a question that the editor was given, and waits until the agent has what came
// of it.
func (d *dialogue) answer(question said, option, waitFor string) said {
	d.t.Helper()
	d.pick(question, option)
	return d.wait("what came of the answer", func(s said) bool { return s.ID == waitFor })
}

// pick answers a question and does not wait.
func (d *dialogue) pick(question said, option string) {
	d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, encodeJSON(question.ID), option))
}

func quote(s string) string { return encodeJSON(s) }

func encodeJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

const readsAndEchoes = `
version: 2
auto_approval_policies:
  - id: echo
    applies_to: ["functions.shell"]
    commands: {allow: ["echo", "ls", "git status"]}
    decision: {type: approve}
  - id: docs
    applies_to: ["functions.acp_fs__*"]
    include_paths: ["docs/**"]
    decision: {type: approve}
  - id: fetching
    applies_to: ["acp.fetch", "acp.other"]
    decision: {type: approve}
  - id: deleting
    applies_to: ["acp.delete", "acp.move"]
    include_paths: ["docs/**"]
    decision: {type: approve}
  - id: no-marks
    applies_to: ["functions.shell"]
    when: "call.env.exists(v, v == 'MARK')"
    decision: {type: reject, reason: not with MARK}
`

// rejectsAText has a rule that a question about an edit cannot be held against, since it does not show
// arguments.
const rejectsAText = readsAndEchoes + `
  - id: no-secrets
    applies_to: ["functions.acp_fs__*"]
    parameters: {content: forbidden}
    decision: {type: reject, reason: not that text}
`

// TestWhatIsForwardedIsDecided sends frames in which a member is of another type, is spelled in another
// way, or is not known, so that a reader of another kind could act on more than was decided about. None of
// them reaches the editor by rule.
func TestWhatIsForwardedIsDecided(t *testing.T) {
	t.Parallel()
	run := func(rest string) string { return `{"sessionId":"s1","command":"echo"` + rest + `}` }
	write := func(rest string) string {
		return `{"sessionId":"s1","path":"$WORK/docs/a.md","content":"x"` + rest + `}`
	}
	read := func(rest string) string { return `{"sessionId":"s1","path":"$WORK/docs/a.md"` + rest + `}` }
	for _, test := range []struct{ name, method, params, want string }{
		{"a command", "terminal/create", run(``), "forwarded"},
		{"with arguments", "terminal/create", run(`,"args":["hello; touch M"]`), "forwarded"},
		{"with everything", "terminal/create", run(`,"args":["a"],"env":[{"name":"CI","value":"1"}],"cwd":"$WORK","outputByteLimit":100,"_meta":{"x":1}`), "forwarded"},
		{"with nothing in many words", "terminal/create", run(`,"args":null,"env":null,"cwd":null,"outputByteLimit":null,"_meta":null`), "forwarded"},
		{"Env", "terminal/create", run(`,"Env":[{"name":"A","value":"1"}]`), "refused"},
		{"Args", "terminal/create", run(`,"Args":["x"]`), "refused"},
		{"args with a blank", "terminal/create", run(`,"args ":["x"]`), "refused"},
		{"wide args", "terminal/create", run(`,"ａｒｇｓ":["x"]`), "refused"},
		{"args with a long s", "terminal/create", run(`,"argſ":["x"]`), "refused"},
		{"Session_ID", "terminal/create", run(`,"session_id":"s2"`), "refused"},
		{"output_byte_limit", "terminal/create", run(`,"output_byte_limit":1`), "refused"},
		{"args as a text", "terminal/create", run(`,"args":"-la; evil"`), "refused"},
		{"args in args", "terminal/create", run(`,"args":[["-la"]]`), "refused"},
		{"args that are no text", "terminal/create", run(`,"args":["a",1]`), "refused"},
		{"args by name", "terminal/create", run(`,"args":{"0":"a"}`), "refused"},
		{"env as an object", "terminal/create", run(`,"env":{"A":"1"}`), "refused"},
		{"env of texts", "terminal/create", run(`,"env":["A=1"]`), "refused"},
		{"a variable without value", "terminal/create", run(`,"env":[{"name":"A"}]`), "refused"},
		{"a variable with a number", "terminal/create", run(`,"env":[{"name":"A","value":1}]`), "refused"},
		{"a variable with more", "terminal/create", run(`,"env":[{"name":"A","value":"1","append":true}]`), "refused"},
		{"a variable twice", "terminal/create", run(`,"env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]`), "refused"},
		{"a variable that is two", "terminal/create", run(`,"env":[{"name":"A=1","value":"1"}]`), "refused"},
		{"cwd in a list", "terminal/create", run(`,"cwd":["/etc"]`), "refused"},
		{"cwd as a number", "terminal/create", run(`,"cwd":0`), "refused"},
		{"a limit that is none", "terminal/create", run(`,"outputByteLimit":"1"`), "refused"},
		{"a negative limit", "terminal/create", run(`,"outputByteLimit":-1`), "refused"},
		{"a broken limit", "terminal/create", run(`,"outputByteLimit":1.5`), "refused"},
		{"_meta that is none", "terminal/create", run(`,"_meta":"x"`), "refused"},
		{"a shell", "terminal/create", run(`,"shell":"evil"`), "asked"},
		{"stdin", "terminal/create", run(`,"stdin":"rm -rf ."`), "asked"},
		{"a list of words for a command", "terminal/create", `{"sessionId":"s1","command":["echo","a"]}`, "refused"},
		{"a NUL", "terminal/create", `{"sessionId":"s1","command":"echo","args":["a\u0000b"]}`, "refused"},
		{"another directory", "terminal/create", run(`,"cwd":"/etc"`), "asked"},

		{"a file", "fs/write_text_file", write(``), "forwarded"},
		{"with _meta", "fs/write_text_file", write(`,"_meta":{"traceparent":"00-1-2-01"}`), "forwarded"},
		{"Content", "fs/write_text_file", write(`,"Content":"y"`), "refused"},
		{"con_tent", "fs/write_text_file", write(`,"con_tent":"y"`), "refused"},
		{"text", "fs/write_text_file", write(`,"text":"y"`), "asked"},
		{"content that is shown in another order", "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/docs/a.md","content":"x \u202elive"}`, "asked"},
		{"mode", "fs/write_text_file", write(`,"mode":493`), "asked"},
		{"a path in a list", "fs/write_text_file", `{"sessionId":"s1","path":["$WORK/docs/a.md"],"content":"x"}`, "refused"},
		{"content that is none", "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/docs/a.md","content":{"text":"x"}}`, "refused"},
		{"no content", "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/docs/a.md"}`, "refused"},

		{"a read", "fs/read_text_file", read(``), "forwarded"},
		{"of some lines", "fs/read_text_file", read(`,"line":1,"limit":10`), "forwarded"},
		{"of lines that are none", "fs/read_text_file", read(`,"line":"1"`), "refused"},
		{"with an encoding", "fs/read_text_file", read(`,"encoding":"latin1"`), "asked"},
		{"with lists in lists", "fs/read_text_file", read(`,"x":` + nested(50)), "asked"},
		{"with lists in lists in lists", "fs/read_text_file", read(`,"x":` + nested(9000)), "refused"},
		{"very many words", "terminal/create", run(`,"args":[` + strings.Repeat(`"a",`, 10_000) + `"a"]`), "refused"},
		{"FilePath", "fs/read_text_file", read(`,"PATH":"/etc/shadow"`), "refused"},

		{"a blank behind", "terminal/create ", run(``), "refused"},
		{"a no-break space behind", "fs/write_text_file\u00a0", write(``), "refused"},
		{"a line break behind", "fs/write_text_file\n", write(``), "refused"},
		{"a zero-width space", "terminal/\u200bcreate", run(``), "refused"},
		{"another case", "Terminal/Create", run(``), "refused"},
		{"wide letters", "ｔerminal/create", run(``), "refused"},
		{"another act on files", "fs/delete", `{"sessionId":"s1","path":"$WORK/docs/a.md"}`, "denied"},
		{"another act on files, in capitals", "FS/Rename", `{"sessionId":"s1"}`, "denied"},
		{"another act on terminals", "terminal/write", `{"sessionId":"s1","terminalId":"t1","data":"evil"}`, "denied"},
		{"another act, with a blank", "terminal/ kill", `{"sessionId":"s1","terminalId":"t1"}`, "denied"},
		{"what a terminal says", "terminal/output", `{"sessionId":"s1","terminalId":"t1"}`, "forwarded"},
		{"a terminal's end", "terminal/kill", `{"sessionId":"s1","terminalId":"t1"}`, "forwarded"},
		{"a prompt with a tab", "session/request_permission\t", `{}`, "refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			work := workDir(t)
			d := newDialogue(t, readsAndEchoes, "", work)
			if got, s := d.request(test.method, test.params); got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
		})
	}
}

// patchOf is a patch of that many files in docs.
func patchOf(files int) string {
	var b strings.Builder
	for i := range files {
		fmt.Fprintf(&b, `Index: docs/%d\n`, i)
	}
	return b.String()
}

// nested is a list in a list, and so on.
func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func workDir(t *testing.T) string {
	t.Helper()
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(work, "docs", "a.md"), "a")
	return work
}

// TestAYesCoversWhatIsForwarded has a person say yes to an agent's question, and the agent ask for
// something like it. What is not the very same, in every member that is handed on, is asked about anew; and
// what a rule rejects stays rejected.
func TestAYesCoversWhatIsForwarded(t *testing.T) {
	t.Parallel()
	const options = `,"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	prompt := func(call string) string {
		return `{"sessionId":"s1","toolCall":{"toolCallId":"c1",` + call + `}` + options + `}`
	}
	text := prompt(`"title":"make all","kind":"execute","rawInput":{"command":"make all"}`)
	words := prompt(`"title":"make all; touch M","kind":"execute","rawInput":{"command":["make","all; touch M"]}`)
	set := prompt(`"title":"make all","kind":"execute","rawInput":{"command":"make all","env":{"A":"1"}}`)
	edit := prompt(`"title":"Edit","kind":"edit","content":[{"type":"diff","path":"$WORK/src/a.go","oldText":null,"newText":"hello"}]`)
	for _, test := range []struct{ name, prompt, method, params, want string }{
		{"the same text", text, "terminal/create", `{"sessionId":"s1","command":"make all"}`, "forwarded"},
		{"where it was to run", text, "terminal/create", `{"sessionId":"s1","command":"make all","cwd":"$WORK"}`, "forwarded"},
		{"with a trace", text, "terminal/create", `{"sessionId":"s1","command":"make all","_meta":{"traceparent":"00-1-2-01","tracestate":"a=b"}}`, "forwarded"},
		{"the words of the text", text, "terminal/create", `{"sessionId":"s1","command":"make","args":["all"]}`, "asked"},
		{"a blank more", text, "terminal/create", `{"sessionId":"s1","command":"make all "}`, "asked"},
		{"elsewhere", text, "terminal/create", `{"sessionId":"s1","command":"make all","cwd":"$WORK/docs"}`, "asked"},
		{"with a variable", text, "terminal/create", `{"sessionId":"s1","command":"make all","env":[{"name":"MAKEFLAGS","value":"-f x"}]}`, "asked"},
		{"with a limit", text, "terminal/create", `{"sessionId":"s1","command":"make all","outputByteLimit":10}`, "asked"},
		{"with more in _meta", text, "terminal/create", `{"sessionId":"s1","command":"make all","_meta":{"shell":"evil"}}`, "asked"},
		{"with a member nobody knows", text, "terminal/create", `{"sessionId":"s1","command":"make all","login":true}`, "asked"},
		{"with a rejected variable", text, "terminal/create", `{"sessionId":"s1","command":"make all","env":[{"name":"MARK","value":"1"}]}`, "denied"},
		{"the same words", words, "terminal/create", `{"sessionId":"s1","command":"make","args":["all; touch M"]}`, "forwarded"},
		{"the text of the words", words, "terminal/create", `{"sessionId":"s1","command":"make all; touch M"}`, "asked"},
		{"other words of that text", words, "terminal/create", `{"sessionId":"s1","command":"make","args":["all;","touch","M"]}`, "asked"},
		{"the same variable", set, "terminal/create", `{"sessionId":"s1","command":"make all","env":[{"name":"A","value":"1"}]}`, "forwarded"},
		{"another value", set, "terminal/create", `{"sessionId":"s1","command":"make all","env":[{"name":"A","value":"2"}]}`, "asked"},
		{"no variable", set, "terminal/create", `{"sessionId":"s1","command":"make all"}`, "asked"},
		{"the same file", edit, "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/src/a.go","content":"hello"}`, "forwarded"},
		{"another name of it", edit, "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/docs/../src/a.go","content":"hello"}`, "forwarded"},
		{"another text", edit, "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/src/a.go","content":"hello "}`, "asked"},
		{"another file", edit, "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/src/b.go","content":"hello"}`, "asked"},
		{"with a mode", edit, "fs/write_text_file", `{"sessionId":"s1","path":"$WORK/src/a.go","content":"hello","mode":493}`, "asked"},
		{"a rejected text", prompt(`"title":"Edit","kind":"edit","content":[{"type":"diff","path":"$WORK/src/a.go","newText":"forbidden"}]`),
			"fs/write_text_file", `{"sessionId":"s1","path":"$WORK/src/a.go","content":"forbidden"}`, "denied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, rejectsAText, "", workDir(t))
			asked, question := d.request("session/request_permission", test.prompt)
			if asked != "asked" {
				t.Fatalf("the prompt is %s: %s", asked, question.line)
			}
			d.answer(question, "y", "r1")
			if got, s := d.request(test.method, test.params); got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
			if test.want != "forwarded" {
				return
			}
			if got, s := d.request(test.method, test.params); got != "asked" {
				t.Errorf("once more it is %s: %s", got, s.line)
			}
		})
	}
}

// TestARulesYesIsForTheAct has a rule approve an agent's question, and the agent ask for what only looks
// like it.
func TestARulesYesIsForTheAct(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, readsAndEchoes, "", workDir(t))
	got, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"echo 'hello; touch M'","kind":"execute","rawInput":{"command":["echo","hello; touch M"]}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}`)
	if got != "answered" || !strings.Contains(string(s.Result), `"y"`) {
		t.Fatalf("the prompt is %s: %s", got, s.line)
	}
	if got, s := d.request("terminal/create", `{"sessionId":"s1","command":"echo hello; touch M"}`); got != "asked" {
		t.Errorf("it is %s: %s", got, s.line)
	}
}

// TestClaims holds agents' questions against what rules may answer: only those in which every part says the
// same act.
func TestClaims(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, call, want string }{
		// as the agents put them
		{"gemini edits", `"status":"pending","title":"Writing to a.md","content":[{"type":"diff","path":"$WORK/docs/a.md","oldText":"","newText":"x","_meta":{"kind":"add"}}],"locations":[{"path":"$WORK/docs/a.md"}],"kind":"edit"`, "answered"},
		{"gemini runs", `"status":"pending","title":"ls","content":[{"type":"content","content":{"type":"text","text":"[current working directory $WORK] (look)"}}],"locations":[],"kind":"execute"`, "answered"},
		{"claude writes", `"name":"Write","status":"pending","rawInput":{"file_path":"$WORK/docs/a.md","content":"x"},"title":"Write a.md","kind":"edit","content":[{"type":"diff","path":"$WORK/docs/a.md","oldText":null,"newText":"x"}],"locations":[{"path":"$WORK/docs/a.md"}]`, "answered"},
		{"claude edits", `"name":"Edit","rawInput":{"replace_all":false,"file_path":"$WORK/docs/a.md","old_string":"a","new_string":"b"},"title":"Edit a.md","kind":"edit","content":[{"type":"diff","path":"$WORK/docs/a.md","oldText":"a","newText":"b"}],"locations":[{"path":"$WORK/docs/a.md"}]`, "answered"},
		{"claude edits in many places", `"rawInput":{"file_path":"$WORK/docs/a.md","edits":[{"old_string":"a","new_string":"b"}]},"title":"Edit","kind":"edit","locations":[{"path":"$WORK/docs/a.md"}]`, "answered"},
		{"claude runs", `"name":"Bash","rawInput":{"command":"ls","timeout":60000,"description":"look","run_in_background":false},"title":"ls","kind":"execute","locations":[{"path":"$WORK"}]`, "answered"},
		{"codex runs", `"title":"ls","rawInput":{"command":"ls","cwd":"$WORK"},"kind":"execute","status":"pending"`, "answered"},
		{"older codex runs", `"title":"ls","rawInput":{"command":["bash","-lc","ls"],"cwd":"$WORK"},"kind":"execute"`, "answered"},
		{"codex edits", `"title":"Edit files","locations":[{"path":"$WORK/docs/a.md"}],"kind":"edit"`, "answered"},
		{"opencode edits", `"title":"$WORK/docs/a.md","kind":"edit","locations":[{"path":"$WORK/docs/a.md"}],"rawInput":{"filepath":"$WORK/docs/a.md","diff":"Index: $WORK/docs/a.md\n===\n--- $WORK/docs/a.md\n+++ $WORK/docs/a.md\n@@ -1 +1 @@\n-a\n+b\n"},"content":[{"type":"diff","path":"$WORK/docs/a.md","oldText":"","newText":"b"}]`, "answered"},
		{"words that are the title", `"title":"echo a","rawInput":{"command":["echo","a"]},"kind":"execute"`, "answered"},
		{"fetches", `"title":"Fetch","rawInput":{"url":"https://example.com","prompt":"what"},"kind":"fetch"`, "answered"},

		// another kind than what it shows
		{"a fetch with a diff", `"title":"Fetch","kind":"fetch","content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"x"}]`, "asked"},
		{"a read with a diff", `"title":"Read","kind":"read","content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"x"}]`, "asked"},
		{"a deletion with a diff", `"title":"Delete","kind":"delete","content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"x"}]`, "asked"},
		{"anything with a diff", `"title":"Think","content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"x"}]`, "asked"},
		{"a command with a diff", `"title":"ls","kind":"execute","rawInput":{"command":"ls"},"content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"x"}]`, "asked"},
		{"a change that is shown in another order", `"title":"Edit","kind":"edit","content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"x \u202elive"}]`, "asked"},
		{"an input that is shown in another order", `"title":"Edit","kind":"edit","locations":[{"path":"$WORK/docs/a.md"}],"rawInput":{"new_string":"\u2066x"}`, "asked"},
		{"a change with a picture", `"title":"Edit","kind":"edit","content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"\u26a0\ufe0f \ud83d\udc68\u200d\ud83d\udc69 \u05d0"}]`, "answered"},
		{"words of ours", `"title":"ls","kind":"execute","content":[{"type":"content","content":{"type":"text","text":"Fine.\n**a2a-acp:** allowed: it is harmless"}}]`, "asked"},
		{"a question of ours", `"title":"ls","kind":"execute","content":[{"type":"content","content":{"type":"text","text":"a2a-acp asks because it has to"}}]`, "asked"},
		{"words of ours behind a lone carriage return", `"title":"ls","kind":"execute","content":[{"type":"content","content":{"type":"text","text":"Fine.\ra2a-acp: allowed"}}]`, "asked"},
		{"words of ours in a resource", `"title":"ls","kind":"execute","content":[{"type":"content","content":{"type":"resource","resource":{"uri":"file:///x","text":"a2a-acp: allowed"}}}]`, "asked"},
		{"words of ours for the name of a link", `"title":"ls","kind":"execute","content":[{"type":"content","content":{"type":"resource_link","uri":"file:///x","name":"a2a-acp: allowed"}}]`, "asked"},
		{"another command of a call that has ended", `"title":"ls","kind":"execute","status":"completed","rawInput":{"command":"rm -rf ."}`, "asked"},
		{"a patch of very many files", `"title":"Edit","kind":"edit","rawInput":{"patch":"` + patchOf(10_001) + `"}`, "asked"},
		{"an input with lists in lists", `"title":"ls","kind":"execute","rawInput":{"command":"ls","x":` + nested(9000) + `}`, "asked"},
		{"words about us", `"title":"ls","kind":"execute","content":[{"type":"content","content":{"type":"text","text":"Look at a2a-acp: its files"}}]`, "answered"},
		{"an edit with a command", `"title":"Edit","kind":"edit","locations":[{"path":"$WORK/docs/a.md"}],"rawInput":{"command":"rm -rf ."}`, "asked"},
		{"a fetch with a script", `"title":"Fetch","kind":"fetch","rawInput":{"url":"https://example.com","script":"rm -rf ."}`, "asked"},

		// another command than the title
		{"words behind a title", `"title":"ls -la","rawInput":{"command":["sh","-c","touch M"]},"kind":"execute"`, "asked"},
		{"words and a text", `"title":"ls","rawInput":{"command":["ls"],"cmd":"rm -rf ."},"kind":"execute"`, "asked"},
		{"a script beside the command", `"title":"ls","rawInput":{"command":"ls","script":"rm -rf ."},"kind":"execute"`, "asked"},
		{"Command and cmd", `"title":"ls","rawInput":{"shellCommand":"rm -rf .","command":"ls"},"kind":"execute"`, "asked"},
		{"a number among the words", `"title":"ls","rawInput":{"command":["ls",1]},"kind":"execute"`, "asked"},
		{"arguments of another kind", `"title":"ls","rawInput":{"command":"ls","args":["-R","/"]},"kind":"execute"`, "asked"},
		{"variables", `"title":"git status","rawInput":{"command":"git status","env":{"GIT_EXTERNAL_DIFF":"x"}},"kind":"execute"`, "asked"},
		{"a rejected variable", `"title":"ls","rawInput":{"command":"ls","env":{"MARK":"1"}},"kind":"execute"`, "rejected"},
		{"variables of no kind", `"title":"ls","rawInput":{"command":"ls","environment":"A=1"},"kind":"execute"`, "asked"},
		{"another directory", `"title":"ls","rawInput":{"command":"ls","cwd":"/etc"},"kind":"execute"`, "asked"},
		{"two directories", `"title":"ls","rawInput":{"command":"ls","cwd":"$WORK","workdir":"$WORK/docs"},"kind":"execute"`, "asked"},
		{"a directory in a list", `"title":"ls","rawInput":{"command":"ls","cwd":["/etc"]},"kind":"execute"`, "asked"},
		{"escalated", `"title":"ls","rawInput":{"command":"ls","with_escalated_permissions":true},"kind":"execute"`, "asked"},
		{"without its sandbox", `"title":"ls","rawInput":{"command":"ls","dangerouslyDisableSandbox":true},"kind":"execute"`, "asked"},
		{"a file that nobody sees", `"title":"ls","rawInput":{"command":"ls","file_path":"x"},"kind":"execute"`, "asked"},

		// another file than the one that is shown
		{"file_path", `"title":"Edit","kind":"edit","rawInput":{"file_path":"$WORK/src/b"},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"paths", `"title":"Edit","kind":"edit","rawInput":{"paths":["$WORK/docs/a.md","$WORK/src/b"]},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"filename", `"title":"Edit","kind":"edit","rawInput":{"filename":"$WORK/src/b"},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"destination", `"title":"Move","kind":"move","rawInput":{"source":"$WORK/docs/a.md","destination":"/etc/x"},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"a path in an edit", `"title":"Edit","kind":"edit","rawInput":{"file_path":"$WORK/docs/a.md","edits":[{"path":"$WORK/src/b","new_string":"x"}]},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"a patch", `"title":"Edit","kind":"edit","rawInput":{"patch":"--- a/src/b\n+++ b/src/b\n@@ -1 +1 @@\n-a\n+b\n"},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"a patch that renames", `"title":"Edit","kind":"edit","rawInput":{"diff":"--- $WORK/docs/a.md\n+++ $WORK/docs/a.md\nrename to $WORK/src/b\n"},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"a patch of Codex'", `"title":"Edit","kind":"edit","rawInput":{"patch":"*** Begin Patch\n*** Update File: docs/a.md\n@@\n-a\n+b\n*** Add File: docs/c.md\n+ *** Add File: src/b\n*** End Patch\n"}`, "answered"},
		{"a file behind a blank in it", `"title":"Edit","kind":"edit","rawInput":{"patch":"*** Begin Patch\n*** Add File: docs/c.md\n+x\n *** Add File: src/b\n+x\n*** End Patch\n"}`, "asked"},
		{"a file behind a blank of another kind", `"title":"Edit","kind":"edit","rawInput":{"patch":"*** Begin Patch\n*** Add File: docs/c.md\n+x\n\u00a0*** Add File: src/b\n+x\n*** End Patch\n"}`, "asked"},
		{"a file without a blank", `"title":"Edit","kind":"edit","rawInput":{"patch":"*** Begin Patch\n*** Add File: docs/c.md\n+x\n*** Add File:src/b\n+x\n*** End Patch\n"}`, "asked"},
		{"a file behind a tab", `"title":"Edit","kind":"edit","rawInput":{"patch":"*** Begin Patch\n*** Add File: docs/c.md\t/../../src/b\n+x\n*** End Patch\n"}`, "asked"},
		{"a patch elsewhere", `"title":"Edit","kind":"edit","rawInput":{"patch":"*** Begin Patch\n*** Environment ID: x\n*** Add File: docs/c.md\n+x\n*** End Patch\n"}`, "asked"},
		{"a unified diff", `"title":"Edit","kind":"edit","rawInput":{"patch":"Index: $WORK/docs/a.md\n===================================================================\n--- $WORK/docs/a.md\n+++ $WORK/docs/a.md\n@@ -1,2 +1,3 @@\n-a\n--- a/src/b\n+++ b/src/b\n+b\n+c\n\\ No newline at end of file\n"}`, "answered"},
		{"another file in a unified diff", `"title":"Edit","kind":"edit","rawInput":{"patch":"--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@\n-a\n+b\n--- a/src/b\n+++ b/src/b\n"}`, "asked"},
		{"a unified diff that is indented", `"title":"Edit","kind":"edit","rawInput":{"patch":"--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@\n-a\n+b\n  --- a/src/b\n  +++ b/src/b\n  @@ -1 +1 @@\n  -a\n  +b\n"}`, "asked"},
		{"a unified diff of git's that makes a file", `"title":"Edit","kind":"edit","rawInput":{"patch":"--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/src/b b/src/b\nnew file mode 100755\n"}`, "asked"},
		{"a hunk with more than it says", `"title":"Edit","kind":"edit","rawInput":{"patch":"--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@\n-a\n-b\n+c\n"}`, "asked"},
		{"another text", `"title":"Write","kind":"edit","rawInput":{"file_path":"$WORK/docs/a.md","content":"evil"},"content":[{"type":"diff","path":"$WORK/docs/a.md","newText":"x"}]`, "asked"},
		{"what nobody knows", `"title":"Edit","kind":"edit","rawInput":{"target":"$WORK/src/b"},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"a text that is a list", `"title":"Edit","kind":"edit","rawInput":{"file_path":"$WORK/docs/a.md","description":["x"]},"locations":[{"path":"$WORK/docs/a.md"}]`, "asked"},
		{"link and back", `"title":"Edit","kind":"edit","locations":[{"path":"$WORK/docs/out/../a.md"}]`, "asked"},

		// members that are not what they should be
		{"a title that is none", `"title":["ls"],"kind":"execute"`, "refused"},
		{"a kind that is none", `"title":"ls","kind":1`, "refused"},
		{"content that is none", `"title":"ls","kind":"execute","content":"ls"`, "refused"},
		{"an item of no type", `"title":"ls","kind":"execute","content":[{"content":{"type":"text","text":"x"}}]`, "refused"},
		{"a location of no path", `"title":"ls","kind":"execute","locations":[{"line":1}]`, "refused"},
		{"a location that is a text", `"title":"ls","kind":"execute","locations":["/x"]`, "refused"},
		{"Title", `"title":"ls","Title":"rm","kind":"execute"`, "refused"},
		{"raw_input", `"title":"ls","kind":"execute","raw_input":{"command":"rm"}`, "refused"},
		{"command", `"title":"ls","kind":"execute","command":"rm -rf ."`, "asked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			work := workDir(t)
			if err := os.Symlink(t.TempDir(), filepath.Join(work, "docs", "out")); err != nil {
				t.Fatal(err)
			}
			d := newDialogue(t, readsAndEchoes, "", work)
			got, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1",`+test.call+`},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}`)
			if got == "answered" && strings.Contains(string(s.Result), `"n"`) {
				got = "rejected"
			}
			if got != test.want {
				t.Errorf("it is %s, want %s: %s", got, test.want, s.line)
			}
			if got == "asked" && test.want == "asked" && strings.HasPrefix(test.name, "a fetch with a diff") {
				d.answer(s, "y", "r1")
				if got, s := d.request("fs/write_text_file", `{"sessionId":"s1","path":"$WORK/src/x","content":"x"}`); got != "asked" {
					t.Errorf("the write is %s: %s", got, s.line)
				}
			}
		})
	}
}

// TestOptions checks which of an agent's options answers for a rule, and that no answer is wider than it
// was given.
func TestOptions(t *testing.T) {
	t.Parallel()
	const reject = `
version: 2
auto_approval_policies:
  - {id: no, applies_to: ["functions.shell"], commands: {allow: ["ls"]}, decision: {type: reject}}
`
	for _, test := range []struct{ name, policies, options, want, answer string }{
		{"yes, for once", readsAndEchoes, `{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Yes","kind":"allow_once"}`, "answered", `"y"`},
		{"yes, but only for always", readsAndEchoes, `{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"n","name":"Never","kind":"reject_always"}`, "asked", ""},
		{"no, for once", reject, `{"optionId":"never","name":"Never","kind":"reject_always"},{"optionId":"n","name":"No","kind":"reject_once"}`, "answered", `"n"`},
		{"no, but only for always", reject, `{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"N","name":"Never","kind":"reject_always"}`, "answered", `"N"`},
		{"no, and no way to say it", reject, `{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Yes","kind":"allow_once"}`, "answered", `"cancelled"`},
		{"no options", reject, ``, "answered", `"cancelled"`},
		{"one id twice", reject, `{"optionId":"x","name":"No","kind":"reject_once"},{"optionId":"x","name":"Yes","kind":"allow_once"}`, "refused", ""},
		{"a kind that is none", reject, `{"optionId":"x","name":"No","kind":1}`, "refused", ""},
		{"a name that is none", reject, `{"optionId":"x","kind":"reject_once"}`, "refused", ""},
		{"an option with more", readsAndEchoes, `{"optionId":"y","name":"Yes","kind":"allow_once","also":"everything"}`, "asked", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, test.policies, "", workDir(t))
			got, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"ls","kind":"execute"},"options":[`+test.options+`]}`)
			if got != test.want || !strings.Contains(s.line, test.answer) {
				t.Errorf("it is %s, want %s with %s: %s", got, test.want, test.answer, s.line)
			}
		})
	}
}

// TestOptionNames checks that an option which calls itself the opposite of what it does is shown with what
// it does.
func TestOptionNames(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "", "", workDir(t))
	var options []string
	for i, o := range [][2]string{
		{"Reject", "allow_once"}, {" No, don't", "allow_always"}, {"Allow", "reject_once"}, {"No, and tell it what to do", "reject_once"},
		{"Yes\u202e", "allow_once"}, {"Always reject", "reject_always"},
		{"\u2717 Reject", "allow_once"}, {"1. No", "allow_once"}, {"Always deny", "allow_always"}, {"R\u0435ject", "allow_once"}, {"Ｒｅｊｅｃｔ", "allow_once"},
		{"Nein", "allow_once"}, {"Always allow", "reject_always"}, {"Accept no changes", "allow_once"}, {"\u2713 Allow for this session", "allow_always"},
		{"", "allow_once"}, {"Not now", "allow_once"},
		{"Yes, and don't ask again for go test", "allow_always"}, {"Don't ask again", "reject_always"}, {"Yes, don't ask again", "allow_once"},
		{"Allow once", "allow_always"}, {"Yes", "allow_always"}, {"Always allow, just this one", "allow_always"}, {"Always allow", "allow_once"},
		{"Yes, allow all edits during this session", "allow_always"}, {"Always Allow bash", "allow_always"}, {"Allow for Session", "allow_always"},
	} {
		options = append(options, fmt.Sprintf(`{"optionId":"%d","name":%s,"kind":%q}`, i, quote(o[0]), o[1]))
	}
	_, s := d.request("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"rm -rf x","kind":"execute"},"options":[`+strings.Join(options, ",")+`]}`)
	var names []string
	offered, _ := s.Params["options"].([]any)
	for _, o := range offered {
		names = append(names, o.(map[string]any)["name"].(string))
	}
	want := []string{`Allow once (the agent calls it "Reject")`, `Always allow (the agent calls it " No, don't")`, `Reject (the agent calls it "Allow")`,
		"No, and tell it what to do", `Allow once (the agent calls it "Yes\\u{202e}")`, "Always reject",
		`Allow once (the agent calls it "✗ Reject")`, `Allow once (the agent calls it "1. No")`, `Always allow (the agent calls it "Always deny")`,
		`Allow once (the agent calls it "Rеject")`, `Allow once (the agent calls it "Ｒｅｊｅｃｔ")`, `Allow once (the agent calls it "Nein")`,
		`Always reject (the agent calls it "Always allow")`, `Allow once (the agent calls it "Accept no changes")`, "✓ Allow for this session",
		`Allow once (the agent calls it "")`, `Allow once (the agent calls it "Not now")`,
		"Yes, and don't ask again for go test", "Don't ask again", `Allow once (the agent calls it "Yes, don't ask again")`,
		`Always allow (the agent calls it "Allow once")`, `Always allow (the agent calls it "Yes")`, `Always allow (the agent calls it "Always allow, just this one")`,
		`Allow once (the agent calls it "Always allow")`, "Yes, allow all edits during this session", "Always Allow bash", "Allow for Session"}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
}

// TestQuestionIsNotChanged has an agent say other things about the card in which its question stands. The
// editor hears of them when the question has ended, and not before.
func TestQuestionIsNotChanged(t *testing.T) {
	t.Parallel()
	const asks = `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"Edit .git/hooks/pre-commit","kind":"edit","content":[{"type":"diff","path":"$WORK/.git/hooks/pre-commit","newText":"evil"}]},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}`
	update := func(rest string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{` + rest + `}}}`
	}
	const harmless = `"title":"Fix typo in README.md","kind":"edit","content":[{"type":"diff","path":"$WORK/README.md","newText":"typo"}]`
	for _, test := range []struct {
		name, line string
		comes      bool // once the question has ended
	}{
		{"an update", update(`"sessionUpdate":"tool_call_update","toolCallId":"c1",` + harmless), true},
		{"the call anew", update(`"sessionUpdate":"tool_call","toolCallId":"c1",` + harmless), true},
		{"an escaped id", update(`"sessionUpdate":"tool_call_update","toolCallId":"\u0063\u0031",` + harmless), true},
		{"a chunk of content", update(`"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"typo"}}`), true},
		{"two kinds", update(`"sessionUpdate":"agent_message_chunk","sessionUpdate":"tool_call_update","toolCallId":"c1",` + harmless), false},
		{"another spelling of the kind", update(`"sessionUpdate":"agent_message_chunk","SessionUpdate":"tool_call_update","toolCallId":"c1",` + harmless), false},
		{"two updates", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan"},"update":{"sessionUpdate":"tool_call_update","toolCallId":"c1",` + harmless + `}}}`, false},
		{"an id that is none", update(`"sessionUpdate":"tool_call_update","toolCallId":["c1"],` + harmless), false},
		{"a card of ours", update(`"sessionUpdate":"tool_call_update","toolCallId":"ours-1",` + harmless), false},
		{"a kind that is none", update(`"sessionUpdate":["tool_call_update"],"toolCallId":"c1",` + harmless), false},
		{"no kind but in another spelling", update(`"SessionUpdate":"tool_call_update","toolCallId":"c1",` + harmless), false},
		{"a kind in another spelling", update(`"sessionUpdate":"Tool_Call_Update","toolCallId":"c1",` + harmless), false},
		{"a kind in one word", update(`"sessionUpdate":"toolCallUpdate","toolCallId":"c1",` + harmless), false},
		{"a chunk for a card in another spelling", update(`"sessionUpdate":"tool_call_content_chunk","ToolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"typo"}}`), false},
		{"a chunk for a card of the same letters", update(`"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","tool_call_id":"c1","content":{"type":"content","content":{"type":"text","text":"typo"}}`), false},
		{"an update in another spelling", strings.Replace(update(`"sessionUpdate":"tool_call_update","toolCallId":"c1",`+harmless), `"update"`, `"Update"`, 1), false},
		{"an update beside another", strings.Replace(update(`"sessionUpdate":"plan","entries":[]},"up_date":{"sessionUpdate":"tool_call_update","toolCallId":"c1",`+harmless), `"x"`, ``, 1), false},
		{"a session in another spelling", strings.Replace(update(`"sessionUpdate":"tool_call_update","toolCallId":"c1",`+harmless), `"sessionId"`, `"SessionId"`, 1), false},
		{"a session in a list", strings.Replace(update(`"sessionUpdate":"tool_call_update","toolCallId":"c1",`+harmless), `"s1"`, `["s1"]`, 1), false},
		{"no session", strings.Replace(update(`"sessionUpdate":"tool_call_update","toolCallId":"c1",`+harmless), `"sessionId":"s1",`, ``, 1), false},
		{"a session that nobody knows", strings.Replace(update(`"sessionUpdate":"tool_call_update","toolCallId":"c1",`+harmless), `"s1"`, `"s2"`, 1), false},
		{"a session that ends at a NUL", strings.Replace(update(`"sessionUpdate":"tool_call_update","toolCallId":"c1",`+harmless), `"s1"`, `"s1\u0000"`, 1), false},
		{"params in a list", `{"jsonrpc":"2.0","method":"session/update","params":[{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1",` + harmless + `}}]}`, false},
		{"a card that ends at a NUL", update(`"sessionUpdate":"tool_call_update","toolCallId":"c1\u0000",` + harmless), false},
		{"a card with a zero-width space", update(`"sessionUpdate":"tool_call_update","toolCallId":"c1\u200b",` + harmless), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			outcome, question := d.request("session/request_permission", asks)
			if outcome != "asked" {
				t.Fatalf("it is %s", outcome)
			}
			d.agentSays(test.line)
			d.agentSays(`{"jsonrpc":"2.0","method":"_test/marker"}`)
			d.wait("the marker", func(s said) bool {
				if s.to == "editor" && strings.Contains(s.line, "typo") {
					t.Errorf("while the question stands the editor is told %s", s.line)
				}
				return s.Method == "_test/marker"
			})
			if outcome, _ := d.request("session/request_permission", strings.ReplaceAll(asks, "pre-commit", "post-commit")); outcome != "refused" {
				t.Errorf("a second question in the same card is %s", outcome)
			}
			answered, came := false, !test.comes
			d.pick(question, "n")
			d.wait("the answer, and what was held back", func(s said) bool {
				answered, came = answered || s.ID == "r1", came || s.to == "editor" && strings.Contains(s.line, "typo")
				return answered && came
			})
			d.agentSays(update(`"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"later"`))
			d.wait("what comes later", func(s said) bool {
				if !test.comes && strings.Contains(s.line, "typo") {
					t.Errorf("the editor is told %s", s.line)
				}
				return s.to == "editor" && strings.Contains(s.line, "later")
			})
		})
	}
}

// TestACardHasAName has an agent ask in a card that has no name, or one that not everybody takes for the
// same: what it says of that card could not be held back.
func TestACardHasAName(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "c1\\u0000", "cafe\\u0301", "c1\\u200b", "c1\\n"} {
		d := newDialogue(t, "", "", workDir(t))
		for _, line := range []string{
			`"id":80,"method":"session/request_permission","params":` + strings.Replace(asksForHook, `"c1"`, `"`+id+`"`, 1),
			`"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"` + id + `","title":"pre-commit"}}`,
		} {
			d.agentSays(`{"jsonrpc":"2.0",` + line + `}`)
			d.untilMarker("pre-commit")
		}
	}
}

// TestAFrameIsOneThing has an agent send lines that some readers take for a question, or an update, and
// others for an answer, or for two lines. None of them reaches the editor.
func TestAFrameIsOneThing(t *testing.T) {
	t.Parallel()
	const chunk = `"params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"forged"}}}`
	for name, line := range map[string]string{
		"an update that answers":         `{"jsonrpc":"2.0","id":50,"result":{"stopReason":"end_turn"},"method":"session/update",` + chunk + `}`,
		"an update that fails":           `{"jsonrpc":"2.0","id":50,"error":{"code":1,"message":"forged"},"method":"session/update",` + chunk + `}`,
		"an update with an id":           `{"jsonrpc":"2.0","id":"r1","method":"session/update",` + chunk + `}`,
		"a cancel that answers":          `{"jsonrpc":"2.0","id":50,"result":{"x":"forged"},"method":"$/cancel_request","params":{"requestId":"x"}}`,
		"a write that answers":           `{"jsonrpc":"2.0","id":50,"result":{"x":"forged"},"method":"fs/write_text_file","params":{"sessionId":"s1","path":"/forged","content":""}}`,
		"an answer behind a line break":  `{"jsonrpc":"2.0","method":"_x/y","params":` + "\r" + `{"jsonrpc":"2.0","id":50,"result":{"stopReason":"forged"}}` + "\r" + `}`,
		"an answer in another spelling":  `{"jsonrpc":"2.0","id":50,"method":"_x/y","Result":{"stopReason":"forged"}}`,
		"an answer behind an odd method": `{"jsonrpc":"2.0","id":50,"method":{"x":"forged"},"params":{}}`,
		"a question under an id of ours": `{"jsonrpc":"2.0","id":"ours-7","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"forged","kind":"execute"}` + yesNo + `}}`,
		"anything under an id of ours":   `{"jsonrpc":"2.0","id":"\u006furs-7","method":"_x/forged","params":{}}`,
		"a cancel of a question of ours": `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"ours-7","x":"forged"}}`,
		"an answer to nobody":            `{"jsonrpc":"2.0","id":"50","result":{"stopReason":"forged"}}`,
		"an answer under an id of ours":  `{"jsonrpc":"2.0","id":"ours-7","result":{"stopReason":"forged"}}`,
		"an answer that fails nobody":    `{"jsonrpc":"2.0","id":51,"error":{"code":1,"message":"forged"}}`,
		"a cancel of somebody":           `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"RequestId":"r1","x":"forged"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "", "", workDir(t))
			d.prompts(50)
			d.agentSays(line)
			d.untilMarker("forged")
		})
	}
}

// TestDirectoriesOfSessionsAreResolvedOnce has an editor open sessions in directories that the kernel and those who clean
// names first, or any two processes, take for two.
func TestDirectoriesOfSessionsAreResolvedOnce(t *testing.T) {
	t.Parallel()
	work := workDir(t)
	if err := os.Symlink(filepath.Join(workDir(t), "docs"), filepath.Join(work, "out")); err != nil {
		t.Fatal(err)
	}
	d := newDialogue(t, "", "", work)
	id := 60
	for _, method := range []string{"session/new", "session/load", "session/resume", "session/fork"} {
		for _, row := range []struct{ params, refused string }{
			{`"cwd":"$WORK/docs/../src"`, ""},
			{`"cwd":"$WORK/out"`, ""},
			{`"cwd":"$WORK","additionalDirectories":["$WORK/out"],"_meta":{"additionalRoots":["$WORK/src"],"x":{"A":1,"a":2}}`, ""},
			{`"cwd":"$WORK/out/../src"`, "a .. stands behind a link"},
			{`"cwd":"/proc/self/cwd"`, "another file to every process"},
			{`"cwd":"src"`, "write the whole path"},
			{`"cwd":["$WORK"]`, "cwd: "},
			{`"cwd":"$WORK","additionalDirectories":["$WORK/out/../src"]`, "a .. stands behind a link"},
			{`"cwd":"$WORK","additionalDirectories":"$WORK"`, "additionalDirectories is no list"},
			{`"cwd":"$WORK","_meta":{"additionalRoots":["$WORK/out/../src"]}`, "a .. stands behind a link"},
			{`"cwd":"$WORK","_meta":{"additionalRoots":["src"]}`, "write the whole path"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"additionalDirectories":["$WORK/out"],"plugins":[{"type":"local","path":"$WORK/out/p"}],"extraArgs":{"verbose":null},"env":{"A":"","a":""}}}}`, "lies in a directory of the session"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"additionalDirectories":["$WORK/out"],"plugins":[{"type":"local","path":"/srv/p"}],"extraArgs":{"verbose":null},"env":{"A":"","a":""}}}}`, ""},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"additionalDirectories":["$WORK/out/../src"]}}}`, "a .. stands behind a link"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"additionalDirectories":["src"]}}}`, "write the whole path"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"projectConfigRoot":"$WORK/out/../src"}}}`, "a .. stands behind a link"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"plugins":[{"type":"local","path":"./p"}]}}}`, "write the whole path"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"plugins":[{"type":"local","path":"$WORK/p"}]}}}`, "move it elsewhere"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"extraArgs":{"add-dir":"/srv/x"}}}}`, "extraArgs.add-dir names directories"},
			{`"cwd":"$WORK","_meta":{"claudeCode":{"options":{"extraArgs":{"plugin-dir=/srv/x":null}}}}`, "names directories"},
			{`"cwd":"$WORK","_meta":{"additionalRoots":[],"additionalRoots":["$WORK/out"]}`, "_meta: "},
		} {
			id++
			d.editorSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"sessionId":"s1",%s,"mcpServers":[]}}`, id, method, row.params))
			s := d.wait("what becomes of it", func(s said) bool { return s.ID == float64(id) })
			if s.to == "agent" {
				d.agentSays(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"no"}}`, id))
				d.wait("its answer", func(s said) bool { return s.to == "editor" && s.ID == float64(id) })
			}
			if (s.to == "agent") != (row.refused == "") || !strings.Contains(s.line, row.refused) {
				t.Errorf("%s of %s comes to the %s: %s; want %q", method, row.params, s.to, s.line, row.refused)
			}
		}
	}
}

// TestNamesAreResolvedOnce checks by which name a file goes on: without links, below the session's
// directory as the editor calls it; and that one goes nowhere that two readers take for two files.
func TestNamesAreResolvedOnce(t *testing.T) {
	t.Parallel()
	real := workDir(t)
	elsewhere := workDir(t)
	named := filepath.Join(t.TempDir(), "project")
	for link, target := range map[string]string{named: real, filepath.Join(real, "docs", "link.md"): "a.md", filepath.Join(real, "docs", "out"): elsewhere} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ path, outcome, goesOn string }{
		{"docs/a.md", "forwarded", "docs/a.md"},
		{"docs/./x/../a.md", "forwarded", "docs/a.md"},
		{"docs/link.md", "forwarded", "docs/a.md"},
		{"docs/new/b.md", "forwarded", "docs/new/b.md"},
		{"docs/out/../docs/a.md", "denied", ""},
		{"docs/out/../a.md", "denied", ""},
	} {
		d := newDialogue(t, readsAndEchoes, "", named)
		got, s := d.request("fs/read_text_file", fmt.Sprintf(`{"sessionId":"s1","path":%q}`, named+"/"+test.path))
		if got != test.outcome {
			t.Errorf("%s is %s, want %s: %s", test.path, got, test.outcome, s.line)
		}
		if path := s.Params["path"]; got == "forwarded" && path != filepath.Join(named, test.goesOn) {
			t.Errorf("%s goes on as %s", test.path, path)
		}
	}
	d := newDialogue(t, readsAndEchoes, "", named)
	if got, s := d.request("terminal/create", fmt.Sprintf(`{"sessionId":"s1","command":"ls","cwd":%q}`, real+"/docs")); got != "forwarded" || s.Params["cwd"] != named+"/docs" {
		t.Errorf("the terminal is %s: %s", got, s.line)
	}
	if got, s := d.request("terminal/create", fmt.Sprintf(`{"sessionId":"s1","command":"ls","cwd":%q}`, named+"/docs/out/..")); got != "denied" {
		t.Errorf("the terminal in a directory that is two is %s: %s", got, s.line)
	}
}
