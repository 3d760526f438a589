package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Server is the http.Handler that agents take for a model's API. The zero Server is ready.
type Server struct {
	ids atomic.Int64

	mu      sync.Mutex
	told    []Told
	known   map[string]bool // ids of results that are in told
	offered []string
}

// Told is what the model was told that one of its calls came to.
type Told struct {
	ID   string // the model's own id of the call
	Tool string // the name that the model called it by; "" where the API does not repeat it
	Text string // as the agent put it
}

// Told returns the results that the model was told, in the order in which it first heard of them.
func (s *Server) Told() []Told {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// Offered returns the names of the tools that the model was last offered.
func (s *Server) Offered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.offered)
}

// request is what a dialect read in a request.
type request struct {
	conversation []line
	tools        []string
	results      []Told
	schema       json.RawMessage // the answer must be JSON of this shape; nil: it need not
	json         bool            // the answer must be JSON of any shape
}

// reply is an answer, the same for all dialects. Its calls have found their tools.
type reply struct {
	think string
	say   string
	calls []toolCall
	hang  bool
}

// toolCall is a Call in the words of one agent.
type toolCall struct {
	id        string
	name      string
	arguments any
}

// dialect is one API.
type dialect interface {
	read(body []byte) (request, error)
	// call puts a Call into the words of the agent that speaks this dialect.
	call(c Call) (name string, arguments any)
	whole(w http.ResponseWriter, r reply)
	stream(w *events, r reply)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			refuse(w, http.StatusBadRequest, "the body is no JSON: "+err.Error())
			return
		}
	}
	path := r.URL.Path
	_, verb, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	switch {
	case verb == "countTokens":
		writeJSON(w, map[string]any{"totalTokens": 10})
	case strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, map[string]any{"input_tokens": 10})
	case verb == "generateContent", verb == "streamGenerateContent":
		s.answer(w, r, gemini{s.id}, body, verb == "streamGenerateContent")
	case strings.HasSuffix(path, "/responses"):
		s.answer(w, r, responses{s.id}, body, true)
	case strings.HasSuffix(path, "/chat/completions"):
		var head struct {
			Stream bool `json:"stream"`
		}
		_ = json.Unmarshal(body, &head) // likewise
		s.answer(w, r, chat{s.id}, body, head.Stream)
	case strings.HasSuffix(path, "/messages"):
		var head struct {
			Stream bool `json:"stream"`
		}
		_ = json.Unmarshal(body, &head) // it is JSON; where it is no object, the dialect says so
		s.answer(w, r, anthropic{s.id}, body, head.Stream)
	default:
		refuse(w, http.StatusNotFound, "the model server has no "+path)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, d dialect, body []byte, stream bool) {
	request, err := d.read(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.note(request)
	step := s.step(request)
	if step.Fail != 0 {
		refuse(w, step.Fail, "the script says so")
		return
	}
	reply := s.reply(d, step, request)
	if !stream {
		d.whole(w, reply)
		return
	}
	events := newEvents(w)
	d.stream(events, reply)
	if reply.hang {
		<-r.Context().Done() // the agent hangs up, at the latest when it ends
	}
}

// step returns the step to play. Agents also use their model for errands of their own (a title for the
// session, who speaks next), without offering it tools; those get an answer of the right shape and do not
// move a script.
func (s *Server) step(request request) Step {
	switch {
	case request.schema != nil:
		return Step{Say: string(instance(request.schema))}
	case request.json:
		return Step{Say: "{}"}
	case len(request.tools) == 0:
		return Step{Say: "a title"}
	}
	return next(request.conversation)
}

func (s *Server) reply(d dialect, step Step, request request) reply {
	tools, last := request.tools, ""
	if n := len(request.results); n > 0 {
		last = request.results[n-1].Text
	}
	reply := reply{think: step.Think, say: step.Say, hang: step.Hang}
	for _, call := range step.Calls {
		name, arguments := d.call(call)
		if !slices.Contains(tools, name) {
			reply.say += fmt.Sprintf("[%s is not among the tools: %s]", name, strings.Join(tools, " "))
			continue
		}
		reply.calls = append(reply.calls, toolCall{id: s.id("call"), name: name, arguments: filled(arguments, last)})
	}
	return reply
}

// textOf and numberOf stand in arguments for what the last result says: the group of an expression.
type (
	textOf   string
	numberOf string
)

// filled puts that in their place.
func filled(arguments any, last string) any {
	group := func(expression string) string {
		found := regexp.MustCompile(expression).FindStringSubmatch(last)
		if found == nil {
			return "0"
		}
		return found[1]
	}
	switch v := arguments.(type) {
	case textOf:
		return group(string(v))
	case numberOf:
		return json.Number(group(string(v)))
	case map[string]any:
		for key, value := range v {
			v[key] = filled(value, last)
		}
	case []any:
		for i, value := range v {
			v[i] = filled(value, last)
		}
	}
	return arguments
}

func (s *Server) note(request request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(request.tools) > 0 {
		s.offered = request.tools
	}
	for _, result := range request.results {
		if s.known[result.ID] {
			continue // a conversation repeats all that came before
		}
		if s.known == nil {
			s.known = make(map[string]bool)
		}
		s.known[result.ID] = true
		s.told = append(s.told, result)
	}
}

func (s *Server) id(kind string) string { return fmt.Sprintf("%s_%d", kind, s.ids.Add(1)) }

// refuse answers with an error in a form that both dialects read.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	writeJSON(w, map[string]any{"type": "error", "error": map[string]any{
		"type": "api_error", "code": status, "status": "INTERNAL", "message": message,
	}})
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // an agent that hung up is no concern of ours
}
