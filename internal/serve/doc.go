// Package serve is the frame of the daemon: the listeners, who calls, and what of them a caller may reach.
// It speaks no protocol of its own beside /healthz, /readyz and /status. Doors (MCP, A2A, webhooks' keys,
// metrics) are plain http.Handlers that know nothing of this package; internal/app mounts them.
//
// # How a door is mounted
//
// A door is one value. internal/app makes it, where daemonDoors lists all of them:
//
//	serve.Door{
//		Name: "mcp",
//		Routes: []serve.Route{
//			{Pattern: "/mcp", Scope: serve.ScopeTools, Handler: h},
//			{Pattern: "GET /mcp", Scope: serve.ScopeTools, Streams: true, Handler: h},
//			{Pattern: "GET /.well-known/oauth-protected-resource/mcp", Scope: serve.Anybody, Handler: meta},
//		},
//		FirstLine: func(base string) map[string]any { return map[string]any{"mcp": base + "/mcp"} },
//		Ready:     func() error { return nil }, // or why the door can take nothing now
//		Drain:     func(ctx context.Context) { … },
//	}
//
// A Pattern is one of http.ServeMux, so gRPC is the route "POST /lf.a2a.v1.A2AService/": each listener speaks
// HTTP/1.1 and HTTP/2, with TLS or without. A handler is called for principals that have the route's Scope, and
// for nobody else; everybody else has been told so (401, 403, 429). In the handler:
//
//   - PrincipalOf(r.Context()) is who calls. What the handler makes of it goes into tool.Origin: Principal is
//     its Name, and Served is true. A door's own package gets it by a function in its options.
//   - r.Body is bounded (Route.MaxBody), and a client that sends it too slowly is cut. Of one that is too long
//     the handler reads a *http.MaxBytesError.
//   - w may be flushed, hijacked and given to http.NewResponseController. Each write has a deadline of its own,
//     so that an answer may go on for days, and a client that does not read is still cut.
//   - r.Context() ends with the client's connection, and then whoever called is gone. For a stream (Route.Streams,
//     or from the moment that the handler calls Streams(r.Context())) it also ends, with a cause, when the
//     principal or its scope is taken away, when its token expires, and when the daemon ends. What has to
//     outlive the request detaches from it (context.WithoutCancel).
//
// A stream only tells news. It takes no place among what a principal may have under way at once, and nobody
// waits for it at the end: work that goes on behind it is Drain's business.
//
// # Scopes
//
// ScopeTools calls tools, and ScopeTasks makes and follows tasks, each by what rules and governors let the
// principal do. What a client answers about a call of its own, where its protocol lets it be asked, needs no
// further scope. ScopeApprove is for the questions of everybody: whoever has it can answer for the person.
// ScopeAudit reads the record, metrics and the state of webhooks. ScopeAdmin is for what belongs to everybody:
// other principals' tasks, reloads.
//
// # The end
//
// After SIGTERM no request begins any more (503). Each door's Drain is called, and returns when what the door
// has under way has ended; when its context ends, it ends the rest, and then returns. Then streams end, then
// the connections, then the App.
package serve
