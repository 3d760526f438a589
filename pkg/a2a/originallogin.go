package a2a

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
)

// An agent logs in at the original's paths, /a2a/agents/NAME/auth/…, as far as ACP has words for it: the agent says
// which ways it has, is told one, and does the rest itself, on its own machine. ACP carries no address to go to and no
// code back. So there is no redirect, no address of a caller's is ever followed, and the code in one is never looked
// at. What start returns as state is a secret that tells its caller, once, how the login has ended.
//
// An agent's login is everybody's. Who sees everybody's tasks may change it, and nobody else.

// Logins has agents log in. Safe for concurrent use. *agentclient.Driver is one, and says what the methods
// do.
type Logins interface {
	Logins(ctx context.Context, agent string) ([]agentclient.Login, error)
	Login(ctx context.Context, agent, login string) error
	LoggedIn(ctx context.Context, agent string) (bool, error)
	Logout(ctx context.Context, agent string) error
}

const (
	// loginPatience is how long a login may take, and how long its end can be asked for after that.
	loginPatience = 10 * time.Minute
	// askPatience is how long an agent may take to say how it stands.
	askPatience = time.Minute
)

// loginsUnderWay are the logins that have begun and whose end nobody was told. The zero value is ready to
// use.
type loginsUnderWay struct {
	mu      sync.Mutex
	byAgent map[string]*loginUnderWay
	asked   map[string]bool // agents that are asked something, each once at a time
}

// loginUnderWay is one of them.
type loginUnderWay struct {
	state   [sha256.Size]byte // of what its caller knows it by
	caller  string
	method  string
	expires time.Time
	stop    context.CancelFunc
	over    chan struct{} // closed when it has ended
	err     error         // how; set before over is closed
}

// pending reports whether the login goes on.
func (l *loginUnderWay) pending() bool {
	select {
	case <-l.over:
		return false
	default:
		return true
	}
}

// loginPath splits a path of an agent's login into the agent's name and what is to be done.
func loginPath(path string) (agent, verb string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/a2a/agents/")
	if !ok {
		return "", "", false
	}
	agent, rest, ok = strings.Cut(rest, "/")
	if rest == "auth" {
		return agent, "", ok
	}
	verb, isAuth := strings.CutPrefix(rest, "auth/")
	return agent, verb, ok && isAuth
}

// loginVerbs are what can be done, and by which method.
var loginVerbs = map[string]struct {
	method string
	do     func(*Server, http.ResponseWriter, *http.Request, Caller, string)
}{
	"start":      {http.MethodPost, (*Server).loginStart},
	"callback":   {http.MethodGet, (*Server).loginCallback},
	"manual":     {http.MethodPost, (*Server).loginManual},
	"status":     {http.MethodGet, (*Server).loginStatus},
	"refresh":    {http.MethodPost, (*Server).loginRefresh},
	"check-auth": {http.MethodPost, (*Server).loginCheck},
	"":           {http.MethodDelete, (*Server).loginEnd},
}

// serveLogin answers at a path of an agent's login.
func (s *Server) serveLogin(w http.ResponseWriter, r *http.Request, at *endpoint, agent, verb string) {
	w.Header().Set("Cache-Control", "no-store")
	caller, known := s.o.Caller(r), loginVerbs[verb]
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case site == "cross-site" || site == "same-site": // a page that leads its reader here would start an agent
		s.loginFails(w, http.StatusForbidden, "another site has led here")
	case !caller.Admin: // whether there is such an agent is none of its business, either
		s.loginFails(w, http.StatusForbidden, "an agent's login is everybody's: it needs the scope admin")
	case at != s.root || known.do == nil || s.o.Logins == nil || s.endpoint(agent) == nil:
		s.loginFails(w, http.StatusNotFound, "there is no such agent, or nothing like that to do with it")
	case r.Method != known.method:
		w.Header().Set("Allow", known.method)
		s.loginFails(w, http.StatusMethodNotAllowed, "want "+known.method)
	default:
		known.do(s, w, r, caller, agent)
	}
}

// loginFails tells what is wrong, as the original does.
func (s *Server) loginFails(w http.ResponseWriter, status int, why string) {
	s.originalJSON(w, status, map[string]any{"detail": why})
}

// loginBody reads the body of a request, which may be empty.
func (s *Server) loginBody(w http.ResponseWriter, r *http.Request, to any) bool {
	body, failed := readBody(w, r, "application/json")
	if failed == nil && len(body) > 0 {
		if failed = checkedNames(body); failed == nil && json.Unmarshal(body, to) != nil {
			failed = failf(errParams, "want an object of texts")
		}
	}
	if failed != nil {
		s.loginFails(w, http.StatusBadRequest, failed.Error())
	}
	return failed == nil
}

