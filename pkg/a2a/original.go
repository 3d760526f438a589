package a2a

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
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
		if at != s.root { // its path is another one, which whoever may follow tasks reaches
			return false
		}
		s.originalMetrics(w, r, at, path)
	default:
		if agent, verb, ok := loginPath(path); ok {
			s.serveLogin(w, r, at, agent, verb)
			return true
		}
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
	q.extensions = append(q.extensions, DevelopmentExtension)
	body, failed := readBody(w, r, "application/json")
	if failed == nil {
		q.params, failed = legacyParams(op, body)
	}
	if failed == nil {
		if err := s.originalConfirmation(r.Context(), q); err != nil {
			failed = s.explain(err)
		}
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
	if err == nil {
		result, err = originalResult(result)
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
	s.sse(r.Context(), w, from, originalNews, func(e *Error) []byte { return rpcErrorBody(nil, e) })
}

// originalCommand is a skill as the original lists it.
type originalCommand struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Arguments   []originalArgument `json:"arguments"`
	Tags        []string           `json:"tags"`
	Examples    []string           `json:"examples,omitempty"`
}

type originalArgument struct {
	Name        string `json:"name"`
	Type        any    `json:"type"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// originalArguments returns what a skill takes, in the order of their names.
func originalArguments(card *wire.AgentCard, skill string) []originalArgument {
	list := []originalArgument{}
	for _, extension := range card.Capabilities.Extensions {
		skills, _ := extension.Params["skills"].(map[string]any)
		about, _ := skills[skill].(toolSkill)
		schema, err := object(about.Parameters)
		if err != nil {
			continue
		}
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			property, _ := properties[name].(map[string]any)
			list = append(list, originalArgument{name, property["type"], text(property, "description"),
				slices.Contains(required, any(name))})
		}
	}
	return list
}

func (s *Server) originalCommands(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.notAllowed(w, http.MethodGet)
		return
	}
	list := []originalCommand{}
	card := at.agent.Card(s.o.Caller(r))
	for _, skill := range card.Skills {
		list = append(list, originalCommand{skill.ID, skill.Name, skill.Description, originalArguments(card, skill.ID),
			skill.Tags, skill.Examples})
	}
	body, err := json.Marshal(map[string]any{"commands": list})
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	writeRPC(w, body)
}

// skillSaid returns the id of the skill that is meant by its id, or by its name. No skill is run by a name that is another's id.
func skillSaid(skills []wire.AgentSkill, said string) string {
	said = strings.TrimPrefix(said, "/")
	for _, skill := range skills {
		if skill.ID == said {
			return said
		}
	}
	for _, skill := range skills {
		if skill.Name == said {
			return skill.ID
		}
	}
	return said
}

// originalExecute runs a tool, by its id or its name, and returns the task when it has ended or waits for somebody.
func (s *Server) originalExecute(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodPost {
		s.notAllowed(w, http.MethodPost)
		return
	}
	q := s.newQuery(r, at, version03)
	q.extensions = append(q.extensions, DevelopmentExtension)
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
	id := skillSaid(at.agent.Card(q.caller).Skills, text(asked, "command", "command_id", "commandId", "id", "name"))
	parameters := map[string]any{}
	switch said := member(asked, "parameters", "args", "arguments").(type) {
	case nil:
	case map[string]any:
		parameters = said
	case []any: // {name, value}, each
		for i, item := range said {
			one, _ := item.(map[string]any)
			name := text(one, "name")
			if _, twice := parameters[name]; name == "" || twice {
				writeREST(w, r, invalid(fmt.Sprintf("arguments[%d]", i), "want an object with name and value, and no name twice"))
				return
			}
			parameters[name] = one["value"]
		}
	default:
		writeREST(w, r, invalid("arguments", "want an object, or a list of name and value"))
		return
	}
	message := wire.NewMessage(wire.MessageRoleUser, wire.NewDataPart(map[string]any{"toolId": id, "parameters": parameters}))
	message.ContextID = text(asked, "contextId", "context_id")
	var err error
	if q.params, err = json.Marshal(wire.SendMessageRequest{Message: message}); err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	result, err := s.do(r.Context(), named("SendMessage"), q)
	if err == nil {
		result, err = legacyResult(named("SendMessage"), result, q)
	}
	var task struct {
		ID     string `json:"id"`
		Status struct {
			State string `json:"state"`
		} `json:"status"`
	}
	if err == nil {
		err = json.Unmarshal(result, &task)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	s.originalJSON(w, http.StatusOK, map[string]any{"execution_id": task.ID,
		"status": cmp.Or(commandStatus[task.Status.State], "executing"), "task": result})
}
