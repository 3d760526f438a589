package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
)

// agentLogins is an agent that can log in. It implements Logins.
type agentLogins struct {
	ways []agentclient.Login

	mu   sync.Mutex
	in   bool
	fail error         // of what it is asked
	gate chan struct{} // what a login waits for
}

func (a *agentLogins) Logins(context.Context, string) ([]agentclient.Login, error) {
	return a.ways, a.fail
}

func (a *agentLogins) Login(ctx context.Context, _, login string) error {
	select {
	case <-a.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if login == "refused" {
		return &agentclient.RefusedError{Code: -32000, Message: "the key sk-verysecret is wrong"}
	}
	a.in = true
	return nil
}

func (a *agentLogins) LoggedIn(context.Context, string) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.in, a.fail
}

func (a *agentLogins) Logout(context.Context, string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.in = false
	return a.fail
}

// loginHouse is a house whose agents log in. told is all that was told of it, and said what the server has
// said.
func loginHouse(t *testing.T, ways ...agentclient.Login) (h *house, agent *agentLogins, told func() string) {
	t.Helper()
	h = &house{t: t, dir: t.TempDir()}
	agent = &agentLogins{ways: ways, gate: make(chan struct{})}
	var mu sync.Mutex
	var lines []string
	note := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}
	h.open(func(o *Options) {
		o.Logins, o.Say = agent, note
		o.Told = func(by Caller, agent, what string) { note(by.Name + ": " + agent + " " + what) }
		o.Caller = func(r *http.Request) Caller {
			name := r.Header.Get("Authorization")
			return Caller{Name: name, Admin: strings.HasPrefix(name, "admin")}
		}
	})
	t.Cleanup(h.close)
	return h, agent, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(lines, "\n")
	}
}

// login makes a request about an agent's login, and returns what it comes to.
func (h *house) login(who, method, verb, body string) (status int, answer string) {
	h.t.Helper()
	response := h.request(who, method, "/a2a/agents/other/auth"+verb, body, "A2A-Version", "")
	text, err := readAll(response)
	if err != nil {
		h.t.Fatal(err)
	}
	if response.Header.Get("Location") != "" || response.StatusCode/100 == 3 {
		h.t.Errorf("%s%s leads to %q", method, verb, response.Header.Get("Location"))
	}
	return response.StatusCode, string(text)
}

func stateOf(t *testing.T, answer string) string {
	t.Helper()
	var started struct {
		State string `json:"state"`
	}
	if err := json.Unmarshal([]byte(answer), &started); err != nil || len(started.State) < 26 {
		t.Fatalf("%s, %v", answer, err)
	}
	return started.State
}

// TestLogin has an agent log in, and out.
func TestLogin(t *testing.T) {
	t.Parallel()
	h, agent, told := loginHouse(t, agentclient.Login{ID: "browser", Name: "Browser"}, agentclient.Login{ID: "t", Terminal: []string{"x"}})
	if status, answer := h.login("admin", "POST", "/check-auth", ""); status != 401 {
		t.Errorf("before: %d %s", status, answer)
	}
	status, answer := h.login("admin", "POST", "/start", `{}`)
	if status != 200 || !strings.Contains(answer, `"authorize_url":null`) || !strings.Contains(answer, `"method":"browser"`) {
		t.Fatalf("started: %d %s", status, answer)
	}
	state := stateOf(t, answer)
	if status, answer := h.login("admin", "POST", "/start", ""); status != 409 {
		t.Errorf("a second one: %d %s", status, answer)
	}
	if status, answer := h.login("admin", "GET", "/callback?code=CODE&state="+state, ""); status != 202 || strings.Contains(answer, "CODE") {
		t.Errorf("pending: %d %s", status, answer)
	}
	manual := `{"callback_url":"http://169.254.169.254/cb?code=CODE&state=` + state + `"}`
	if status, answer := h.login("admin", "POST", "/manual", manual); status != 409 || strings.Contains(answer, "CODE") {
		t.Errorf("a code by hand: %d %s", status, answer)
	}
	if status, answer := h.login("admin", "GET", "/status", ""); status != 200 || !strings.Contains(answer, `"pending":true,"signed_in":false`) {
		t.Errorf("status: %d %s", status, answer)
	}
	over := h.door.logins.byAgent["other"].over
	close(agent.gate)
	<-over
	if status, answer := h.login("admin", "POST", "/manual", manual); status != 200 || !strings.Contains(answer, `"success":true`) {
		t.Errorf("done: %d %s", status, answer)
	}
	if status, _ := h.login("admin", "GET", "/callback?state="+state, ""); status != 401 {
		t.Errorf("told twice: %d", status)
	}
	for _, verb := range []string{"/check-auth", "/refresh"} {
		if status, answer := h.login("admin", "POST", verb, ""); status != 200 || !strings.Contains(answer, `"agent_id":"other"`) {
			t.Errorf("%s: %d %s", verb, status, answer)
		}
	}
	if status, answer := h.login("admin", "DELETE", "", ""); status != 204 || agent.in {
		t.Errorf("out: %d %s", status, answer)
	}
	want := "admin: other begins to log in by browser\nadmin: other has logged in by browser\nadmin: other has logged out"
	if told() != want {
		t.Errorf("told %q", told())
	}
}

