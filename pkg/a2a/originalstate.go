package a2a

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"runtime"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/a2alegacy"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// methodContinue is what the original's documents call an answer to a task that waits. It is message/send.
const methodContinue = "tasks/provideInputAndContinue"

// continueParams returns the parameters of message/send for those of methodContinue: a task, and the answer as a text,
// a message, or the id of an option.
func continueParams(params json.RawMessage) (json.RawMessage, *Error) {
	if failed := checked(params); failed != nil {
		return nil, failed
	}
	var said map[string]any
	if err := json.Unmarshal(params, &said); err != nil {
		return nil, failf(errParams, "want an object with taskId and input")
	}
	task := text(said, "taskId", "task_id", "id")
	message := a2alegacy.Message{Kind: "message", Role: "user", MessageID: wire.NewMessageID(), TaskID: task}
	option := text(said, "optionId", "option_id", "selectedOptionId")
	switch input := member(said, "input", "message", "userInput").(type) {
	case string:
		message.Parts = []a2alegacy.Part{{Kind: "text", Text: &input}}
	case map[string]any:
		if _, whole := input["parts"]; !whole {
			message.Parts = []a2alegacy.Part{{Kind: "data", Data: input}}
			break
		}
		input["taskId"] = task
		for name, value := range map[string]string{"kind": "message", "role": "user", "messageId": message.MessageID} {
			if input[name] == nil {
				input[name] = value
			}
		}
		return encoded(map[string]any{"message": input, "configuration": said["configuration"]})
	default:
		if option == "" {
			return nil, invalid("input", "say what the task is told: a text, a message, or optionId")
		}
	}
	if option != "" {
		message.Parts = append(message.Parts, a2alegacy.Part{Kind: "data", Data: map[string]any{"optionId": option}})
	}
	return encoded(map[string]any{"message": message, "configuration": said["configuration"]})
}

func encoded(value map[string]any) (json.RawMessage, *Error) {
	if value["configuration"] == nil {
		delete(value, "configuration")
	}
	body, err := json.Marshal(value)
	if err != nil {
		return nil, failf(errParams, "%v", err)
	}
	return body, nil
}

// originalHealth says that the server answers, and whether it can take anything.
func (s *Server) originalHealth(w http.ResponseWriter, path string) {
	if path == "/ping" {
		s.originalJSON(w, http.StatusOK, map[string]any{"status": "ok"})
		return
	}
	said, status := "healthy", http.StatusOK
	if s.Ready() != nil {
		said, status = "unhealthy", http.StatusServiceUnavailable
	}
	s.originalJSON(w, status, map[string]any{"status": said, "timestamp": s.o.Now().UTC(),
		"version":  s.o.Agent.Card(Caller{}).Version,
		"services": map[string]any{"database": said, "push_notifications": said, "streaming": said}})
}

func (s *Server) originalJSON(w http.ResponseWriter, status int, said any) {
	body, err := json.Marshal(said)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // who reads no more hears no more
}

// originalDecision is what was decided about a call of a task, as the original tells it.
type originalDecision struct {
	ToolCall  string         `json:"toolCallId"`
	Source    string         `json:"source"`
	Option    string         `json:"optionId"`
	Governors []string       `json:"governorsInvolved"`
	Time      *time.Time     `json:"timestamp"`
	Metadata  map[string]any `json:"metadata"`
}

// originalHistory tells what was decided about the calls of a task, and what still waits. It is read from the task
// itself; the record has more.
func (s *Server) originalHistory(w http.ResponseWriter, r *http.Request, at *endpoint, id string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.notAllowed(w, http.MethodGet)
		return
	}
	q := s.newQuery(r, at, version03)
	t, err := s.task(r.Context(), q, wire.TaskID(id))
	var snap *snapshot
	if err == nil {
		snap, err = s.snapshot(r.Context(), t)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	done := progressOf(snap.task)
	decisions, pending, feedback := []originalDecision{}, []any{}, []any{}
	for _, artifact := range snap.task.Artifacts {
		result, ok := done.results[string(artifact.ID)]
		if !ok || result.Metadata.Decision == nil {
			continue
		}
		d := result.Metadata.Decision
		decisions = append(decisions, originalDecision{ToolCall: string(artifact.ID), Source: string(d.Source),
			Option: originalOption(d.Result), Governors: []string{}, Time: snap.task.Status.Timestamp,
			Metadata: map[string]any{"rule": d.Rule, "at": d.At, "reason": d.Reason, "result": d.Result}})
		if d.Source == "governor" {
			decisions[len(decisions)-1].Governors = []string{d.Rule}
			feedback = append(feedback, map[string]any{"phase": "permission", "timestamp": snap.task.Status.Timestamp, "summary": d.Reason,
				"results": []any{map[string]any{"governorId": d.Rule, "status": d.Result, "messages": []string{d.Reason},
					"followUpPrompt": nil}}})
		}
	}
	for n := 0; ; n++ { // what was said of an agent's answers
		said, ok := snap.task.Metadata[governedKey(n)].(map[string]any)
		if !ok {
			break
		}
		said = maps.Clone(said)
		said["timestamp"] = snap.task.Status.Timestamp
		feedback = append(feedback, said)
	}
	if m := snap.task.Status.Message; m != nil && snap.task.Status.State == wire.TaskStateInputRequired {
		pending = append(pending, map[string]any{"toolCallId": text(m.Metadata, "requestId"),
			"options": m.Metadata["permission_options"], "toolCall": m.Metadata["tool_call"], "expires": m.Metadata["expires"]})
	}
	s.originalJSON(w, http.StatusOK, map[string]any{"taskId": id, "permissionDecisions": decisions, "pendingPermissions": pending,
		"governorFeedback": feedback})
}

