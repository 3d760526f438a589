package main

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The canaries of HTTP tools: what requests show whose they are with.
const (
	inBearer    = "canary-bearer-1b2c3d4e"
	inQuery     = "canary-query-5f6a7b8c" // stands in the URL
	inClient    = "canary-client-9d0e1f2a"
	inFetched   = "canary-fetched-3b4c5d6e" // a token that the client was given
	inSubject   = "canary-subject-7f8a9b0c"
	inExchanged = "canary-exchanged-1d2e3f4a" // a token for that subject
)

// requestCanaries are those that are only ever shown to the API.
func requestCanaries() []string {
	return []string{inBearer, inQuery, inClient, inFetched, inSubject, inExchanged}
}

// canaryCalls are the HTTP tools, with arguments.
func canaryCalls() []canaryCall {
	calls := []canaryCall{{"http_given", `{"key":"` + inParameter + `"}`}}
	for _, source := range []string{"bearer", "query", "fetched", "exchanged"} {
		calls = append(calls, canaryCall{"http_" + source, "{}"})
	}
	for _, name := range []string{"denied", "elsewhere", "job", "pages", "stream", "dropped", "shape", "coding", "charset", "refused", "kept"} {
		calls = append(calls, canaryCall{"http_" + name, "{}"})
	}
	return calls
}

type canaryCall struct{ tool, arguments string }

// httpTools is what tools.yaml has of an API that repeats whatever it is shown, wherever an answer has room for it.
func (w *canaryWorld) httpTools() (sources, tools string) {
	reached := "allow_addresses: [127.0.0.1], base_url: '" + w.url + "/api'"
	token := "token_url: '" + w.url + "/api/token', client_id: us, client_secret: {env: CLIENT_SECRET}"
	sources = `sources:
  bearer: {` + reached + `, auth: {bearer: {secret: BEARER}}}
  query: {` + reached + `, redirects: 1, auth: {api_key: {in: query, name: key, value: {env: QUERY_KEY}}}}
  fetched: {` + reached + `, auth: {client_credentials: {` + token + `}}}
  refused: {` + reached + `, auth: {client_credentials: {` + strings.Replace(token, "/token'", "/token/refused'", 1) + `, client_auth: post}}}
  exchanged: {` + reached + `, auth: {token_exchange: {` + token + `, subject: {secret: SUBJECT}}}}
`
	tools = `  http_given:
    parameters: [{name: key, type: string, secret: true, required: true}]
    http: {source: bearer, post: /echo, query: {q: "{{key}}"}, headers: {X-Key: "{{key}}"}, json: {key: "{{key}}"}}
    audit: full
  http_asks: {http: {source: fetched, get: /echo}, audit: full}
`
	for name, request := range map[string]string{
		"bearer": "bearer, get: /echo", "query": "query, get: /echo", "fetched": "fetched, get: /echo", "exchanged": "exchanged, get: /echo",
		"denied": "fetched, get: /denied", "refused": "refused, get: /echo", "elsewhere": "query, get: /elsewhere",
		"job":     "bearer, post: /job, poll: {poll_interval_seconds: 0.01, max_poll_attempts: 2}",
		"pages":   "query, get: /pages, paginate: {next: link, items: /, max_pages: 2}",
		"stream":  "exchanged, get: /stream, result: {stream: sse}",
		"dropped": "query, get: /dropped",
		"shape":   "bearer, get: /json, result: {shape: \"body[body.shown]\"}",
		"coding":  "bearer, get: /coding", "charset": "bearer, get: /charset",
	} {
		tools += "  http_" + name + ": {http: {source: " + request + "}, audit: full}\n"
	}
	return sources, tools + "  http_kept: {http: {source: fetched, get: /echo}, caching: {http: true}, annotations: {readOnlyHint: true}, audit: full}\n"
}

