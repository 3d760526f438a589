package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// walk reads a stream from a position to its end, and gives what stands there.
func walk(t *testing.T, s Stream, at Position) (details []string, end Position) {
	t.Helper()
	for {
		item, looked, err := s.Next(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if item == nil {
			return details, looked
		}
		var entry struct{ Detail string }
		if err := json.Unmarshal(item.Body, &entry); err != nil {
			t.Fatal(err)
		}
		details, at = append(details, entry.Detail), item.Position
	}
}

// TestRecordIsReadInPieces reads a record of many pieces from each place in it, while it grows, over the borders of
// segments, and by many streams at once.
func TestRecordIsReadInPieces(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const lines = 3*pieceEntries + 5
	s := h.record.Stream(Filter{}, FormatRecord)
	if end, err := s.End(t.Context()); err != nil || end.Number != 0 {
		t.Errorf("got %+v, %v", end, err)
	}
	var places []Position
	at := Position{}
	for i := range lines {
		places = append(places, at)
		h.put(fmt.Sprint(i))
		details, end := walk(t, s, at)
		if len(details) != 1 || details[0] != fmt.Sprint(i) || end.Number != int64(i+1) {
			t.Fatalf("after %d lines: %v, %+v", i+1, details, end)
		}
		at = end
	}
	if end, err := s.End(t.Context()); err != nil || end != at {
		t.Errorf("the end is %+v, want %+v (%v)", end, at, err)
	}
	var done sync.WaitGroup
	for _, record := range []*Record{h.record, NewRecord(filepath.Join(h.dir, "audit"))} {
		for i, from := range places {
			done.Go(func() {
				if details, end := walk(t, record.Stream(Filter{}, FormatRecord), from); len(details) != lines-i || details[0] != fmt.Sprint(i) || end != at {
					t.Errorf("from %d: %d lines from %s on, to %+v", i, len(details), details[0], end)
				}
			})
		}
		done.Wait()
		if len(record.pieces) > mostPieces {
			t.Errorf("%d pieces are kept", len(record.pieces))
		}
	}
	h.record.Close()
	if _, _, err := s.Next(t.Context(), Position{}); err == nil {
		t.Error("a record that is closed is read")
	}
}

// TestRecordIsBounded checks that long lines are not kept in memory beyond the bound.
func TestRecordIsBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 100 {
		h.put(strings.Repeat("x", 400<<10))
	}
	walk(t, h.record.Stream(Filter{}, FormatRecord), Position{})
	bytes := 0
	for _, p := range h.record.pieces {
		bytes += p.bytes
	}
	if bytes > mostBytes && len(h.record.pieces) > 1 {
		t.Errorf("%d bytes are kept in %d pieces", bytes, len(h.record.pieces))
	}
}

