package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// slate is a Board in the hands of a test.
type slate struct{ posted chan *slip }

// slip is a notice on it.
type slip struct {
	question  approval.Question
	elsewhere chan approval.Answer
	held      chan approval.Answer // an answer from elsewhere that the bridge has not heard of
	settled   chan approval.Answer
	withdrawn chan string
}

func newSlate() *slate { return &slate{posted: make(chan *slip, 8)} }

func (s *slate) Post(q approval.Question) approval.Notice {
	n := &slip{q, make(chan approval.Answer, 1), make(chan approval.Answer, 1), make(chan approval.Answer, 1), make(chan string, 8)}
	s.posted <- n
	return n
}

func (n *slip) Earlier(context.Context, func()) (answer approval.Answer, found bool, err error) {
	return answer, false, nil
}

func (n *slip) Over(approval.Answer, error) {}

func (n *slip) Elsewhere(ctx context.Context, _ func(string)) (approval.Answer, error) {
	select {
	case answer := <-n.elsewhere:
		return answer, nil
	case <-ctx.Done():
		return approval.Answer{}, context.Cause(ctx)
	}
}

func (n *slip) Settle(here approval.Answer) (approval.Answer, bool) {
	n.settled <- here
	select {
	case held := <-n.held:
		return held, false
	default:
		return here, true
	}
}

func (n *slip) Withdraw(why error) { n.withdrawn <- why.Error() }

// sameBoard takes all questions for the very same: the first one waits for the answer to the second, as where
// two calls ask at once and the later one is quicker.
type sameBoard struct {
	*slate
	posted atomic.Int32
	over   chan struct{}
	once   sync.Once
}

func (b *sameBoard) Post(q approval.Question) approval.Notice {
	b.once.Do(func() { b.over = make(chan struct{}) })
	return &sameSlip{b.slate.Post(q).(*slip), b, b.posted.Add(1) == 1}
}

type sameSlip struct {
	*slip
	board *sameBoard
	first bool
}

func (n *sameSlip) Earlier(ctx context.Context, waits func()) (answer approval.Answer, found bool, err error) {
	if n.first {
		waits()
		select {
		case <-n.board.over:
		case <-ctx.Done():
			return answer, false, context.Cause(ctx)
		}
	}
	return answer, false, nil
}

func (n *sameSlip) Over(approval.Answer, error) {
	if !n.first {
		close(n.board.over)
	}
}

const prelude = `
editor> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}
agent<  …
agent>  {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"fake","version":"1"}}}
editor< …
editor> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"$WORK","mcpServers":[]}}
agent<  …
agent>  {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}
editor< …
`

const askedByAgent = `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"touch x","kind":"execute","rawInput":{"command":"touch x"}},"options":[{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]}}`

// ourWords are what a question that no rule is about says before the agent's words.
const ourWords = `{"type":"content","content":{"type":"text","text":"a2a-acp asks because no rule approves or rejects it"}}`

// forSession is what a question says of the agent's option for the whole session.
func forSession(lasts string) string {
	return `{"type":"content","content":{"type":"text","text":"a2a-acp: Allow in this session: ` + lasts + `"}}`
}

// inTheEditor is a question of an agent's as the editor gets it, with words of ours in front of what it
// shows.
func inTheEditor(t *testing.T, asked string) string {
	t.Helper()
	words := ourWords
	lasts := "exactly this command, `touch x`, in $WORK"
	switch {
	case strings.Contains(asked, `"kind":"switch_mode"`):
		lasts = "nothing is kept: a change of mode is asked every time"
	case !strings.Contains(asked, `"kind":"allow_once"`):
		lasts = "the agent has no answer for this once, so it gets yours as it is, and keeps what it likes"
	}
	switch {
	case strings.Contains(asked, `"kind":"switch_mode"`):
		words = strings.Replace(words, "no rule approves or rejects it", "another mode changes what the agent may do by itself, so you are always asked", 1)
	case strings.Contains(asked, `"kind":"execute"`):
		words = strings.Replace(words, `rejects it"`, `rejects it\nIt could reach all that you can: no sandbox holds the agent."`, 1)
	}
	return strings.Replace(asked, `,"rawInput"`, `,"content":[`+words+`,`+forSession(lasts)+`],"rawInput"`, 1)
}

