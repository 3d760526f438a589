package a2a

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
)

// rpcRequest is a request of JSON-RPC 2.0.
type rpcRequest struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// serveRPC answers a request of JSON-RPC. Whatever becomes of it, the status is 200.
func (s *Server) serveRPC(w http.ResponseWriter, r *http.Request, at *endpoint) {
	if r.Method != http.MethodPost {
		s.notAllowed(w, http.MethodPost)
		return
	}
	var request rpcRequest
	fail := func(err error) { writeRPCError(w, request.ID, s.explain(err)) }
	body, failed := readBody(w, r, "application/json", "application/a2a+json", "application/json-rpc")
	if failed != nil {
		fail(failed)
		return
	}
	if failed := readRPC(body, &request); failed != nil {
		fail(failed)
		return
	}
	version, failed := versionOf(saidVersion(r))
	if failed != nil {
		fail(failed)
		return
	}
	if request.Method == methodContinue && version == version03 {
		if request.Params, failed = continueParams(request.Params); failed != nil {
			fail(failed)
			return
		}
		request.Method = named("SendMessage").legacy
	}
	op := operationNamed(request.Method, version)
	if op == nil {
		fail(unknownMethod(request.Method, version))
		return
	}
	q := s.newQuery(r, at, version)
	if q.params, failed = paramsOf(op, version, request.Params); failed != nil {
		fail(failed)
		return
	}
	if op.stream != nil {
		s.streamRPC(w, r, q, op, request.ID)
		return
	}
	result, err := s.do(r.Context(), op, q)
	if err == nil && version == version03 {
		result, err = legacyResult(op, result, q)
	}
	if err != nil {
		fail(err)
		return
	}
	q.tellExtensions(w.Header())
	writeRPC(w, rpcResult(request.ID, result))
}

// unknownMethod says which method is meant by one that the version does not have.
func unknownMethod(method, version string) *Error {
	for _, other := range []string{version10, version03} {
		if other != version && operationNamed(method, other) != nil {
			if other == version10 {
				e := failf(errVersion, "%s is a method of A2A 1.0, and a request without A2A-Version speaks 0.3; send A2A-Version: 1.0",
					method)
				return e
			}
			return failf(errMethod, "%s is a method of A2A 0.3; send A2A-Version: 0.3", method)
		}
	}
	return failf(errMethod, "there is no method %.60q", method)
}

// readRPC reads a request as the strictest reader would.
func readRPC(body []byte, to *rpcRequest) *Error {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '[' {
		return failf(errRequest, "a batch; A2A sends one request at a time")
	}
	members, failed := envelope(body)
	if failed != nil {
		return failed
	}
	id := members["id"]
	switch {
	case id == nil:
		return failf(errRequest, "the request has no id")
	case id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' || bytes.Equal(id, []byte("null")):
		to.ID = id
	default:
		return failf(errRequest, "the id is neither a text nor a number")
	}
	if err := json.Unmarshal(members["jsonrpc"], &to.Version); err != nil || to.Version != "2.0" {
		return failf(errRequest, `want "jsonrpc": "2.0"`)
	}
	if err := json.Unmarshal(members["method"], &to.Method); err != nil || to.Method == "" {
		return failf(errRequest, "the request names no method")
	}
	to.Params = members["params"]
	if to.Params != nil && to.Params[0] != '{' && !bytes.Equal(to.Params, []byte("null")) {
		return failf(errParams, "params are no object")
	}
	return nil
}

// envelope returns the members of an object, as they stand there. Names are exact, and none stands there twice.
func envelope(body []byte) (map[string]json.RawMessage, *Error) {
	c := &canonicalizer{in: body}
	members := map[string]json.RawMessage{}
	failed := c.guarded(func() {
		c.space()
		if c.peek() != '{' {
			c.fail(errRequest, "a request is an object")
		}
		c.at++
		c.space()
		for first := true; c.peek() != '}'; first = false {
			if !first {
				c.expect(',')
				c.space()
			}
			name := c.text()
			if members[name] != nil {
				c.fail(errRequest, "%q stands there twice", name)
			}
			c.space()
			c.expect(':')
			c.space()
			begin := c.at
			c.skip()
			members[name] = body[begin:c.at]
			c.space()
			if len(members) > 16 {
				c.fail(errRequest, "a request has more than 16 members")
			}
		}
		c.at++
		c.space()
		if c.at < len(body) {
			c.fail(errParse, "there is more after its end")
		}
	})
	return members, failed
}

// paramsOf returns the parameters of an operation in the words of 1.0.
func paramsOf(op *operation, version string, params json.RawMessage) ([]byte, *Error) {
	if len(params) == 0 || params[0] == 'n' {
		params = []byte(`{}`)
	}
	if version == version03 {
		return legacyParams(op, params)
	}
	return canonical(params)
}

func rpcResult(id, result json.RawMessage) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), result, []byte(`}`))
}

func writeRPC(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // whoever has gone needs no answer
}

func rpcErrorBody(id json.RawMessage, e *Error) []byte {
	if id == nil {
		id = []byte("null")
	}
	encoded, err := json.Marshal(e.rpc())
	if err != nil { // there is nothing in it that JSON has no words for
		encoded = []byte(`{"code":-32603,"message":"an error that cannot be told"}`)
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"error":`), encoded, []byte(`}`))
}

func writeRPCError(w http.ResponseWriter, id json.RawMessage, e *Error) {
	if e.kind == errUnknownCaller {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	writeRPC(w, rpcErrorBody(id, e))
}

// streamRPC answers with a stream. What is wrong with the request is told before it begins, as a plain error,
// or to who reads nothing else, as the one event of a stream.
func (s *Server) streamRPC(w http.ResponseWriter, r *http.Request, q *query, op *operation, id json.RawMessage) {
	ctx := r.Context()
	from, err := s.open(ctx, op, q)
	if err != nil {
		if e := s.explain(err); readsStreams(r, q.version) && e.kind != errUnknownCaller {
			writeEventStream(w)
			var out bytes.Buffer
			writeEvent(&out, 0, rpcErrorBody(id, e))
			_, _ = w.Write(out.Bytes()) // whoever has gone needs no answer
		} else {
			writeRPCError(w, id, e)
		}
		return
	}
	defer from.close()
	q.tellExtensions(w.Header())
	s.sse(ctx, w, from, func(n news) ([]byte, error) {
		body := n.body
		if q.version == version03 {
			if body, err = legacyNews(n); err != nil {
				return nil, err
			}
		}
		return rpcResult(id, body), nil
	}, func(e *Error) []byte { return rpcErrorBody(id, e) })
}
