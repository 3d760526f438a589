package a2aclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

const token = "tok-0123456789"

// scripted is a server that answers each method, or path, as its row says.
type scripted struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // methods and paths, with !token behind them where the token was shown
}

func serve(t *testing.T, card string, answer func(w http.ResponseWriter, r *http.Request, method string)) *scripted {
	t.Helper()
	s := &scripted{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var said struct{ Method string }
		_ = json.Unmarshal(body, &said)
		name := said.Method
		if name == "" {
			name = r.Method + " " + r.URL.Path
		}
		shown := ""
		if r.Header.Get("Authorization") == "Bearer "+token {
			shown = "!token"
		}
		s.mu.Lock()
		s.seen = append(s.seen, name+shown)
		s.mu.Unlock()
		if card != "" && r.URL.Path == cardPaths[0] {
			fmt.Fprint(w, strings.ReplaceAll(card, "BASE", s.URL))
			return
		}
		answer(w, r, name)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

const card10 = `{"name": "a", "capabilities": {"streaming": true}, "supportedInterfaces": [{"url": "BASE/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}`

// connect discovers a server and connects with it.
func connect(t *testing.T, base string, c ConnectOptions) (*Client, error) {
	t.Helper()
	u, err := ParseURL(base)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Credential: Credential{Secret: token}, Wait: func(context.Context, time.Duration) error { return nil }}
	card, err := Discover(t.Context(), u, o)
	if err != nil {
		return nil, err
	}
	return Connect(card, o, c)
}

func hello() *wire.SendMessageRequest {
	return &wire.SendMessageRequest{Message: wire.NewMessage(wire.MessageRoleUser, wire.NewTextPart("hello"))}
}

func events(w http.ResponseWriter, list ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range list {
		id, body, _ := strings.Cut(event, " ")
		fmt.Fprintf(w, "id: %s\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}\n\n", id, body)
	}
}

func status(state, message string) string {
	if message != "" {
		message = `,"message":` + message
	}
	return `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_` + state + `"` + message + `}}}`
}

// TestElsewhere has cards and redirects lead to another origin. Nothing is asked there, and no token is shown, unless
// a person has allowed it.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	other := serve(t, "", func(w http.ResponseWriter, _ *http.Request, _ string) {
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}}`)
	})
	stolen := strings.ReplaceAll(strings.ReplaceAll(card10, "BASE", other.URL), `"streaming": true`, `"streaming": false`)
	server := serve(t, stolen, nil)
	var elsewhere *ElsewhereError
	if _, err := connect(t, server.URL, ConnectOptions{}); !errors.As(err, &elsewhere) {
		t.Fatalf("a card that leads elsewhere: %v", err)
	}
	if asked := other.asked(); asked != nil {
		t.Errorf("the other server was asked %q", asked)
	}
	origin, err := ReadOrigin(other.URL)
	if err != nil {
		t.Fatal(err)
	}
	client, err := connect(t, server.URL, ConnectOptions{Allow: []string{origin}})
	if err == nil {
		_, err = client.Send(t.Context(), hello())
	}
	if asked := other.asked(); err != nil || len(asked) != 1 {
		t.Errorf("allowed: %v, asked %q", err, asked)
	}

	// A redirect leads away while something is sent, while a card is read, and within the origin.
	away := serve(t, card10, func(w http.ResponseWriter, r *http.Request, _ string) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	client, err = connect(t, away.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var redirect *RedirectError
	if _, err := client.Send(t.Context(), hello()); !errors.As(err, &redirect) {
		t.Errorf("sent on: %v", err)
	}
	lost := serve(t, "", func(w http.ResponseWriter, r *http.Request, _ string) {
		http.Redirect(w, r, other.URL+"/card.json", http.StatusFound)
	})
	if _, err := connect(t, lost.URL, ConnectOptions{}); !errors.As(err, &redirect) {
		t.Errorf("a card elsewhere: %v", err)
	}
	if asked := other.asked(); len(asked) != 1 {
		t.Errorf("the other server was asked %q", asked)
	}
}

// TestTokenIsNotForCards shows the token to the operations, and not to whoever has a card.
func TestTokenIsNotForCards(t *testing.T) {
	t.Parallel()
	s := serve(t, card10, func(w http.ResponseWriter, _ *http.Request, _ string) { events(w, "1 "+status("COMPLETED", "")) })
	client, err := connect(t, s.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Talk{Client: client, Tell: func(wire.Event) {}}).Send(t.Context(), hello()); err != nil {
		t.Fatal(err)
	}
	want := []string{"GET /.well-known/agent-card.json", "SendStreamingMessage!token"}
	if got := s.asked(); !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

// TestCredential has headers that a card cannot have a token put into, and tokens that would be headers.
func TestCredential(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Credential{
		"line end":    {Secret: "a\r\nX: y"},
		"Host":        {Secret: "a", As: "host"},
		"length":      {Secret: "a", As: "Content-Length"},
		"not a name":  {Secret: "a", As: "X: y\r\nZ"},
		"our version": {Secret: "a", As: "A2A-Version"},
	} {
		if _, _, err := c.header(nil); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	card, err := ParseCard([]byte(`{"name":"a","securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"Host"}}}}`), &url.URL{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (Credential{Secret: "a"}).header(card); err == nil {
		t.Error("a card had the token put into Host")
	}
	if got := fmt.Sprintf("%v %+v %#v %s", Credential{Secret: token}, Credential{Secret: token}, Credential{Secret: token},
		Credential{Secret: token}); strings.Contains(got, token) {
		t.Errorf("printed: %s", got)
	}
}