// TestRetired has a subscription that was away for longer than the record is kept: it is told what is still there,
// and what it has missed is on record.
func TestRetired(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	for i := range 200 {
		h.put(fmt.Sprint(i))
	}
	d := h.deliverer(h.sub("one", r.URL, func(s *Subscription) { s.Begin = BeginNow }))
	w := h.row("one", func(w store.Webhook) bool { return w.Position == 200 })
	h.stop(d)
	h.log.Close()
	// As if segments up to number 250 were removed: what follows is in one of its own.
	dir := filepath.Join(h.dir, "audit")
	log, err := (audit.Options{SegmentBytes: 1}).Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	h.log = log
	for i := range 60 {
		h.put(fmt.Sprint("later ", i))
	}
	names, err := filepath.Glob(filepath.Join(dir, "0*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if filepath.Base(name) < "00000251.jsonl" {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.record = NewRecord(dir)
	h.deliverer(h.sub("one", r.URL))
	r.wants("later 50", "later 51", "later 52")
	letters, err := h.store().Letters(t.Context(), w.WebhookKey)
	if err != nil || len(letters) != 1 || letters[0].Position != 201 || !strings.Contains(letters[0].Error, "201 to 250") {
		t.Errorf("got %+v, %v", letters, err)
	}
	h.mu.Lock()
	if len(h.noted) != 1 || !strings.Contains(h.noted[0].Detail, "record 201 to 250") {
		t.Errorf("on record: %+v", h.noted)
	}
	h.mu.Unlock()
	if _, err := h.store().SendAgain(t.Context(), w.WebhookKey, nil); err != nil { // which cannot be
		t.Fatal(err)
	}
	h.row("one", func(w store.Webhook) bool { return w.Again == 0 && w.Dead == 1 })
}

// TestAnotherRecord has the record replaced by another one. Nothing of that is delivered until somebody says so.
func TestAnotherRecord(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]int{"a shorter one": 1, "one of the same length": 3, "a longer one": 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			r := newReceiver(t, nil)
			h.put("a", "b", "c")
			h.deliverer(h.sub("one", r.URL))
			r.wants("a", "b", "c")
			w := h.row("one", func(w store.Webhook) bool { return w.Position == 3 })
			dir := filepath.Join(h.dir, "audit")
			h.log.Close()
			if err := os.Rename(dir, dir+".old"); err != nil {
				t.Fatal(err)
			}
			var err error
			if h.log, err = audit.Open(dir); err != nil {
				t.Fatal(err)
			}
			for i := range lines {
				h.put(fmt.Sprint(i))
			}
			w = h.row("one", func(w store.Webhook) bool { return strings.Contains(w.Error, "not the one that was followed") })
			if !strings.Contains(w.Error, "webhooks resume one --from now") {
				t.Errorf("got %q", w.Error)
			}
			r.quiet()
			if err := h.store().ChangeWebhook(t.Context(), w.WebhookKey, func(w *store.Webhook) error {
				w.Position, w.Token, w.Error = 0, "", ""
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for i := range lines {
				r.wants(fmt.Sprint(i))
			}
		})
	}
}

// TestAccepted has a person accept that the record is damaged: the new one, which says so, is delivered from its
// beginning. Nobody is told any more that the record cannot be followed, also where nothing in it is wanted.
func TestAccepted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	for i := range 50 {
		h.put(fmt.Sprint(i))
	}
	h.deliverer(h.sub("one", r.URL, func(s *Subscription) { s.Begin = BeginNow }),
		h.sub("wants nothing", r.URL, func(s *Subscription) { s.Stream = h.record.Stream(Filter{Tools: []string{"x"}}, FormatRecord) }))
	h.row("one", func(w store.Webhook) bool { return w.Position == 50 })
	h.log.Close()
	dir := filepath.Join(h.dir, "audit")
	name := filepath.Join(dir, "00000001.jsonl")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte(`"detail":"7"`), []byte(`"detail":"8"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+".away"); err != nil { // for a moment there is none, and who looks then says so
		t.Fatal(err)
	}
	h.row("wants nothing", func(w store.Webhook) bool { return w.Error != "" })
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.Accept(dir, "alice"); err != nil {
		t.Fatal(err)
	}
	if h.log, err = audit.Open(dir); err != nil {
		t.Fatal(err)
	}
	h.put("new")
	if got := r.next(); got.seq != 1 || !strings.Contains(got.detail, "alice accepted that") {
		t.Errorf("got %+v", got)
	}
	r.wants("new")
	h.row("wants nothing", func(w store.Webhook) bool { return w.Error == "" })
}

// TestCheckpoints delivers signed checkpoints to whoever wants these.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{FormatSeed, FormatCloudEvents, FormatRecord} {
		t.Run(format.String(), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			r := newReceiver(t, nil)
			dir := filepath.Join(h.dir, "audit")
			h.put("a")
			checkpoint := func() audit.Checkpoint {
				t.Helper()
				_, c, err := audit.MakeCheckpoint(dir)
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			first := checkpoint()
			d := New(h.options())
			t.Cleanup(func() { h.stop(d) })
			d.Set(CheckpointSource, []Subscription{{Source: CheckpointSource, ID: "notary", Stream: h.record.Checkpoints(format), Begin: BeginBeginning,
				Target: Target{URL: Value{Literal: r.URL}, Allow: loopback}}})
			tells := func(c audit.Checkpoint) string {
				t.Helper()
				got := r.next()
				var told struct {
					Checkpoint string
					ID         string
					Data       struct{ Checkpoint string }
				}
				if err := json.Unmarshal([]byte(got.body), &told); err != nil || told.Checkpoint+told.Data.Checkpoint != c.Note {
					t.Errorf("got %s (%v), want %s", got.body, err, c.Note)
				}
				if format == FormatCloudEvents && told.ID != got.id {
					t.Errorf("the ids are %s and %s", told.ID, got.id)
				}
				return got.id
			}
			id := tells(first)
			h.put("b")
			if other := tells(checkpoint()); other == id {
				t.Error("two checkpoints have one id")
			}
			w := h.row("notary", func(w store.Webhook) bool { return w.Position == 2 })
			if _, err := h.store().SendAgain(t.Context(), w.WebhookKey, []int64{1}); err != nil {
				t.Fatal(err)
			}
			if again := tells(first); again != id {
				t.Errorf("it was sent again as %s, and was %s", again, id)
			}
		})
	}
}

// TestFormats checks the three forms of an entry.
func TestFormats(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	exit := 0
	h.event(events.Event{Type: events.ToolEnded, TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331", Sampled: true, Task: "task_1", CallID: "c1", Act: &events.Act{Kind: "call", Tool: "web_request"},
		Outcome: &events.Outcome{Status: "completed", ExitCode: &exit, Millis: 500, Bytes: 512}})
	bodies := map[Format]map[string]any{}
	var id string
	for _, format := range []Format{FormatSeed, FormatCloudEvents, FormatRecord} {
		item, _, err := h.record.Stream(Filter{}, format).Next(t.Context(), Position{})
		if err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if err := json.Unmarshal(item.Body, &body); err != nil {
			t.Fatal(err)
		}
		bodies[format], id = body, item.ID
		if got := item.Header.Get("Traceparent"); got != "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" {
			t.Errorf("%s: traceparent is %q", format, got)
		}
		if want := map[Format]string{FormatCloudEvents: "application/cloudevents+json"}[format]; want != "" && item.ContentType != want {
			t.Errorf("%s: %s", format, item.ContentType)
		}
	}
	data := bodies[FormatSeed]["data"].(map[string]any)
	if bodies[FormatSeed]["event"] != "tool_execution" || bodies[FormatSeed]["task_id"] != "task_1" || data["status"] != "completed" || data["execution_time"] != 0.5 {
		t.Errorf("seed: %v", bodies[FormatSeed])
	}
	if c := bodies[FormatCloudEvents]; c["specversion"] != "1.0" || c["id"] != id || c["type"] != "a2a-acp.tool.ended.v1" {
		t.Errorf("cloudevents: %v", c)
	}
	if raw := bodies[FormatRecord]; raw["type"] != "tool.ended" || raw["id"] != id || raw["seq"] != 1.0 {
		t.Errorf("record: %v", raw)
	}
}

// TestFilters checks which entries are wanted.
func TestFilters(t *testing.T) {
	t.Parallel()
	decision := func(result string) *events.Decision {
		return &events.Decision{DecisionSummary: tool.DecisionSummary{Result: result}}
	}
	call := recorded{Event: events.Event{Type: events.ToolDecided, Agent: "gemini", Act: &events.Act{Kind: "call", Tool: "grep", Tools: []string{"functions.grep"}}, Decision: decision("reject")}}
	ask := recorded{Event: events.Event{Type: events.ApprovalAsked, Act: &events.Act{Kind: "write", Tool: "functions.acp_fs__write_text_file"}}}
	session := recorded{Event: events.Event{Type: events.SessionOpened, Agent: "claude"}}
	circuit := recorded{Event: events.Event{Type: events.CircuitChanged, Circuit: &events.Circuit{Tool: "grep", State: "open"}}}
	for _, test := range []struct {
		name   string
		filter Filter
		wants  []*recorded
	}{
		{"nothing said", Filter{}, []*recorded{&call, &ask, &session, &circuit}},
		{"a type", Filter{Events: []string{"tool.decided"}}, []*recorded{&call}},
		{"two", Filter{Events: []string{"tool.decided", "session.opened"}}, []*recorded{&call, &session}},
		{"the original's name", Filter{Events: []string{"tool_execution"}}, []*recorded{&call}},
		{"what it emits", Filter{Events: []string{"circuit_breaker_opened"}}, []*recorded{&circuit}},
		{"not this", Filter{Disabled: []string{"tool_execution"}}, []*recorded{&ask, &session, &circuit}},
		{"not is stronger", Filter{Events: []string{"tool.decided"}, Disabled: []string{"tool.decided"}}, nil},
		{"a tool", Filter{Tools: []string{"grep"}}, []*recorded{&call, &circuit}},
		{"a tool by another id", Filter{Tools: []string{"functions.*"}}, []*recorded{&call, &ask}},
		{"what was rejected", Filter{Decisions: []string{"reject"}}, []*recorded{&call}},
		{"what is asked", Filter{Decisions: []string{"ask"}}, []*recorded{&ask}},
		{"an agent", Filter{Agents: []string{"gem*"}}, []*recorded{&call}},
		{"all agents", Filter{Agents: []string{"*"}}, []*recorded{&call, &session}},
		{"all of it must fit", Filter{Agents: []string{"claude"}, Tools: []string{"*"}}, nil},
	} {
		var got []*recorded
		for _, e := range []*recorded{&call, &ask, &session, &circuit} {
			if test.filter.fits(e) {
				got = append(got, e)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(test.wants) {
			t.Errorf("%s: %d fit, want %d", test.name, len(got), len(test.wants))
		}
	}
	if names, known := EventNames("tool.*"); !known || len(names) < 5 {
		t.Errorf("tool.* are %v", names)
	}
	for name, want := range map[string]bool{"tool.ended": true, "tool_execution": true, "audit.checkpoint": true, "tool.endet": false, "no*": false, "cache_miss": true} {
		if _, known := EventNames(name); known != want {
			t.Errorf("%s is known: %t", name, known)
		}
	}
}

// tasks is another source: a log of tasks, each with subscriptions that come and go, as a door keeps it.
type tasks struct {
	mu   sync.Mutex
	log  []taskEvent
	news chan struct{}
}

type taskEvent struct {
	task, text string
	last       bool
}

func (l *tasks) add(e taskEvent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, e)
	close(l.news)
	l.news = make(chan struct{})
}

type taskStream struct {
	*tasks
	task string
}

func (s taskStream) item(i int) *Item {
	return &Item{Position: Position{Number: int64(i + 1)}, ID: fmt.Sprintf("%s-%d", s.task, i), Event: "statusUpdate",
		Body: []byte(`{"detail":"` + s.log[i].text + `"}`), ContentType: "application/a2a+json"}
}

func (s taskStream) Next(_ context.Context, after Position) (*Item, Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := int(after.Number); i < len(s.log); i++ {
		if s.log[i].task == s.task {
			return s.item(i), after, nil
		}
	}
	if n := int(after.Number); n > 0 && n <= len(s.log) && s.log[n-1].task == s.task && s.log[n-1].last {
		return nil, after, io.EOF
	}
	return nil, after, nil
}

func (s taskStream) At(_ context.Context, number int64) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number < 1 || int(number) > len(s.log) {
		return nil, ErrNoItem
	}
	return s.item(int(number) - 1), nil
}

func (s taskStream) End(context.Context) (Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Position{Number: int64(len(s.log))}, nil
}

func (s taskStream) News() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.news
}

// TestOtherSource delivers of a source that is no record, whose subscriptions end with their tasks.
func TestOtherSource(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	l := &tasks{news: make(chan struct{})}
	r, record := newReceiver(t, nil), newReceiver(t, nil)
	d := New(h.options())
	t.Cleanup(func() { h.stop(d) })
	on := func(task string) Subscription {
		return Subscription{Source: "tasks", ID: task + "/1", Stream: taskStream{l, task}, Begin: BeginBeginning,
			Target: Target{URL: Value{Literal: r.URL}, Allow: loopback}}
	}
	d.Set(RecordSource, []Subscription{h.sub("record", record.URL)})
	d.Set("tasks", []Subscription{on("t1")})
	h.put("a")
	l.add(taskEvent{"t1", "working", false})
	l.add(taskEvent{"t2", "of another", false})
	if got := r.wants("working")[0]; got.id != "t1-0" || got.header.Get("Content-Type") != "application/a2a+json" {
		t.Errorf("got %+v", got)
	}
	record.wants("a")
	l.add(taskEvent{"t1", "completed", true})
	r.wants("completed")
	for { // its row goes with it
		list, err := h.store().Webhooks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	d.Set("tasks", []Subscription{on("t2")})
	r.wants("of another")
	d.Set("tasks", nil) // deleted: nothing more is sent
	h.row("t2/1", func(w store.Webhook) bool { return w.Process == "" })
	l.add(taskEvent{"t2", "never", false})
	h.put("b")
	record.wants("b")
	r.quiet()
}

// TestSetDisturbsNobody has subscriptions come and go while a slow receiver is at its answer: it is sent nothing twice.
func TestSetDisturbsNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	l := &tasks{news: make(chan struct{})}
	answers := make(chan struct{})
	slow, other := newReceiver(t, func(http.ResponseWriter, *http.Request) { <-answers }), newReceiver(t, nil)
	d := New(h.options())
	t.Cleanup(func() { h.stop(d) })
	on := func(task string, r *receiver) Subscription {
		return Subscription{Source: "tasks", ID: task, Stream: taskStream{l, task}, Begin: BeginBeginning,
			Target: Target{URL: Value{Literal: r.URL}, Header: map[string]string{"X": "y"}, Allow: loopback}}
	}
	list := []Subscription{on("slow", slow)}
	d.Set("tasks", list)
	l.add(taskEvent{"slow", "one", false})
	slow.wants("one")
	for i := range 3 {
		task := fmt.Sprint("other", i)
		list = append(list, on(task, other))
		d.Set("tasks", list)
		l.add(taskEvent{task, task, false})
		other.wants(task) // so the new ones are in force
	}
	d.Set("tasks", list[:2])
	close(answers)
	l.add(taskEvent{"slow", "two", false})
	slow.wants("two")
	slow.quiet()
	h.row("slow", func(w store.Webhook) bool { return w.Delivered == 2 })
	moved := on("slow", other) // another receiver has what comes from now on
	d.Set("tasks", []Subscription{moved})
	h.row("slow", func(w store.Webhook) bool { return w.Target == moved.Target.name() })
	l.add(taskEvent{"slow", "three", false})
	other.wants("three")
	slow.quiet()
}

var errBroken = errors.New("the source is broken")

// broken is a stream that gives nothing.
type broken struct{ Stream }

func (broken) Next(_ context.Context, after Position) (*Item, Position, error) {
	return nil, after, errBroken
}

// TestBrokenSource checks that what a source cannot give is said, and tried again.
func TestBrokenSource(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t, nil)
	h.put("a")
	d := h.deliverer(h.sub("one", r.URL, func(s *Subscription) { s.Stream = broken{s.Stream} }))
	w := h.row("one", func(w store.Webhook) bool { return w.Error != "" })
	if w.Error != errBroken.Error() || w.Attempts != 0 || !h.saidAnyOf(errBroken.Error()) {
		t.Errorf("got %+v", w)
	}
	d.Set(RecordSource, []Subscription{h.sub("one", r.URL)})
	r.wants("a")
}
