package serve

import (
	"encoding/json"
	"net/http"
)

// own is what the daemon answers itself.
func (s *Server) own() Door {
	return Door{Name: "daemon", Routes: []Route{
		{Pattern: "GET /healthz", Scope: Anybody, Handler: http.HandlerFunc(s.health)},
		{Pattern: "GET /readyz", Scope: Anybody, Handler: http.HandlerFunc(s.ready)},
		{Pattern: "GET /status", Scope: AnyPrincipal, Handler: http.HandlerFunc(s.status)},
	}}
}

// health says that the process answers.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"ok": true})
}

// certificateTrouble names what is not as it should be.
const certificateTrouble = "the certificate"

// ready says whether calls can be taken, and names what keeps them, and what will if nobody sees to it; why is
// for the daemon's log.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	waits, troubles := []string{}, []string{}
	if s.draining.Load() {
		waits = append(waits, "the daemon ends")
	}
	if s.o.Ready() != nil {
		waits = append(waits, "the record")
	}
	for _, door := range s.o.Doors {
		if door.Ready != nil && door.Ready() != nil {
			waits = append(waits, door.Name)
		}
	}
	if from := s.inForce.Load().authority(); from.Missing() {
		waits = append(waits, certificateTrouble)
	} else if from.Trouble() != nil {
		troubles = append(troubles, certificateTrouble)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if len(waits) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"ready": len(waits) == 0, "waits_for": waits, "troubles": troubles})
}

// status tells a principal who it is here.
func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	principal, doors := PrincipalOf(r.Context()), []string{}
	for _, door := range s.o.Doors {
		doors = append(doors, door.Name)
	}
	told := map[string]any{"name": principal.Name, "scopes": principal.Scopes}
	if principal.Workspace != "" {
		told["workspace"] = principal.Workspace
	}
	if !principal.Expires.IsZero() {
		told["expires"] = principal.Expires
	}
	all, waiting := s.connections.count()
	writeJSON(w, map[string]any{"version": s.o.Version, "url": s.base, "doors": doors, "principal": told,
		"connections": map[string]any{"all": all, "waiting": waiting}})
}

// writeJSON answers with a value. A client that has gone needs no answer.
func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(value)
}