// endless writes the same without end, as far as somebody reads.
func endless(w io.Writer, begin string) {
	_, err := io.WriteString(w, begin)
	for filler := strings.Repeat("x", 64<<10); err == nil; {
		_, err = io.WriteString(w, filler)
	}
}

// TestTooLong has servers that do not stop: the card, an answer, an error, one event of a stream. Each ends.
func TestTooLong(t *testing.T) {
	t.Parallel()
	long := serve(t, "", func(w http.ResponseWriter, _ *http.Request, _ string) { endless(w, `{"name":"`) })
	if _, err := connect(t, long.URL, ConnectOptions{}); err == nil || !strings.Contains(err.Error(), "longer than 1 MB") {
		t.Errorf("a card: %v", err)
	}
	s := serve(t, card10, func(w http.ResponseWriter, _ *http.Request, method string) {
		switch method {
		case "SendStreamingMessage":
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, "data: ")
		case "GetTask":
			endless(w, `{"jsonrpc":"2.0","result":"`)
		default:
			w.WriteHeader(http.StatusInternalServerError)
			endless(w, `{"error":"`)
		}
	})
	client, err := connect(t, s.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&Talk{Client: client, Tell: func(wire.Event) {}}).Send(t.Context(), hello())
	if err == nil || !strings.Contains(err.Error(), "longer than 16 MB") {
		t.Errorf("an event: %v", err)
	}
	if _, err := client.Task(t.Context(), "t"); err == nil || !strings.Contains(err.Error(), "longer than 64 MB") {
		t.Errorf("an answer: %v", err)
	}
	var said *Error
	if _, err := client.Cancel(t.Context(), "t"); !errors.As(err, &said) || said.Status != 500 {
		t.Errorf("an error: %v", err)
	}
}