// TestLoginHostile tries to have an agent log in, to learn of it, and to be led elsewhere, as somebody who
// may not, or with what was not given to him.
func TestLoginHostile(t *testing.T) {
	t.Parallel()
	h, agent, told := loginHouse(t, agentclient.Login{ID: "browser"}, agentclient.Login{ID: "refused"})
	verbs := map[string]string{"/start": "POST", "/callback?state=x": "GET", "/manual": "POST", "/status": "GET", "/refresh": "POST",
		"/check-auth": "POST", "": "DELETE"}
	for verb, method := range verbs {
		if status, answer := h.login("anna", method, verb, ""); status != 403 || strings.Contains(answer, "other") {
			t.Errorf("anna: %s: %d %s", verb, status, answer)
		}
		if status, answer := h.login("", method, verb, ""); status != 403 {
			t.Errorf("nobody: %s: %d %s", verb, status, answer)
		}
		wrong := map[string]string{"GET": "POST", "POST": "GET", "DELETE": "GET"}[method]
		if status, answer := h.login("admin", wrong, verb, ""); status != 405 {
			t.Errorf("%s %s: %d %s", wrong, verb, status, answer)
		}
	}
	for _, path := range []string{"/a2a/agents/none/auth/status", "/a2a/agents/other/auth/", "/a2a/agents/other/auth/status/x",
		"/a2a/agents//auth/status", "/a2a/agents/other/auth/../status", "/agents/other/a2a/agents/other/auth/status",
		"/a2a%2Fagents/other/auth/status", "/agents/other/metrics/system", "/agents/other/metrics/push-notifications", "/a2a/agents/other%2fauth/status", "/metrics%2Fsystem"} {
		response := h.request("admin", "GET", path, "", "A2A-Version", "")
		if body, err := readAll(response); err != nil || response.StatusCode < 400 {
			t.Errorf("%s: %d %s, %v", path, response.StatusCode, body, err)
		}
	}
	led := h.request("admin", "GET", "/a2a/agents/other/auth/status", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	if body, err := readAll(led); err != nil || led.StatusCode != http.StatusForbidden {
		t.Errorf("led here by another site: %s %s, %v", led.Status, body, err)
	}
	for _, body := range []string{`{"redirect_uri":"https://evil.example/"}`, `{"client_id":"evil"}`, `{"scope":"all"}`, `{"method":"none"}`,
		`{"method":1}`, `{"method":"browser","method":"refused"}`, `[]`, `{"a":`, `{}`} {
		if status, answer := h.login("admin", "POST", "/start", body); status/100 != 4 {
			t.Errorf("start %s: %d %s", body, status, answer)
		}
	}
	if h.door.logins.byAgent["other"] != nil {
		t.Fatal("a login has begun")
	}

	status, answer := h.login("admin", "POST", "/start", `{"method":"refused"}`)
	if status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	state := stateOf(t, answer)
	over := h.door.logins.byAgent["other"].over
	close(agent.gate)
	<-over
	for _, forged := range []string{"", "x", state[:len(state)-1], state + "x", strings.ToLower(state), state + "&state=" + state, "%00"} {
		if status, answer := h.login("admin", "GET", "/callback?state="+forged, ""); status/100 != 4 {
			t.Errorf("forged %q: %d %s", forged, status, answer)
		}
	}
	if status, _ := h.login("admin2", "GET", "/callback?state="+state, ""); status != 401 {
		t.Errorf("another's state: %d", status)
	}
	status, answer = h.login("admin", "GET", "/callback?state="+state, "")
	if status != 502 || !strings.Contains(answer, "agent_not_accepting_auth: the agent has refused") {
		t.Errorf("refused: %d %s", status, answer)
	}
	if all := told() + answer; strings.Contains(all, "sk-verysecret") || strings.Contains(all, state) {
		t.Errorf("a secret is told: %s", all)
	}
	agent.fail = agentclient.ErrNoLogout
	if status, answer := h.login("admin", "DELETE", "", ""); status != 502 || !strings.Contains(answer, "no way to log out") {
		t.Errorf("no logout: %d %s", status, answer)
	}
	agent.fail = fmt.Errorf("token sk-verysecret: %w", errors.New("cannot be started"))
	if status, answer := h.login("admin", "GET", "/status", ""); status != 502 || strings.Contains(answer+told(), "sk-verysecret") {
		t.Errorf("a failure: %d %s; %s", status, answer, told())
	}
}

// TestLoginEnds ends a login that nobody finishes: by DELETE, and with the server.
func TestLoginEnds(t *testing.T) {
	t.Parallel()
	h, _, _ := loginHouse(t, agentclient.Login{ID: "browser"})
	_, answer := h.login("admin", "POST", "/start", "")
	state := stateOf(t, answer)
	if status, answer := h.login("admin", "DELETE", "", ""); status != 204 {
		t.Errorf("ended: %d %s", status, answer)
	}
	if status, _ := h.login("admin", "GET", "/callback?state="+state, ""); status != 401 {
		t.Errorf("after the end: %d", status)
	}
	if status, answer := h.login("admin", "POST", "/start", ""); status != 200 { // h.close waits for it
		t.Errorf("again: %d %s", status, answer)
	}
}
