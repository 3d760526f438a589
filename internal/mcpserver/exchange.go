package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// exchange is one request that is under way.
type exchange struct {
	client *Client
	begun  bool // of a session: initialize has been
	id     []byte
	method string
	params []byte
	peer   peer
	level  Level // what the client wants to hear of; "" for nothing
	// session is what a client of a time before 2026-07-28 has said before; nil for others.
	session *session
	// place is the call's among those of its principal; nil where they are not counted.
	place *place
	// unsaid ends what the request has left for its client to come back to, where that gave the request up before it
	// was told; nil for nothing.
	unsaid func()

	mu    sync.Mutex
	over  bool // nothing of it is sent any more
	count float64
}

// peer is the way to the client while a request is under way. Safe for concurrent use.
type peer interface {
	// send sends a message that belongs to the request; it blocks while the client does not read.
	send(message []byte)
	// ask sends a request of ours that belongs to the client's, and waits for the response.
	ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// detach closes the connection that waits for the response, where the client can come back for it.
	detach(retry time.Duration)
}

// place is a place among the calls of a principal that are under way.
type place struct {
	leave func()
	// again takes a place for a call that goes on after it has waited; ok is false where there is none.
	again func() (leave func(), ok bool)
}

// stay has a call keep its place when the request is over, until leave is called.
func (x *exchange) stay() (leave func()) {
	if x.place == nil {
		return func() {}
	}
	leave, x.place.leave = x.place.leave, func() {}
	return leave
}

// enter takes a place for a call that goes on.
func (x *exchange) enter() (leave func(), ok bool) {
	if x.place == nil {
		return func() {}, true
	}
	return x.place.again()
}

// errNoAsk is returned where a client cannot be asked.
var errNoAsk = errors.New("the client cannot be asked in the middle of a request")

// notify sends a notification that belongs to the request, until the request is over.
func (x *exchange) notify(method string, params any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.notifyInOrder(method, params)
}

// notifyInOrder is notify with mu held.
func (x *exchange) notifyInOrder(method string, params any) {
	text, err := notification(method, params)
	if err == nil && !x.over {
		x.peer.send(text)
	}
}

// gaveUp says that the response is not sent, since the client has given the request up.
func (x *exchange) gaveUp() {
	if x.unsaid != nil {
		x.unsaid()
	}
}

// end has nothing more sent that belongs to the request, but for its response.
func (x *exchange) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
}

// progress returns what tells progress of the request; it does nothing if the client does not want to hear.
func (x *exchange) progress() func(Progress) {
	token := param(x.params, "_meta", "progressToken")
	if len(token) == 0 || len(token) > longestID || token[0] != '"' && token[0] != '-' && (token[0] < '0' || token[0] > '9') {
		return func(Progress) {}
	}
	return func(p Progress) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if p.Done == 0 && p.Total == 0 {
			x.count++ // must grow each time; nobody knows the whole
			p.Done = x.count
		}
		x.notifyInOrder("notifications/progress", struct {
			Token    json.RawMessage `json:"progressToken"`
			Progress float64         `json:"progress"`
			Total    float64         `json:"total,omitempty"`
			Message  string          `json:"message,omitempty"`
		}{token, p.Done, p.Total, p.Text})
	}
}

// log tells the client something, if it wants to hear things of that level.
func (x *exchange) log(level Level, logger string, data any) {
	want, is := slices.Index(levels, x.wanted()), slices.Index(levels, level)
	if want < 0 || is < want {
		return
	}
	x.notify("notifications/message", struct {
		Level  Level  `json:"level"`
		Logger string `json:"logger,omitempty"`
		Data   any    `json:"data"`
	}{level, logger, data})
}

// wanted returns the least level that the client wants to hear of.
func (x *exchange) wanted() Level {
	if x.session != nil {
		return x.session.logLevel()
	}
	return x.level
}

// input returns what asks the client in the middle of the request; nil where that cannot be.
func (x *exchange) input() func(context.Context, InputRequest) (json.RawMessage, error) {
	if x.client.Stateless() {
		return nil
	}
	return func(ctx context.Context, in InputRequest) (json.RawMessage, error) {
		if !x.client.can(in.Method) {
			return nil, errNoAsk
		}
		return x.peer.ask(ctx, in.Method, in.Params)
	}
}