// TestBrokenStream has streams break off: the next one goes on behind the last event, and where the server has no
// stream the task is looked at.
func TestBrokenStream(t *testing.T) {
	t.Parallel()
	tries := 0
	s := serve(t, card10, func(w http.ResponseWriter, r *http.Request, method string) {
		switch method {
		case "SendStreamingMessage":
			events(w, "7 "+status("WORKING", ""))
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "SubscribeToTask":
			if tries++; tries == 1 && r.Header.Get("Last-Event-ID") == "7" {
				events(w, `8 {"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[{"text":"x"}]}}}`, `9 `+
					strings.ReplaceAll(status("FAILED", ""), `"t"`, `"another"`))
				return
			}
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no streams"}}`)
		case "GetTask":
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`)
		}
	})
	client, err := connect(t, s.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	end, err := (&Talk{Client: client, Tell: func(e wire.Event) { told = append(told, fmt.Sprintf("%T", e)) }}).Send(t.Context(), hello())
	if err != nil || end.Status.State != wire.TaskStateCompleted || end.Context != "c" {
		t.Fatalf("%+v, %v", end, err)
	}
	want := []string{"*a2a.TaskStatusUpdateEvent", "*a2a.TaskArtifactUpdateEvent", "*a2a.Task"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestSentOnce has a server say of a stream that it has none: the message is sent without, unless the stream has told something
// before. Then it was taken, and a yes that is sent again could be one to the next question.
func TestSentOnce(t *testing.T) {
	t.Parallel()
	const none = `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no streams"}}`
	for name, row := range map[string]struct {
		begins string // what the stream tells before
		task   string // that the message is for
		want   string
	}{
		"no stream":                 {"", "", "SendStreamingMessage SendMessage"},
		"no stream of a task":       {"", "t", "SendStreamingMessage SendMessage"},
		"it was taken":              {status("WORKING", ""), "", "SendStreamingMessage"},
		"it was taken by a task":    {status("WORKING", ""), "t", "SendStreamingMessage"},
		"something of another task": {strings.ReplaceAll(status("WORKING", ""), `"t"`, `"u"`), "t", "SendStreamingMessage"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, card10, func(w http.ResponseWriter, _ *http.Request, method string) {
				switch {
				case method == "SendMessage":
					fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}}`)
				case row.begins == "":
					fmt.Fprint(w, none)
				default:
					events(w, "1 "+row.begins)
					fmt.Fprintf(w, "data: %s\n\n", none)
				}
			})
			client, err := connect(t, s.URL, ConnectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			talk := &Talk{Client: client, Tell: func(wire.Event) {}}
			talk.end.Task = row.task
			r := hello()
			r.Message.TaskID = wire.TaskID(row.task)
			err = talk.send(t.Context(), r, End.over)
			var sent []string
			for _, method := range s.asked()[1:] {
				sent = append(sent, strings.TrimSuffix(method, "!token"))
			}
			if got := strings.Join(sent, " "); got != row.want || (err == nil) != (row.begins == "") {
				t.Errorf("asked for %q, want %q: %v", got, row.want, err)
			}
		})
	}
}

// TestAnswers has a task ask, with options and without, refuse an answer, and be answered by somebody else.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const question = `{"messageId":"q","role":"ROLE_AGENT","parts":[{"text":"Run it?"},{"data":{"requestId":"r1",
		"options":[{"optionId":"yes1","name":"Yes","kind":"allow_once"},{"id":"no1"}]}}]}`
	for name, row := range map[string]struct {
		second string // what the server says to the answer
		look   string // the state that the task is in by then, and the id of its message where that is another one
		want   wire.TaskState
		asked  int
		late   int
		err    error // what Answer returns
	}{
		"taken": {`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`, "", wire.TaskStateCompleted, 1, 0, nil},
		"taken, as it stood": {`{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":` +
			strings.ReplaceAll(question, "\n", " ") + `}}}` + "|4 " + status("COMPLETED", ""), "", wire.TaskStateCompleted, 1, 0, nil},
		"refused":            {"", "INPUT_REQUIRED", wire.TaskStateInputRequired, 2, 0, nil},
		"answered elsewhere": {"", "REJECTED", wire.TaskStateRejected, 1, 1, nil},
		"asks another":       {"", "INPUT_REQUIRED another", wire.TaskStateInputRequired, 2, 1, nil},
		"seen elsewhere":     {"", "WORKING", wire.TaskStateCompleted, 1, 0, ErrAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := 0
			var answer string
			s := serve(t, card10, nil)
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				switch {
				case r.URL.Path == cardPaths[0]:
					fmt.Fprint(w, strings.ReplaceAll(card10, "BASE", s.URL))
				case strings.Contains(string(body), "GetTask"):
					state, another, _ := strings.Cut(row.look, " ")
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_%s","message":%s}}}`,
						state, strings.ReplaceAll(question, `"q"`, `"q`+another+`"`))
				case strings.Contains(string(body), "SubscribeToTask"): // whoever asks for what it has missed is asked once more
					stale := strings.ReplaceAll(status("INPUT_REQUIRED", strings.ReplaceAll(question, `"q"`, `"q2"`)), "\n", " ")
					if r.Header.Get("Last-Event-Id") == "" {
						stale = status("COMPLETED", "")
					}
					events(w, "3 "+stale)
				case sent == 0:
					sent++
					events(w, "1 "+strings.ReplaceAll(status("INPUT_REQUIRED", question), "\n", " "))
				default:
					answer = string(body)
					if row.second == "" {
						fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`)
						return
					}
					events(w, strings.Split("2 "+row.second, "|")...)
				}
			})
			client, err := connect(t, s.URL, ConnectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			asked, late := 0, 0
			talk := &Talk{Client: client, Tell: func(wire.Event) {}, Late: func(error) { late++ }, Answer: func(_ context.Context, task End, refused error) (*wire.Message, error) {
				asked++
				if row.err != nil {
					return nil, row.err
				}
				if refused != nil {
					return nil, nil //nolint:nilerr // no other answer
				}
				if asked == 2 { // another question, which has to be read first
					return nil, nil
				}
				ask := AskOf(task.Status)
				if ask.Text != "Run it?" || len(ask.Options) != 2 || ask.Options[1] != (Option{ID: "no1", Name: "no1"}) {
					t.Errorf("asked %+v", ask)
				}
				return ask.Answer("yes1"), nil
			}}
			end, err := talk.Send(t.Context(), hello())
			if err != nil || end.Status.State != row.want || asked != row.asked {
				t.Errorf("%+v, %v, asked %d times", end, err, asked)
			}
			if late != row.late {
				t.Errorf("told %d times that the answer came too late", late)
			}
			if row.err != nil {
				return
			}
			for _, part := range []string{`"taskId":"t"`, `"contextId":"c"`, `"optionId":"yes1"`, `"requestId":"r1"`} {
				if !strings.Contains(answer, part) {
					t.Errorf("the answer %s has no %s", answer, part)
				}
			}
		})
	}
}

// TestAnswered has a task go on that has waited: at once, behind a stream that broke off, and in a task of another's.
func TestAnswered(t *testing.T) {
	t.Parallel()
	waits, goesOn := "1 "+status("INPUT_REQUIRED", ""), "2 "+status("WORKING", "")
	for name, row := range map[string]struct {
		streams [][]string
		want    bool
	}{
		"at once":      {[][]string{{waits, goesOn}}, true},
		"broken off":   {[][]string{{waits}, {waits, goesOn}}, true},
		"not told":     {[][]string{{waits}}, false},
		"another task": {[][]string{{waits, strings.ReplaceAll(goesOn, `"t"`, `"u"`)}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams := 0
			s := serve(t, card10, func(w http.ResponseWriter, _ *http.Request, _ string) {
				if streams++; streams > len(row.streams) {
					fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`)
					return
				}
				events(w, row.streams[streams-1]...)
			})
			client, err := connect(t, s.URL, ConnectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := client.Answered(t.Context(), "t"); got != row.want {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
}

// TestNothingToFollow has a server end each stream at once, and fail: it is given up.
func TestNothingToFollow(t *testing.T) {
	t.Parallel()
	s := serve(t, card10, func(w http.ResponseWriter, _ *http.Request, method string) {
		if method == "GetTask" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		events(w)
	})
	client, err := connect(t, s.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&Talk{Client: client, Tell: func(wire.Event) {}}).Follow(t.Context(), "t")
	if err == nil || !strings.Contains(err.Error(), "cannot be followed: the server says: 502 Bad Gateway") {
		t.Errorf("%v", err)
	}
}

// TestParseURL has what people type.
func TestParseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"agent.example": "https://agent.example", "localhost:80/x": "http://localhost:80/x", "127.0.0.1": "http://127.0.0.1",
		"http://a/": "http://a/", "ftp://a": "", "https://u:p@a": "", "https://": "", "http://a/#x": "http://a/", "file:///etc/passwd": "",
	} {
		u, err := ParseURL(text)
		if got := fmt.Sprint(u); (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// FuzzEvents reads what strangers say: nothing panics, and what was read can be told.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(card10))
	f.Add([]byte(`{"task":{"id":"t","artifacts":[null,{"parts":[null]}],"status":{"message":null}}}`))
	f.Add([]byte(`{"kind":"task","id":"t","history":[null],"artifacts":[{"parts":[{"kind":"file","file":{}}]}]}`))
	f.Add([]byte("id: 1\ndata: {}\ndata\n\n:x\r\n\r\ndata: [1\n\n"))
	f.Fuzz(func(_ *testing.T, body []byte) {
		if card, err := ParseCard(body, &url.URL{Scheme: "https", Host: "a"}); err == nil {
			_, _ = Connect(card, Options{}, ConnectOptions{})
			_, _, _ = Credential{Secret: "a"}.header(card)
		}
		for _, c := range []*Client{
			{version: Version10, Interface: Interface{Binding: JSONRPC}}, {version: Version03, Interface: Interface{Binding: JSONRPC}},
			{version: Version03, Interface: Interface{Binding: HTTPJSON}},
		} {
			if event, err := c.readEvent(body); err == nil {
				_, _ = json.Marshal(wire.StreamResponse{Event: event})
				_ = event.TaskInfo()
			}
			if task, err := c.readTask(body); err == nil {
				AskOf(task.Status)
			}
			_, _ = c.readTasks(body)
			_, _ = c.readPush(body)
			_, _ = c.readPushes(body, "t")
			_, _ = c.result(body)
		}
		_ = errorOf(400, body).Error()
		for events := newSSEReader(strings.NewReader(string(body))); ; {
			if _, _, err := events.next(); err != nil {
				break
			}
		}
	})
}

// What is answered says which question it is for, also where it is no option: another one may stand there by now.
func TestAnswersNameTheirQuestion(t *testing.T) {
	t.Parallel()
	ask := Ask{Options: []Option{{ID: "allow_once"}}, Question: "r1"}
	for text, option := range map[string]any{"allow_once": "allow_once", "allow": nil, "yes": nil} {
		m := ask.Answer(text)
		if m.Metadata["requestId"] != "r1" || m.Metadata["optionId"] != option || m.Parts[0].Text() != text {
			t.Errorf("%s: %+v", text, m)
		}
	}
	if m := (Ask{}).Answer("yes"); m.Metadata != nil {
		t.Errorf("of a question without an id: %v", m.Metadata)
	}
}