// ask asks an agent something, which starts it: one thing at a time. What goes wrong with it is told in words
// of ours, since those of an agent could hold what it logs in with.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, agent string, do func(context.Context) error) bool {
	l := &s.logins
	l.mu.Lock()
	busy := l.asked[agent]
	if !busy {
		if l.asked == nil {
			l.asked = map[string]bool{}
		}
		l.asked[agent] = true
	}
	l.mu.Unlock()
	if busy {
		w.Header().Set("Retry-After", "1")
		s.loginFails(w, http.StatusTooManyRequests, "the agent is asked something else just now")
		return false
	}
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.asked, agent)
	}()
	ctx, cancel := context.WithTimeout(r.Context(), askPatience)
	defer cancel()
	if err := do(ctx); err != nil {
		s.loginFails(w, http.StatusBadGateway, loginWords(err))
		return false
	}
	return true
}

// loginWords says what went wrong with an agent.
func loginWords(err error) string {
	var (
		died    *agentclient.EndedError
		refused *agentclient.RefusedError
	)
	switch {
	case errors.As(err, &died):
		return "the agent has ended"
	case errors.As(err, &refused):
		return "the agent has refused"
	case errors.Is(err, agentclient.ErrNoLogout):
		return agentclient.ErrNoLogout.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "the agent did not answer in time"
	}
	return "the agent cannot be asked; a2a-acp agents login says more, on its machine"
}

// loginStart begins a login.
func (s *Server) loginStart(w http.ResponseWriter, r *http.Request, caller Caller, agent string) {
	var said struct {
		Method      string `json:"method"`
		ClientID    string `json:"client_id"`
		RedirectURI string `json:"redirect_uri"`
		Scope       string `json:"scope"`
	}
	if r.ContentLength != 0 && !s.loginBody(w, r, &said) {
		return
	}
	if said.ClientID+said.RedirectURI+said.Scope != "" {
		s.loginFails(w, http.StatusBadRequest,
			"client_id, redirect_uri and scope are the agent's own business: it does its login itself. Leave them out")
		return
	}
	var ways []agentclient.Login
	if !s.ask(w, r, agent, func(ctx context.Context) (err error) {
		ways, err = s.o.Logins.Logins(ctx, agent)
		return err
	}) {
		return
	}
	way, why := chooseLogin(ways, said.Method)
	if why != "" {
		list := []map[string]any{}
		for _, l := range ways {
			list = append(list, map[string]any{"method": l.ID, "name": l.Name, "description": l.Description,
				"terminal": l.Terminal != nil})
		}
		s.originalJSON(w, http.StatusConflict, map[string]any{"detail": why, "methods": list})
		return
	}
	state := rand.Text()
	ctx, stop := context.WithTimeout(s.ending, loginPatience)
	login := &loginUnderWay{state: sha256.Sum256([]byte(state)), caller: caller.Name, method: way,
		expires: s.o.Now().Add(2 * loginPatience), stop: stop, over: make(chan struct{})}
	began := s.logins.begin(agent, login)
	if began {
		s.o.Told(caller, agent, "begins to log in by "+way)
		began = s.work(func() { // ends with the login, or when the server does
			defer stop()
			defer close(login.over)
			login.err = s.o.Logins.Login(ctx, agent, way)
			how := "has logged in by " + way
			if login.err != nil {
				how = "has not logged in by " + way + ": " + loginWords(login.err)
			}
			s.o.Told(caller, agent, how)
		})
	}
	if !began {
		stop()
		close(login.over)
		s.loginFails(w, http.StatusConflict, "a login of this agent is under way; DELETE auth ends it")
		return
	}
	s.originalJSON(w, http.StatusOK, map[string]any{"authorize_url": nil, "state": state, "method": way, "status": "pending",
		"expires_at": login.expires.UnixMilli()})
}

// work does something that Close waits for; it is false where the server ends.
func (s *Server) work(do func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.working.Go(do)
	return true
}

// chooseLogin returns the way that is meant; or why there is none.
func chooseLogin(ways []agentclient.Login, method string) (id, why string) {
	here := slices.DeleteFunc(slices.Clone(ways), func(l agentclient.Login) bool { return l.Terminal != nil })
	i := slices.IndexFunc(here, func(l agentclient.Login) bool { return l.ID == method })
	switch {
	case i >= 0:
		return method, ""
	case slices.ContainsFunc(ways, func(l agentclient.Login) bool { return l.ID == method }):
		return "", "this login needs a terminal on the agent's machine: a2a-acp agents login"
	case method != "":
		return "", "the agent offers no such login"
	case len(here) == 0:
		return "", "the agent offers no login that needs no terminal; on its machine: a2a-acp agents login"
	case len(here) > 1:
		return "", "the agent offers several logins; say which one with method"
	}
	return here[0].ID, ""
}

// begin puts a login in the place of one that has ended; it is false where one goes on.
func (l *loginsUnderWay) begin(agent string, login *loginUnderWay) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before := l.byAgent[agent]; before != nil && before.pending() {
		return false
	}
	if l.byAgent == nil {
		l.byAgent = map[string]*loginUnderWay{}
	}
	l.byAgent[agent] = login
	return true
}

