package a2a

import (
	"encoding/json"
	"net/http"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// What the original system serves beside the protocol, at the paths where its clients look for it. They speak 0.3.

// serveOriginal answers at a path of the original's; it is false for any other path.
func (s *Server) serveOriginal(w http.ResponseWriter, r *http.Request, at *endpoint, path string) bool {
	switch path {
	case "/a2a/message/send":
		s.originalCall(w, r, at, named("SendMessage"))
	case "/a2a/message/stream":
		s.originalStream(w, r, at)
	case "/a2a/commands/get":
		s.originalCommands(w, r, at)
	case "/a2a/command/execute":
		s.originalExecute(w, r, at)
	case "/ping", "/health":
		s.originalHealth(w, path)
	case "/streaming/sse":
		s.originalSSE(w, r, at)
	case "/streaming/websocket":
		s.originalWebSocket(w, r, at)
	case "/streaming/stats", "/streaming/cleanup":
		s.originalStreams(w, r, path)
	case "/metrics/push-notifications", "/metrics/system":
		s.originalMetrics(w, r, at, path)
	default:
		rest, isTask := strings.CutPrefix(path, "/a2a/tasks/")
		task, isHistory := strings.CutSuffix(rest, "/governor/history")
		if !isTask || !isHistory {
			return false
		}
		s.originalHistory(w, r, at, task)
	}
	return true
}

// originalQuery reads a request whose body are the parameters of an operation.
func (s *Server) originalQuery(w http.ResponseWriter, r *http.Request, at *endpoint, op *operation) (*query, bool) {
	if r.Method != http.MethodPost {
		s.notAllowed(w, http.MethodPost)
		return nil, false
	}
	q := s.newQuery(r, at, version03)
	body, failed := readBody(w, r, "application/json")
	if failed == nil {
		q.params, failed = legacyParams(op, body)
	}
	if failed != nil {
		writeREST(w, r, failed)
		return nil, false
	}
	return q, true
}

func (s *Server) originalCall(w http.ResponseWriter, r *http.Request, at *endpoint, op *operation) {
	if q, ok := s.originalQuery(w, r, at, op); ok {
		s.originalAnswer(w, r, op, q)
	}
}

func (s *Server) originalAnswer(w http.ResponseWriter, r *http.Request, op *operation, q *query) {
	result, err := s.do(r.Context(), op, q)
	if err == nil {
		result, err = legacyResult(op, result, q)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	writeRPC(w, result)
}

func (s *Server) originalStream(w http.ResponseWriter, r *http.Request, at *endpoint) {
	op := named("SendStreamingMessage")
	q, ok := s.originalQuery(w, r, at, op)
	if !ok {
		return
	}
	from, err := s.open(r.Context(), op, q)
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	defer from.close()
	s.sse(r.Context(), w, from, legacyNews, (*Error).rest)
}

// originalCommand is a skill as the original lists it.
type originalCommand struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples,omitempty"`
}

func (s *Server) originalCommands(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.notAllowed(w, http.MethodGet)
		return
	}
	list := []originalCommand{}
	for _, skill := range at.agent.Card(s.o.Caller(r)).Skills {
		list = append(list, originalCommand{skill.ID, skill.Name, skill.Description, skill.Tags, skill.Examples})
	}
	body, err := json.Marshal(map[string]any{"commands": list})
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	writeRPC(w, body)
}

// originalExecute runs a tool, by its id or its name, and returns the task when it has ended or waits for somebody.
func (s *Server) originalExecute(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodPost {
		s.notAllowed(w, http.MethodPost)
		return
	}
	q := s.newQuery(r, at, version03)
	body, failed := readBody(w, r, "application/json")
	if failed == nil {
		failed = checked(body)
	}
	if failed != nil {
		writeREST(w, r, failed)
		return
	}
	var asked map[string]any
	if err := json.Unmarshal(body, &asked); err != nil {
		writeREST(w, r, failf(errParams, "want an object with command and parameters"))
		return
	}
	id := text(asked, "command", "command_id", "commandId", "id", "name")
	for _, skill := range at.agent.Card(q.caller).Skills {
		if skill.Name == id {
			id = skill.ID
			break
		}
	}
	parameters, _ := member(asked, "parameters", "args", "arguments").(map[string]any)
	if parameters == nil {
		parameters = map[string]any{}
	}
	message := wire.NewMessage(wire.MessageRoleUser, wire.NewDataPart(map[string]any{"toolId": id, "parameters": parameters}))
	message.ContextID = text(asked, "contextId", "context_id")
	var err error
	if q.params, err = json.Marshal(wire.SendMessageRequest{Message: message}); err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	s.originalAnswer(w, r, named("SendMessage"), q)
}