func originalOption(result string) string {
	if result == "approve" {
		return "allow_once"
	}
	return "reject_once"
}

// originalStreams counts the streams of many tasks. There is nothing to clean up: a client that does not read is cut.
func (s *Server) originalStreams(w http.ResponseWriter, r *http.Request, path string) {
	if want := map[string]string{"/streaming/stats": http.MethodGet, "/streaming/cleanup": http.MethodPost}[path]; r.Method != want {
		s.notAllowed(w, want)
		return
	}
	if path == "/streaming/cleanup" {
		s.originalJSON(w, http.StatusOK, map[string]any{"success": true, "cleaned_connections": 0,
			"message": "A client that does not read is cut at once: there was nothing to clean up."})
		return
	}
	sse, sockets := s.watchers.count(watchedSSE), s.watchers.count(watchedSocket)
	s.originalJSON(w, http.StatusOK, map[string]any{"sse_connections": map[string]any{"count": sse},
		"websocket_connections": map[string]any{"count": sockets}, "total_connections": sse + sockets})
}

// originalMetrics tells a few figures; the daemon's /metrics has all of them.
func (s *Server) originalMetrics(w http.ResponseWriter, r *http.Request, at *endpoint, path string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.notAllowed(w, http.MethodGet)
		return
	}
	if path == "/metrics/push-notifications" {
		said, err := s.originalPushes(r.Context())
		if err != nil {
			writeREST(w, r, s.explain(err))
			return
		}
		s.originalJSON(w, http.StatusOK, said)
		return
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	s.mu.Lock()
	active := len(s.runs)
	s.mu.Unlock()
	streams := func(kind int) map[string]any {
		return map[string]any{"active": s.watchers.count(kind), "limit": mostWatches}
	}
	s.originalJSON(w, http.StatusOK, map[string]any{"timestamp": s.o.Now().UTC(),
		"uptime_seconds": int64(s.o.Now().Sub(s.began).Seconds()), "active_tasks": active, "memory_bytes": memory.Sys,
		"threads":               runtime.NumGoroutine(),
		"streaming_connections": map[string]any{"sse": streams(watchedSSE), "websocket": streams(watchedSocket)}})
}

// originalPushes tells how push notifications have gone since the daemon was started, everybody's. A delivery has failed
// when it is not tried any more.
func (s *Server) originalPushes(ctx context.Context) (map[string]any, error) {
	all, active := 0, 0
	for _, at := range s.all() {
		wanted, err := s.o.Log.Wanted(ctx, at.door)
		if err != nil {
			return nil, err
		}
		n, err := s.o.Log.CountConfigs(ctx, at.door)
		if err != nil {
			return nil, err
		}
		all, active = all+n, active+len(wanted)
	}
	var c webhook.Counts
	if s.o.Deliverer != nil {
		c = s.o.Deliverer.Counts(pushSource)
	}
	share := func(part, whole int64) float64 { return 100 * float64(part) / float64(max(1, whole)) }
	attempts := c.Delivered + c.Failed
	return map[string]any{"timestamp": s.o.Now().UTC(), "enabled": s.o.Deliverer != nil,
		"delivery_stats": map[string]any{"total_deliveries": c.Delivered + c.GivenUp, "successful_deliveries": c.Delivered,
			"failed_deliveries": c.GivenUp, "success_rate": share(c.Delivered, c.Delivered+c.GivenUp)},
		"configuration_stats": map[string]any{"total_configs": all, "active_configs": active,
			"expired_configs": all - active},
		"performance_stats": map[string]any{"average_response_time": c.Took.Seconds() / float64(max(1, attempts)),
			"requests_per_minute": float64(attempts) / max(1, s.o.Now().Sub(s.began).Minutes()), "error_rate": share(c.Failed, attempts)},
	}, nil
}
