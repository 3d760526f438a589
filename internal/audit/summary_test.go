package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestSummarise counts each kind of act once, by what became of it.
func TestSummarise(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	seq := int64(0)
	entry := func(kind events.Type, act string, change func(*events.Event)) Entry {
		seq++
		e := Entry{Seq: seq, Event: events.Event{Type: kind, Time: at.Add(time.Duration(seq) * time.Second), Session: "s", Agent: "Gemini"}}
		if act != "" {
			e.Act = &events.Act{Kind: act}
		}
		if change != nil {
			change(&e.Event)
		}
		return e
	}
	decided := func(result, source string) func(*events.Event) {
		return func(e *events.Event) {
			e.Decision = &events.Decision{DecisionSummary: tool.DecisionSummary{Result: result, Source: source}}
		}
	}
	ended := func(status tool.Status) func(*events.Event) {
		return func(e *events.Event) { e.Outcome = &events.Outcome{Status: string(status)} }
	}
	done := func(act string, status tool.Status) ActRecord {
		return ActRecord{entry(events.ToolDecided, act, decided("approve", "policy")), entry(events.ToolEnded, "", ended(status))}
	}
	answered := func(result, source string) ActRecord {
		return ActRecord{entry(events.ApprovalAsked, "execute", decided("ask", "default")), entry(events.ApprovalAnswered, "", decided(result, source)),
			entry(events.ToolDecided, "execute", decided(result, source))}
	}
	acts := []ActRecord{
		{entry(events.SessionOpened, "", nil)},
		done("write", tool.StatusCompleted), done("delete", tool.StatusFailed), done("move", tool.StatusCompleted),
		done("execute", tool.StatusTimeout), done("read", tool.StatusCompleted), done("search", tool.StatusCompleted),
		done("call", tool.StatusCompleted), done("fetch", tool.StatusCompleted), done("switch_mode", tool.StatusCompleted),
		answered("approve", "person"), answered("reject", "person"), answered("reject", "nobody"),
		{entry(events.ToolDecided, "write", decided("reject", "policy"))},
		{entry(events.ToolSeen, "execute", nil)},
		{entry(events.ToolSeen, "execute", func(e *events.Event) { e.Act.History = true })},
		{entry(events.ToolSeen, "write", ended(tool.StatusFailed))}, {entry(events.ToolSeen, "read", ended(events.NotDone))},
		{entry(events.ToolSeen, "execute", ended(tool.StatusFailed))},
		{entry(events.ToolViolated, "write", decided("reject", "policy"))},
		{entry(events.ToolDecided, "write", decided("reject", "policy")), entry(events.ToolViolated, "write", nil)},
		done("execute", tool.StatusCompleted),
		done("execute", events.NotDone), done("execute", events.EndUnknown),
		{entry(events.ToolEnded, "call", ended(tool.StatusFailed))},
		{entry(events.ToolDecided, "call", func(e *events.Event) { decided("approve", "person")(e); e.Act.Trial = true })},
		{entry(events.SandboxRefused, "write", nil)},
		{entry(events.ApprovalAsked, "write", decided("ask", "default"))},
	}
	// A call that was put to the person by its client, and the same one that was made again with the answer; and one that was not.
	of := func(call, detail string, c ActRecord) ActRecord {
		for i := range c {
			c[i].CallID = call
			if c[i].Type == events.ApprovalUsed {
				c[i].Detail = detail
			}
		}
		return c
	}
	putOff := func() ActRecord {
		return ActRecord{entry(events.ApprovalAsked, "call", decided("ask", "default")), entry(events.ToolDecided, "call", decided("reject", "nobody")),
			entry(events.ApprovalAnswered, "", decided("approve", "person"))}
	}
	acts = append(acts, of("first", "", putOff()),
		of("again", "the answer to question q, which call first had asked: approved at 2026-11-23T12:00:00Z by cli",
			ActRecord{entry(events.ApprovalAsked, "call", decided("ask", "default")), entry(events.ApprovalUsed, "call", nil),
				entry(events.ToolDecided, "call", decided("approve", "person")), entry(events.ToolEnded, "", ended(tool.StatusCompleted))}),
		// One that went on after a restart, with the answer to its own question.
		of("its own", "the answer to question q, which call its own had asked: approved at 2026-11-23T12:00:00Z by cli",
			ActRecord{entry(events.ApprovalAsked, "call", decided("ask", "default")), entry(events.ApprovalUsed, "call", nil),
				entry(events.ToolDecided, "call", decided("approve", "person")), entry(events.ToolEnded, "", ended(tool.StatusCompleted))}),
		of("never again", "", putOff()))
	s := Summarise(acts)
	if c := acts[len(acts)-1]; c.Result() != ResultAsked || c.By() != "" {
		t.Errorf("a call that was put off is told as %s by %q", c.Result(), c.By())
	}
	const want = "wrote 2, ran 4, read 2, called 3, fetched 1, did otherwise 1, failed 7 (3 undecided), stopped 3, refused by its sandbox 1, waiting 1, only seen 2, VIOLATIONS 2"
	if got := s.Line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.Asked != 5 || s.Yes != 4 || s.Agent != "Gemini" || len(s.WereStopped) != 4 || len(s.WereSeen) != 2 {
		t.Errorf("asked %d, yes %d, agent %q, %d stopped, %d seen", s.Asked, s.Yes, s.Agent, len(s.WereStopped), len(s.WereSeen))
	}
	if !s.From.Equal(at.Add(time.Second)) || !s.To.Equal(at.Add(time.Duration(seq)*time.Second)) {
		t.Errorf("from %v to %v", s.From, s.To)
	}
}