// of returns the login of an agent that a caller knows by a state, and forgets it where it has ended: its end
// is told once.
func (l *loginsUnderWay) of(agent, state string, caller Caller, now time.Time) *loginUnderWay {
	l.mu.Lock()
	defer l.mu.Unlock()
	login := l.byAgent[agent]
	if login == nil || login.state != sha256.Sum256([]byte(state)) || login.caller != caller.Name || now.After(login.expires) {
		return nil
	}
	if !login.pending() {
		delete(l.byAgent, agent)
	}
	return login
}

// loginCallback tells how a login has ended.
func (s *Server) loginCallback(w http.ResponseWriter, r *http.Request, caller Caller, agent string) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(query["state"]) != 1 {
		s.loginFails(w, http.StatusBadRequest, "say with state, once, which login is meant")
		return
	}
	s.loginEnds(w, caller, agent, query.Get("state"), http.StatusAccepted, "")
}

// loginManual does the same for who has an address where a login has led to. Its code is the agent's, which
// waits for it on its own machine: ACP has no way to hand it on.
func (s *Server) loginManual(w http.ResponseWriter, r *http.Request, caller Caller, agent string) {
	var said struct {
		CallbackURL string `json:"callback_url"`
		State       string `json:"state"`
	}
	if !s.loginBody(w, r, &said) {
		return
	}
	if u, err := url.Parse(said.CallbackURL); err == nil && said.State == "" {
		said.State = u.Query().Get("state")
	}
	s.loginEnds(w, caller, agent, said.State, http.StatusConflict,
		"the agent waits for this on its own machine, and ACP has no way to hand a code on: open the address there")
}

func (s *Server) loginEnds(w http.ResponseWriter, caller Caller, agent, state string, pending int, detail string) {
	login := s.logins.of(agent, state, caller, s.o.Now())
	switch {
	case login == nil: // of another, over, told before, or never begun: all the same
		s.loginFails(w, http.StatusUnauthorized, "no login that you have begun has this state")
	case login.pending():
		said := map[string]any{"success": false, "agent_id": agent, "status": "pending", "expires_at": login.expires.UnixMilli()}
		if detail != "" {
			said["detail"] = detail
		}
		s.originalJSON(w, pending, said)
	case login.err != nil:
		s.loginFails(w, http.StatusBadGateway, "agent_not_accepting_auth: "+loginWords(login.err))
	default:
		s.originalJSON(w, http.StatusOK, map[string]any{"success": true, "agent_id": agent, "account_id": nil, "expires": nil})
	}
}

// loggedIn asks an agent whether it begins a session.
func (s *Server) loggedIn(w http.ResponseWriter, r *http.Request, agent string) (in, ok bool) {
	ok = s.ask(w, r, agent, func(ctx context.Context) (err error) {
		in, err = s.o.Logins.LoggedIn(ctx, agent)
		return err
	})
	return in, ok
}

func (s *Server) loginStatus(w http.ResponseWriter, r *http.Request, _ Caller, agent string) {
	in, ok := s.loggedIn(w, r, agent)
	if !ok {
		return
	}
	said := map[string]any{"signed_in": in, "expires": nil, "account_id": nil, "authentication_method": nil, "pending": false}
	s.logins.mu.Lock()
	if login := s.logins.byAgent[agent]; login != nil {
		said["authentication_method"], said["pending"] = login.method, login.pending()
	}
	s.logins.mu.Unlock()
	s.originalJSON(w, http.StatusOK, said)
}

// loginRefresh has the agent renew its login, which it does itself when it begins a session.
func (s *Server) loginRefresh(w http.ResponseWriter, r *http.Request, _ Caller, agent string) {
	s.loginIs(w, r, agent, map[string]any{"agent_id": agent, "expires": nil, "created_at": nil})
}

func (s *Server) loginCheck(w http.ResponseWriter, r *http.Request, _ Caller, agent string) {
	s.loginIs(w, r, agent, map[string]any{"success": true, "agent_id": agent})
}

func (s *Server) loginIs(w http.ResponseWriter, r *http.Request, agent string, said map[string]any) {
	switch in, ok := s.loggedIn(w, r, agent); {
	case !ok:
	case !in:
		s.loginFails(w, http.StatusUnauthorized, "the agent is not logged in")
	default:
		s.originalJSON(w, http.StatusOK, said)
	}
}

// loginEnd ends a login that is under way, and has the agent forget the one that it has.
func (s *Server) loginEnd(w http.ResponseWriter, r *http.Request, caller Caller, agent string) {
	s.logins.mu.Lock()
	login := s.logins.byAgent[agent]
	delete(s.logins.byAgent, agent)
	s.logins.mu.Unlock()
	if login != nil {
		login.stop()
		<-login.over
	}
	if !s.ask(w, r, agent, func(ctx context.Context) error { return s.o.Logins.Logout(ctx, agent) }) {
		return
	}
	s.o.Told(caller, agent, "has logged out")
	w.WriteHeader(http.StatusNoContent)
}