// run plays lines; a line that is read must hold what stands there.
func (s *stage) run(lines string) {
	s.t.Helper()
	work := s.t.TempDir()
	for line := range strings.Lines(lines) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "$WORK", work)
		got, err := s.play(line)
		if err != nil {
			s.t.Fatalf("%s: %v", line, err)
		}
		if _, want, _ := strings.Cut(line, "< "); strings.Contains(line, "< ") && !strings.Contains(got, strings.Trim(strings.TrimSpace(want), "…")) {
			s.t.Fatalf("got %s, want %s", got, want)
		}
	}
}

// TestPromptAnsweredElsewhere checks an agent's own question that stands on the board, too: whichever
// answer is first holds, once, and the agent hears it in its own options.
func TestPromptAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	cli := func(v permissions.Verdict) approval.Answer {
		return approval.Answer{Verdict: v, Source: permissions.SourcePerson, By: "cli maria", Reason: "why"}
	}
	const pick = `editor> {"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":"`
	for _, test := range []struct {
		name      string
		before    func(*slip)
		play      string
		settled   string // what the editor said to the board
		withdrawn string
		record    string
	}{
		{"a yes elsewhere", func(n *slip) { n.elsewhere <- cli(permissions.Approve) }, `
editor< {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}
editor< allowed by you, elsewhere (cli maria)
agent<  "id":"p","result":{"outcome":{"outcome":"selected","optionId":"y"}}
` + pick + `n"}}}
editor> {"jsonrpc":"2.0","method":"_next"}
agent<  _next`, "", "", `"result":"approve","source":"person","reason":"why","approver":"cli maria","option_id":"y"`},
		{"a no elsewhere", func(n *slip) { n.elsewhere <- cli(permissions.Reject) }, `
editor< {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}
editor< rejected by you, elsewhere (cli maria)
agent<  "id":"p","result":{"outcome":{"outcome":"selected","optionId":"n"}}
` + pick + `a"}}}
editor> {"jsonrpc":"2.0","method":"_next"}
agent<  _next`, "", "", `"result":"reject","source":"person","reason":"why","approver":"cli maria","option_id":"n"`},
		{"the editor, which is second", func(n *slip) { n.held <- cli(permissions.Reject) }, pick + `a"}}}
editor< rejected by you, elsewhere (cli maria)
agent<  "id":"p","result":{"outcome":{"outcome":"selected","optionId":"n"}}`, "approve", "", `"result":"reject","source":"person","reason":"why","approver":"cli maria"`},
		{"the editor", nil, pick + `y"}}}
agent<  {"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":"y"}}}`, "approve", "", `"result":"approve","source":"person","approver":"editor"`},
		{"the editor says nothing", nil, `editor> {"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"cancelled"}}}
agent<  {"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"cancelled"}}}`, "", "the editor put the question away", `"reason":"asked, but not answered: the editor put the question away"`},
		{"the agent withdraws it", nil, `agent> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}
editor< {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`, "", "the agent withdrew its request", ""},
		{"the turn is cancelled", nil, `editor> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}
agent<  session/cancel
editor< $/cancel_request`, "", "the person cancelled the turn", ""},
		{"the session is closed", nil, `editor> {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s1"}}
agent<  session/close
editor< $/cancel_request`, "", "the session was closed", ""},
		{"the session goes to another directory", nil, `editor> {"jsonrpc":"2.0","id":9,"method":"session/load","params":{"sessionId":"s1","cwd":"/usr/share","mcpServers":[]}}
agent<  "id":"p","result":{"outcome":{"outcome":"cancelled"}}
agent<  session/load
editor< $/cancel_request`, "", "the session was opened in another directory", ""},
		{"the agent ends", nil, "agent closes\neditor< $/cancel_request", "", "the agent has ended", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", "board")
			s.run(prelude + "\nagent> " + askedByAgent + "\neditor< " + inTheEditor(t, askedByAgent))
			n := <-s.board.posted
			if q := n.question; q.Bound || q.Digest == "" || q.Title != "touch x" || !strings.Contains(q.Text, "The agent's own words:\n```bash\ntouch x\n```") {
				t.Errorf("the question is %+v", q)
			}
			if test.before != nil {
				test.before(n)
			}
			s.run(test.play)
			if test.withdrawn != "" {
				if got := <-n.withdrawn; got != test.withdrawn {
					t.Errorf("withdrawn: %q, want %q", got, test.withdrawn)
				}
			}
			s.end()
			settled := ""
			select {
			case answer := <-n.settled:
				settled = answer.Verdict.String()
			default:
			}
			if settled != test.settled {
				t.Errorf("settled: %q, want %q", settled, test.settled)
			}
			if record := s.record.String(); !strings.Contains(record, test.record) || strings.Count(record, `"tool.decided"`) > 1 {
				t.Errorf("want one decision with %s on record\n%s", test.record, record)
			}
		})
	}
}