// What has happened counts, also where the record says that another call has used the answer.
func TestSummariseWhatHappened(t *testing.T) {
	t.Parallel()
	act := &events.Act{Kind: "execute"}
	entry := func(seq int64, e events.Event) Entry {
		e.Act = act
		return Entry{Seq: seq, Event: e}
	}
	done := func(seq int64, call, used string) ActRecord {
		return ActRecord{
			entry(seq, events.Event{Type: events.ToolDecided, CallID: call, Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "approve"}}}),
			entry(seq+1, events.Event{Type: events.ApprovalUsed, CallID: call, Detail: used}),
			entry(seq+2, events.Event{Type: events.ToolEnded, CallID: call, Outcome: &events.Outcome{Status: string(tool.StatusCompleted)}}),
		}
	}
	s := Summarise([]ActRecord{done(1, "first", ""),
		done(4, "again", "the answer to question q, which call first had asked: approved at 2026-11-23T12:00:00Z by cli")})
	if got := s.Line(); got != "wrote 0, ran 2, read 0, stopped 0, only seen 0" {
		t.Errorf("got %s", got)
	}
}

// Which call's answer was used stands in a member of its own; records made before it have it in words alone.
func TestUses(t *testing.T) {
	t.Parallel()
	const words = "the answer to question q, which call first had asked: approved at 2026-11-23T12:00:00Z by cli"
	for name, test := range map[string]struct{ askedBy, detail, want string }{
		"told":               {"first", "whatever the words are", "first"},
		"words that differ":  {"first", "the answer to question q, which call other had asked: approved", "first"},
		"its own":            {"again", words, ""},
		"an older record":    {"", words, "first"},
		"an older, its own":  {"", strings.ReplaceAll(words, "first", "again"), ""},
		"nothing but a used": {"", "", ""},
	} {
		used := events.Event{Type: events.ApprovalUsed, CallID: "again", AskedBy: test.askedBy, Detail: test.detail}
		if got := (ActRecord{{Event: used}}).uses(); got != test.want {
			t.Errorf("%s: used is the answer of %q, want %q", name, got, test.want)
		}
	}
}

// A call whose question stands on waits, and does so once, whatever number of calls have asked it.
func TestPutOff(t *testing.T) {
	t.Parallel()
	asks := func(seq int64, call, joined string) ActRecord {
		act := &events.Act{Kind: "call"}
		waits := &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "reject", Source: "nobody"}, Waits: true}
		c := ActRecord{{Seq: seq, Event: events.Event{Type: events.ApprovalAsked, CallID: call, Act: act}}}
		if joined != "" {
			c = append(c, Entry{Seq: seq + 1, Event: events.Event{Type: events.ApprovalJoined, CallID: call, AskedBy: joined, Act: act}})
		}
		return append(c, Entry{Seq: seq + 2, Event: events.Event{Type: events.ToolDecided, CallID: call, Act: act, Decision: waits}})
	}
	first := asks(1, "first", "")
	if first.Result() != ResultAsked || first.By() != "" {
		t.Errorf("it is told as %s by %q", first.Result(), first.By())
	}
	s := Summarise([]ActRecord{first, asks(4, "again", "first"), asks(7, "once more", "again")})
	if got, want := s.Line(), "wrote 0, ran 0, read 0, stopped 0, waiting 1, only seen 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