// api answers as a service that repeats whatever it is shown.
func (w *canaryWorld) api(rw http.ResponseWriter, r *http.Request, body string) {
	shown := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if basic, ok := strings.CutPrefix(shown, "Basic "); ok {
		plain, _ := base64.StdEncoding.DecodeString(basic)
		_, shown, _ = strings.Cut(string(plain), ":")
	}
	if key := r.URL.Query().Get("key"); key != "" {
		shown = key
	}
	form, _ := url.ParseQuery(body)
	shown += form.Get("client_secret")
	everything := fmt.Sprint(r.Method, " ", r.URL, r.Header, body)
	w.mu.Lock()
	w.shown += shown + form.Get("subject_token") + "\n"
	w.mu.Unlock()
	rw.Header().Set("X-Echo", shown)
	rw.Header().Set("Cache-Control", "max-age=60")
	switch strings.TrimPrefix(r.URL.Path, "/api/") {
	case "token":
		given := inFetched
		if form.Get("subject_token") != "" {
			given = inExchanged
		}
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `{"access_token":%q,"token_type":"Bearer","expires_in":300}`, given)
	case "token/refused":
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(rw, `{"error":%q,"error_description":"no %s"}`, shown, everything)
	case "denied":
		rw.WriteHeader(http.StatusForbidden)
		fmt.Fprint(rw, "not with ", everything)
	case "elsewhere":
		rw.Header().Set("Location", "http://"+shown+".example/"+shown)
		rw.WriteHeader(http.StatusFound)
	case "job":
		rw.Header().Set("Location", "/api/jobs/"+shown)
		rw.WriteHeader(http.StatusAccepted)
	case "pages":
		rw.Header().Set("Link", `<http://`+shown+`.example/?key=`+shown+`>; rel="next"`)
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `[%q]`, everything)
	case "stream":
		rw.Header().Set("Content-Type", "text/event-stream")
		for i := 1; i <= len(shown); i += 7 { // a secret that comes in pieces
			fmt.Fprintf(rw, "data: %q\n\ndata: %s\n\n", shown[:i], everything)
			http.NewResponseController(rw).Flush() //nolint:errcheck // what is not sent is not told
		}
	case "dropped":
		panic(http.ErrAbortHandler)
	case "json":
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `{"shown":%q}`, shown)
	case "coding":
		rw.Header().Set("Content-Encoding", shown)
		fmt.Fprint(rw, everything)
	case "charset":
		rw.Header().Set("Content-Type", "text/plain; charset="+shown)
		fmt.Fprint(rw, everything)
	default:
		fmt.Fprint(rw, everything, base64.StdEncoding.EncodeToString([]byte(shown)))
	}
}

// request has the HTTP tools called at the command line, and shown.
func (w *canaryWorld) request() {
	w.t.Helper()
	for _, call := range canaryCalls() {
		args := []string{"tools", "run", call.tool}
		if call.arguments != "{}" {
			args = append(args, "-p", "key="+inParameter)
		}
		w.run("", append(args, "--json")...)
	}
	for _, name := range []string{"http_query", "http_exchanged"} {
		w.run("", "tools", "run", name, "--dry-run", "--json")
		w.run("", "tools", "run", name)
		w.run("", "tools", "show", name, "-o", "curl")
	}
	w.run("", "tools", "show", "http_given", "-p", "key="+inParameter, "-o", "curl")
	w.run("", "tools", "run", "http_given", "-p", "key="+inParameter, "--dry-run", "--json")
	w.run("", "tools", "run", "http_asks", "--dry-run", "--as", "claude")
	w.run("", "tools", "check")
}

// message calls them over A2A, in one message. A client's own message is kept as it was sent, so none of it is secret.
func (w *canaryWorld) message(address string) {
	w.t.Helper()
	var calls []string
	for i, call := range canaryCalls()[1:] {
		calls = append(calls, fmt.Sprintf(`{"id":"call_%d","toolId":%q,"parameters":%s}`, i, call.tool, call.arguments))
	}
	for _, path := range []string{"/message:send", "/message:stream"} {
		body := `{"message":{"role":"ROLE_USER","messageId":"` + path + `","parts":[{"data":{"toolCalls":[` + strings.Join(calls, ",") + `]}}]}}`
		request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, address+path, strings.NewReader(body))
		if err != nil {
			w.t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + inToken, "Content-Type": "application/json", "A2A-Version": "1.0"} {
			request.Header.Set(name, value)
		}
		answer := w.do(request)
		for i := range calls {
			if !strings.Contains(answer, fmt.Sprintf("call_%d", i)) {
				w.t.Errorf("%s does not tell of the call %s: %s", path, calls[i], answer)
			}
		}
		w.told("the answer to "+path, answer)
	}
}

// proveShown checks that the API has seen each canary: what was sent nowhere could not come back.
func (w *canaryWorld) proveShown() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	missing := map[string]bool{}
	for _, canary := range requestCanaries() {
		if !strings.Contains(w.shown, canary) {
			missing[canary] = true
		}
	}
	if len(missing) > 0 {
		w.t.Errorf("the API was never shown %s", slices.Sorted(maps.Keys(missing)))
	}
}
