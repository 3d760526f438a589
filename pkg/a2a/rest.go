package a2a

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// restRoute is an operation as HTTP+JSON names it: the last parts of a path, where {…} is a field of the
// request.
type restRoute struct {
	methods []string
	path    string
	op      *operation
}

// restRoutes are those of both versions (A2A 1.0.1, 5.3, and 0.3.0, 3.5.6). For subscribing the text of 1.0 says
// POST and its .proto file GET.
var restRoutes = []restRoute{
	{[]string{"POST"}, "/message:send", named("SendMessage")},
	{[]string{"POST"}, "/message:stream", named("SendStreamingMessage")},
	{[]string{"GET"}, "/tasks", named("ListTasks")},
	{[]string{"GET"}, "/tasks/{id}", named("GetTask")},
	{[]string{"POST"}, "/tasks/{id}:cancel", named("CancelTask")},
	{[]string{"POST", "GET"}, "/tasks/{id}:subscribe", named("SubscribeToTask")},
	{[]string{"POST"}, "/tasks/{taskId}/pushNotificationConfigs", named("CreateTaskPushNotificationConfig")},
	{[]string{"GET"}, "/tasks/{taskId}/pushNotificationConfigs", named("ListTaskPushNotificationConfigs")},
	{[]string{"GET"}, "/tasks/{taskId}/pushNotificationConfigs/{id}", named("GetTaskPushNotificationConfig")},
	{[]string{"DELETE"}, "/tasks/{taskId}/pushNotificationConfigs/{id}", named("DeleteTaskPushNotificationConfig")},
	{[]string{"GET"}, "/extendedAgentCard", named("GetExtendedAgentCard")},
}

// legacyPrefix begins the paths of 0.3.
const legacyPrefix = "/v1/"

// legacyCardPath is what 0.3 has in place of /extendedAgentCard.
const legacyCardPath = "/card"

func named(name string) *operation { return operationNamed(name, version10) }

// match reads a path as that of a route, and returns the fields that stand in it.
func (route restRoute) match(path string) (fields map[string]string, ok bool) {
	wanted, found := strings.Split(route.path, "/"), strings.Split(path, "/")
	if len(wanted) != len(found) {
		return nil, false
	}
	fields = map[string]string{}
	for i, want := range wanted {
		before, rest, isField := strings.Cut(want, "{")
		if !isField {
			if want != found[i] {
				return nil, false
			}
			continue
		}
		name, verb, _ := strings.Cut(rest, "}")
		value, ok := strings.CutSuffix(found[i], verb)
		if !ok || before != "" || value == "" || verb == "" && strings.Contains(value, ":") {
			return nil, false
		}
		fields[name] = value
	}
	return fields, true
}

// serveREST answers a request of HTTP+JSON. 0.3 has a prefix of its own; before the rest may stand a tenant.
func (s *Server) serveREST(w http.ResponseWriter, r *http.Request, at *endpoint, path string) {
	if rest, ok := strings.CutPrefix(path, legacyPrefix); ok {
		s.serveVersionedREST(w, r, at, version03, "/"+rest)
		return
	}
	tenant, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if at == s.root && rest != "" && tenant != "tasks" { // an agent may have that name, and has its place for it
		if other := s.endpoint(tenant); other != nil {
			at, path = other, "/"+rest
		}
	}
	s.serveVersionedREST(w, r, at, version10, path)
}

func (s *Server) serveVersionedREST(w http.ResponseWriter, r *http.Request, at *endpoint, version, path string) {
	if version == version03 && path == legacyCardPath {
		path = "/extendedAgentCard"
	}
	var allowed []string
	for _, route := range restRoutes {
		fields, ok := route.match(path)
		if !ok {
			continue
		}
		if !slices.Contains(route.methods, r.Method) {
			allowed = append(allowed, route.methods...)
			continue
		}
		s.answerREST(w, r, at, version, route.op, fields)
		return
	}
	if allowed != nil {
		s.notAllowed(w, allowed...)
		return
	}
	writeREST(w, r, failf(errMethod, "there is nothing at %.100q", r.URL.Path))
}