// TestNotOnTheBoard checks that a question whose "yes" is not one thing is answered in the editor alone.
func TestNotOnTheBoard(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"another mode": {`"kind":"execute"`, `"kind":"switch_mode"`},
		"always only":  {`{"optionId":"y","name":"Yes","kind":"allow_once"},`, ``},
		"a new kind":   {`"kind":"allow_once"`, `"kind":"allow_for_now"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", "board")
			asked := strings.Replace(askedByAgent, change[0], change[1], 1)
			if !json.Valid([]byte(asked)) || asked == askedByAgent {
				t.Fatal("the change went wrong")
			}
			s.run(prelude + "\nagent> " + asked + "\neditor< " + inTheEditor(t, asked))
			s.end()
			if len(s.board.posted) > 0 {
				t.Errorf("it stands on the board: %+v", (<-s.board.posted).question)
			}
		})
	}
}

// TestSecretsOfOurTools checks that no value of a secret parameter gets on record, or on the board, by way
// of the agent's own question about the call: not by the arguments, the title, the paths, the command or a
// doubt, and in no spelling of JSON.
func TestSecretsOfOurTools(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"plain": `hunter2`, "in quotes": `hun\"ter2\u003c`, "spelled": `\u0068unter2`} {
		for _, way := range []string{"y runs", "n quiet", "a runs", "other quiet"} {
			answer, text, _ := strings.Cut(way, " ")
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, "", "board\ntools")
				asked := `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s1","options":[{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}],"toolCall":{"toolCallId":"c1","title":"note (a2a-acp MCP Server)","name":"mcp__a2a-acp__note","kind":"other","rawInput":{"text":"` + text + `","password":"` + value + `"}}}}`
				s.run(prelude + "\nagent> " + asked + "\neditor< …")
				n := <-s.board.posted
				kept := map[bool]string{true: "\neditor< nothing is kept"}[answer == "a"]
				s.run(`editor> {"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"selected","optionId":"` + answer + `"}}}` + kept + "\nagent<  …")
				s.end()
				question, err := json.Marshal(n.question)
				if err != nil {
					t.Fatal(err)
				}
				for place, text := range map[string]string{"record": s.record.String(), "board": string(question)} {
					if strings.Contains(text, "ter2") || !strings.Contains(text, "[secret]") {
						t.Errorf("the %s holds %s", place, text)
					}
				}
				if n.question.Digest != "" {
					t.Errorf("a digest of it is on record, which a short value could be tried out on: %s", n.question.Digest)
				}
			})
		}
	}
}