// can reports whether a client has declared that it can be asked for something.
func (c *Client) can(method string) bool {
	switch method {
	case "elicitation/create":
		return c.Capabilities.Elicitation
	case "sampling/createMessage":
		return c.Capabilities.Sampling
	case "roots/list":
		return c.Capabilities.Roots
	}
	return false
}

// readRound reads what a client brings along that makes a request again.
func (s *Server) readRound(x *exchange, about func() []byte) (Round, *ProtocolError) {
	var round Round
	if !x.client.Stateless() {
		return round, nil
	}
	if raw := param(x.params, "inputResponses"); raw != nil {
		answers, failed := readAnswers(raw)
		if failed != nil {
			return round, failed
		}
		round.Answers = answers
	}
	if raw := param(x.params, "requestState"); raw != nil {
		state, err := s.states.open(textParam(x.params, "requestState"), x.client.Principal, x.method, about())
		if err != nil {
			return round, failf(codeParams, "requestState: %v", err)
		}
		round.State = state
	}
	return round, nil
}

// mostAnswers is how many answers a client brings along at once: nothing asks for so many.
const mostAnswers = 100

// readAnswers reads inputResponses.
func readAnswers(raw []byte) (map[string]json.RawMessage, *ProtocolError) {
	answers := map[string]json.RawMessage{}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, failf(codeParams, "inputResponses is no object")
	}
	n := 0
	for range ndjson.Members(raw) {
		if n++; n > mostAnswers {
			return nil, failf(codeParams, "inputResponses has more than %d answers", mostAnswers)
		}
	}
	if err := ndjson.Strict(raw); err != nil {
		return nil, failf(codeParams, "inputResponses: %v", err)
	}
	if json.Unmarshal(raw, &answers) != nil {
		return nil, failf(codeParams, "inputResponses is no object")
	}
	return answers, nil
}

// inputRequired returns the result that asks a client for something.
func (s *Server) inputRequired(x *exchange, about func() []byte, in *InputRequired) ([]byte, error) {
	for _, request := range in.Requests {
		if !x.client.can(request.Method) {
			return nil, NeedsCapability(map[string]any{capabilityOf(request.Method): map[string]any{}})
		}
	}
	x.unsaid = func() { s.gaveUp(Task{}, outcome{input: in}) }
	out := struct {
		Type     string                  `json:"resultType"`
		Requests map[string]InputRequest `json:"inputRequests,omitempty"`
		State    string                  `json:"requestState,omitempty"`
		Meta     map[string]any          `json:"_meta"`
	}{"input_required", in.Requests, "", s.resultMeta()}
	if in.State != "" || len(in.Requests) == 0 {
		var err error
		if out.State, err = s.states.seal(in.State, x.client.Principal, x.method, about()); err != nil {
			return nil, err
		}
	}
	return encode(out)
}

func capabilityOf(method string) string {
	switch method {
	case "sampling/createMessage":
		return "sampling"
	case "roots/list":
		return "roots"
	}
	return "elicitation"
}

// mostRounds is how often a client of a session is asked for one request.
const mostRounds = 16

// rounds makes a request, asks a client of a session for what it needs, and makes it again, until it needs
// nothing more. do returns nil, or what is needed.
func (x *exchange) rounds(ctx context.Context, round Round, do func(Round) (*InputRequired, error)) (*InputRequired, error) {
	for range mostRounds {
		in, err := do(round)
		if err != nil || in == nil || x.client.Stateless() {
			return in, err
		}
		round = Round{State: in.State, Answers: map[string]json.RawMessage{}}
		ask := x.input()
		for key, request := range in.Requests {
			answer, err := ask(ctx, request)
			if errors.Is(err, errNoAsk) {
				return nil, failf(codeParams, "the client cannot be asked with %s, which this needs", request.Method)
			}
			if err != nil {
				return nil, err
			}
			round.Answers[key] = answer
		}
	}
	return nil, failf(codeInternal, "it has asked %d times and does not end", mostRounds)
}