func (s *Server) answerREST(w http.ResponseWriter, r *http.Request, at *endpoint, version string, op *operation,
	fields map[string]string) {
	said, failed := versionOf(saidVersion(r))
	if failed == nil && said != version {
		failed = failf(errVersion, "A2A %s is spoken at this path; send A2A-Version: %s", version, version)
	}
	q := s.newQuery(r, at, version)
	if failed == nil {
		failed = q.readREST(w, r, op, version, fields)
	}
	if failed != nil {
		writeREST(w, r, failed)
		return
	}
	ctx := r.Context()
	if op.stream != nil {
		s.streamREST(ctx, w, r, q, op)
		return
	}
	result, err := s.do(ctx, op, q)
	if err == nil && version == version03 {
		result, err = legacyRESTResult(op, result, q)
	}
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	q.tellExtensions(w.Header())
	w.Header().Set("Content-Type", restType(r, version))
	_, _ = w.Write(result) // whoever has gone needs no answer
}

// readREST makes the parameters of an operation of the path, the query and the body of a request.
func (q *query) readREST(w http.ResponseWriter, r *http.Request, op *operation, version string,
	fields map[string]string) *Error {
	var params []byte
	var failed *Error
	if r.Method == http.MethodPost && (r.ContentLength != 0 || op.name == "SendMessage" || op.name == "SendStreamingMessage") {
		if params, failed = readBody(w, r, "application/json", "application/a2a+json"); failed != nil {
			return failed
		}
	} else if params, failed = queryParams(r.URL); failed != nil {
		return failed
	}
	if version == version03 {
		q.params, failed = legacyRESTParams(op, params)
	} else {
		q.params, failed = canonical(params)
	}
	if failed != nil || len(fields) == 0 {
		return failed
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(q.params, &members); err != nil {
		return failf(errParams, "the parameters are no object")
	}
	for name, value := range fields { // the path says what is meant, whatever the body says
		encoded, err := json.Marshal(value)
		if err != nil {
			return failf(errParams, "%v", err)
		}
		members[name] = encoded
	}
	var err error
	if q.params, err = json.Marshal(members); err != nil {
		return failf(errParams, "%v", err)
	}
	return nil
}

// queryParams makes parameters of the query of a URL, in which everything is text.
func queryParams(u *url.URL) ([]byte, *Error) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, failf(errParams, "the query of the URL cannot be read: %v", err)
	}
	params := map[string]any{}
	for name, list := range values {
		switch name = camel(name); {
		case name == "includeArtifacts":
			if params[name] = list[0] == "true"; list[0] != "true" && list[0] != "false" {
				return nil, invalid(name, "want true or false, found %.20q", list[0])
			}
		case fields[name] && !opaque[name]:
			params[name] = list[0]
		}
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, failf(errParams, "%v", err)
	}
	return encoded, nil
}

// restType is the media type of an answer: the protocol's own, unless the client takes only plain JSON.
func restType(r *http.Request, version string) string {
	accept := r.Header.Get("Accept")
	if version == version03 || goClient(r) || strings.Contains(accept, "application/json") && !strings.Contains(accept, "a2a+json") {
		return "application/json"
	}
	return "application/a2a+json"
}

func writeREST(w http.ResponseWriter, r *http.Request, e *Error) {
	header := w.Header()
	header.Set("Content-Type", restType(r, version10))
	switch e.kind {
	case errUnknownCaller:
		header.Set("WWW-Authenticate", "Bearer")
	case errBusy, errStopping:
		header.Set("Retry-After", "1")
	}
	body := e.rest()
	if strings.Contains(r.URL.Path, legacyPrefix) {
		body = e.legacyREST()
	}
	w.WriteHeader(e.kind.http)
	_, _ = w.Write(body) // whoever has gone needs no answer
}

func (s *Server) notAllowed(w http.ResponseWriter, methods ...string) {
	w.Header().Set("Allow", strings.Join(methods, ", "))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusMethodNotAllowed)
	_, _ = w.Write((&Error{kind: errorKind{-32601, http.StatusMethodNotAllowed, 12, "UNIMPLEMENTED", ""},
		text: "want " + strings.Join(methods, " or ")}).rest())
}

func (s *Server) streamREST(ctx context.Context, w http.ResponseWriter, r *http.Request, q *query, op *operation) {
	from, err := s.open(ctx, op, q)
	if err != nil {
		writeREST(w, r, s.explain(err))
		return
	}
	defer from.close()
	q.tellExtensions(w.Header())
	if q.version == version03 {
		s.sse(ctx, w, from, legacyRESTNews, (*Error).legacyREST)
		return
	}
	s.sse(ctx, w, from, func(n news) ([]byte, error) { return n.body, nil }, (*Error).rest)
}