// TestElsewhereSeesWhatNobodyKnows checks that a question about a command which holds what nobody here
// knows shows all of that to who does not see the editor. What is shown is a part of the question's key.
func TestElsewhereSeesWhatNobodyKnows(t *testing.T) {
	t.Parallel()
	const asks = `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"touch x","kind":"execute","rawInput":{"command":"touch x","permissions":"INPUT"},"target":"CALL","content":[{"type":"content","content":{"type":"resource","resource":{"uri":"file:///x","text":"RESOURCE"}}},{"type":"content","content":{"type":"text","text":"WORDS"}}]},"options":[{"optionId":"y","name":"Yes","kind":"allow_once","extent":"OPTION"}]}}`
	s := newStage(t, "", "board")
	s.run(prelude + "\nagent> " + asks + "\neditor< …")
	question := (<-s.board.posted).question
	for _, value := range []string{"INPUT", "CALL", "OPTION", "RESOURCE", "WORDS"} {
		if !strings.Contains(question.Text, value) {
			t.Errorf("%s is not in %s", value, question.Text)
		}
	}
	s.end()
	t.Run("version 2", func(t *testing.T) {
		t.Parallel()
		d := newDialogue(t, "", "board", workDir(t))
		d.second()
		d.request("session/request_permission", `{"sessionId":"s1","title":"TITLE","description":"DESCRIPTION","subject":{"type":"tool_call","toolCall":{"toolCallId":"c1","title":"Edit","kind":"edit","content":[{"type":"diff","changes":[{"operation":"modify","path":"$WORK/docs/a.md","hunks":"HUNKS"}]}]}}`+yesNo+`}`)
		question := (<-d.board.posted).question
		for _, value := range []string{"TITLE", "DESCRIPTION", "HUNKS"} {
			if !strings.Contains(question.Text, value) {
				t.Errorf("%s is not in %s", value, question.Text)
			}
		}
	})
}

// TestCancelsWhatWasLeft has the editor end what an earlier bridge may have left questions for, in sessions that are open
// here and in others: they are over before the agent hears of it.
func TestCancelsWhatWasLeft(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", "cancelled")
	s.run(prelude)
	for _, row := range []struct{ method, session, want string }{
		{"session/cancel", "before", "fake before: the person cancelled the turn"},
		{"session/cancel", "s1", "fake s1: the person cancelled the turn"},
		{"session/close", "gone", "fake gone: the session was closed"},
		{"session/delete", "s1", "fake s1: the session was closed"},
		{"session/close", "", ""},
	} {
		s.cancelled.Store("")
		id := ""
		if row.method != "session/cancel" {
			id = `"id":"` + row.method + row.session + `",`
		}
		s.run(`editor> {"jsonrpc":"2.0",` + id + `"method":"` + row.method + `","params":{"sessionId":"` + row.session + "\"}}\nagent< " + row.method)
		if got := s.cancelled.Load(); got != row.want {
			t.Errorf("%s of %q: over is %q, want %q", row.method, row.session, got, row.want)
		}
	}
	s.end()
}

// TestQuestionOfAMovedRule has a rule that asks stand at another line: nothing of the act has changed, so an answer that waits
// is one to this question, too. A rule that says something else makes it another one.
func TestQuestionOfAMovedRule(t *testing.T) {
	t.Parallel()
	const rule = "- {id: looked-at, applies_to: [\"*\"], decision: {type: ask, reason: %s}}\n"
	dir := t.TempDir()
	for _, asked := range []string{
		askedByAgent,
		`{"jsonrpc":"2.0","id":4,"method":"fs/write_text_file","params":{"sessionId":"s1","path":"` + dir + `/notes.txt","content":"hello"}}`,
	} {
		question := func(policies string) approval.Question {
			s := newStage(t, policies, "board")
			s.run(strings.NewReplacer("$WORK", dir, `"clientCapabilities":{}`, `"clientCapabilities":{"fs":{"writeTextFile":true}}`).Replace(prelude) +
				"\nagent> " + asked + "\neditor< …")
			q := (<-s.board.posted).question
			if q.Digest == "" || !strings.Contains(q.Text, "(rule looked-at, ") {
				t.Fatalf("the question is %+v", q)
			}
			return q
		}
		const head = "version: 2\nauto_approval_policies:\n"
		first, moved := question(head+fmt.Sprintf(rule, "why")), question("# A comment.\n"+head+fmt.Sprintf(rule, "why"))
		if first.Text == moved.Text || first.Key() != moved.Key() {
			t.Errorf("the rule was moved: %q\n%q", first.Text, moved.Text)
		}
		if other := question(head + fmt.Sprintf(rule, "other")); first.Key() == other.Key() {
			t.Errorf("the rule says something else: %q", other.Text)
		}
	}
}
