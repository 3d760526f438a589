package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// stateless takes a message that stands for itself. When the client hangs up, the request is given up.
func (h *HTTP) stateless(w http.ResponseWriter, r *http.Request, m message) {
	if m.method == "" {
		h.refuse(w, http.StatusBadRequest, m.id, failf(codeRequest, "a response is sent in a session only"))
		return
	}
	client, failed := readStateless(m.params)
	if mismatch := h.headers(r, m, client); mismatch != nil {
		failed = mismatch
	}
	if failed != nil {
		h.refuse(w, http.StatusBadRequest, m.id, failed)
		return
	}
	if m.id == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	client.Principal = h.o.Principal(r)
	over, ok := h.admit(w, r, m)
	if !ok {
		return
	}
	seat := &place{leave: over, again: func() (func(), bool) {
		over, _, ok := h.o.Admit(r)
		return over, ok
	}}
	defer func() { seat.leave() }()
	if m.method == "subscriptions/listen" {
		h.o.Streams(r.Context())
	}
	out := newReply(w, r)
	defer out.close()
	x := &exchange{client: client, id: m.id, method: m.method, params: m.params, peer: out, place: seat}
	carried := h.o.Carry(r.Context(), r)
	if m.method == "tools/call" {
		if failed := h.mirrored(carried, r, x); failed != nil {
			h.refuse(w, http.StatusBadRequest, m.id, failed)
			return
		}
	}
	ctx, cancel := context.WithCancelCause(carried)
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(ErrGone) })()
	result, failed := h.server.answer(ctx, x)
	x.end()
	if r.Context().Err() != nil {
		if m.method != "subscriptions/listen" {
			x.gaveUp()
			return // given up: nothing more is said about it
		}
	}
	if failed != nil {
		out.respond(statusOf(failed), failure(m.id, failed))
		return
	}
	out.respond(http.StatusOK, response(m.id, result))
}

// named is the member of params that Mcp-Name repeats.
var named = map[string]string{
	"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

// headers refuses a request whose headers say another thing than its body: who stands in between decides by
// the one, and we by the other. client is nil where the body does not say who it is.
func (h *HTTP) headers(r *http.Request, m message, client *Client) *ProtocolError {
	said := textParam(m.params, "_meta", metaRevision)
	revision, ok := one(r, headerRevision)
	switch {
	case !ok:
		return failf(codeHeader, "one header %s is needed", headerRevision)
	case client == nil && said == "":
		return nil // the body is what is wrong
	case revision != said:
		return failf(codeHeader, "%s is not what _meta says", headerRevision)
	case client == nil:
		return nil
	}
	if method, ok := one(r, headerMethod); !ok || method != m.method {
		return failf(codeHeader, "%s is not the method of the body", headerMethod)
	}
	member, ok := named[m.method]
	if !ok {
		return nil
	}
	name, ok := one(r, headerName)
	if ok {
		name, ok = decoded(name)
	}
	if !ok || name != textParam(m.params, member) {
		return failf(codeHeader, "%s is not the %s of the body", headerName, member)
	}
	return nil
}

// one returns the one value of a header.
func one(r *http.Request, name string) (string, bool) {
	values := r.Header.Values(name)
	if len(values) != 1 || values[0] == "" {
		return "", false
	}
	return values[0], true
}

// decoded returns the value of a header that may be written in base64 (2026-07-28, Value Encoding).
func decoded(value string) (string, bool) {
	for i := 0; i < len(value); i++ {
		if value[i] != '\t' && (value[i] < 0x20 || value[i] > 0x7e) {
			return "", false
		}
	}
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	if inner, ok = strings.CutSuffix(inner, "?="); !ok {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inner)
	return string(text), err == nil
}

// mirrored refuses a call whose headers Mcp-Param-… are not what its arguments say, for the parameters whose
// tool wants them there.
func (h *HTTP) mirrored(ctx context.Context, r *http.Request, x *exchange) *ProtocolError {
	catalogue, err := h.server.o.Tools.List(ctx, x.client)
	if err != nil {
		return nil //nolint:nilerr // the call says what is wrong
	}
	for header, path := range catalogue.mirrors(textParam(x.params, "name")) {
		value := param(x.params, append([]string{"arguments"}, path...)...)
		if string(value) == "null" {
			value = nil
		}
		said := r.Header.Values(headerParam + header)
		if value == nil && len(said) == 0 {
			continue
		}
		text, ok := "", false
		if len(said) == 1 {
			text, ok = decoded(said[0])
		}
		if !ok || value == nil || !sameValue(text, value) {
			return failf(codeHeader, "%s%s is not the argument %s", headerParam, header, strings.Join(path, "."))
		}
	}
	return nil
}

// sameValue reports whether a header's text is a JSON value.
func sameValue(text string, value []byte) bool {
	switch value[0] {
	case '"':
		said, err := ndjson.String(value)
		return err == nil && said == text
	case 't', 'f':
		return text == string(value)
	}
	return text != "" && text[0] != '"' && ndjson.ID([]byte(text)) == ndjson.ID(value)
}

// mirrors returns which headers repeat arguments of a tool, with where these stand.
func (c *Catalogue) mirrors(name string) map[string][]string {
	for i := range c.Tools {
		if c.Tools[i].Name == name && strings.Contains(string(c.Tools[i].InputSchema), mirrorKey) {
			found := map[string][]string{}
			findMirrors(c.Tools[i].InputSchema, nil, found)
			return found
		}
	}
	return nil
}

const mirrorKey = "x-mcp-header"

func findMirrors(schema []byte, path []string, found map[string][]string) {
	properties, _ := ndjson.Get(schema, "properties")
	for name, inner := range ndjson.Members(properties) {
		at := append(append([]string{}, path...), name)
		if header := textParam(inner, mirrorKey); header != "" {
			found[header] = at
		}
		findMirrors(inner, at, found)
	}
}

// reply is the response to a POST: one object, or a stream of events where more is said. It is a peer.
type reply struct {
	*events
	w     http.ResponseWriter
	ready *time.Timer // makes it a stream where the request takes long
}

// quiet is how long a client hears nothing of a request that takes long: proxies and clients take a silent
// connection for a dead one.
const quiet = 10 * time.Second

func newReply(w http.ResponseWriter, r *http.Request) *reply {
	out := &reply{events: newEvents(w, accepts(r, "text/event-stream")), w: w}
	out.ready = time.AfterFunc(quiet, out.alive)
	return out
}

// alive tells that the server is still there.
func (o *reply) alive() {
	if o.events.comment() {
		o.ready.Reset(quiet)
	}
}

// close has nothing written any more.
func (o *reply) close() {
	o.ready.Stop()
	o.events.close()
}

// respond sends the response.
func (o *reply) respond(status int, message []byte) {
	o.ready.Stop()
	o.events.last(status, message)
}

// send implements peer.
func (o *reply) send(message []byte) { o.events.event("", message) }

// ask implements peer.
func (o *reply) ask(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errNoAsk
}

// detach implements peer: a request that stands for itself ends with its connection.
func (o *reply) detach(time.Duration) {}
