package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// tokens is an issuer of tokens.
type tokens struct {
	*httptest.Server
	t      *testing.T
	signer jose.Signer
	issued time.Time // of the next token
}

func newTokens(t *testing.T) *tokens {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &tokens{t: t, issued: time.Now().Add(-time.Minute)}
	if p.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil); err != nil {
		t.Fatal(err)
	}
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(keys) }))
	t.Cleanup(p.Close)
	return p
}

// setting is the issuer as the settings have it.
func (p *tokens) setting(more string) string {
	return fmt.Sprintf("{issuer: %q, audience: a2a-acp, jwks: %q, allow_addresses: [127.0.0.1], algorithms: [ES256]%s}", p.URL, p.URL+"/keys", more)
}

// of returns a new token, of anna where it does not say whom it is about.
func (p *tokens) of(more map[string]any) string {
	p.t.Helper()
	p.issued = p.issued.Add(time.Second)
	all := map[string]any{"iss": p.URL, "aud": "a2a-acp", "sub": "anna", "exp": time.Now().Add(time.Hour).Unix(), "iat": p.issued.Unix()}
	maps.Copy(all, more)
	token, err := jwt.Signed(p.signer).Claims(all).Serialize()
	if err != nil {
		p.t.Fatal(err)
	}
	return token
}

// a2aAs sends a request to the A2A door, and returns what is answered.
func a2aAs(t *testing.T, d *runningDaemon, token, method, params string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.first["a2a"].(string),
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "A2a-Version": {"1.0"}, "Authorization": {"Bearer " + token}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text json.RawMessage
	if err := json.NewDecoder(answer.Body).Decode(&text); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func a2aCall(tool string) string {
	return `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":{"toolCalls":[{"id":"1","toolId":"` + tool + `"}]}}]}}`
}

const accessTools = `version: 2
groups:
  staff: {selectors: [{required_tags: [staff], excluded_tags: [admin]}]}
  admin: {selectors: [{name_pattern: "*"}], excluded_tool_ids: [nobodys]}
  public: {explicit_tool_ids: [open]}
access:
  - {claim_matchers: [{json_path: realm_access.roles, operator: CONTAINS, value: staff}], allowed_group_ids: [staff]}
  - {claim_matchers: [{json_path: realm_access.roles, operator: CONTAINS, value: admin}], allowed_group_ids: [admin]}
  - {everybody: true, allowed_group_ids: [public]}
tools:
  open: {script: echo done-open}
  report: {script: echo done-report, tags: [staff]}
  wipe: {script: echo done-wipe, tags: [staff, admin]}
  nobodys: {script: echo done-nobodys}
  asked: {script: touch asked, tags: [staff], sandbox: {requires_confirmation: true, use_temp_isolation: false, allowed_paths: ["."]}}
`

// TestAccessByClaims calls every tool as everybody at every door: what is listed can be called, and what is not is answered
// as what there is not.
func TestAccessByClaims(t *testing.T) {
	t.Parallel()
	h, p := newHome(t), newTokens(t)
	h.write("tools.yaml", accessTools)
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	h.write("a2a-acp.yaml", "serve:\n  oidc: {corp: "+p.setting("")+"}\n  principals: {anna: {token: {file: "+filepath.Join(h.dir, "anna")+"}}}\n")
	if err := os.WriteFile(filepath.Join(h.dir, "anna"), []byte("tok-anna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := h.new()
	h.runs(a)
	d := h.daemon(a, nil)
	roles := func(roles any) string {
		return p.of(map[string]any{"realm_access": map[string]any{"roles": roles}, "note": "canary-of-claims"})
	}
	callers := map[string]struct {
		token string
		has   string
	}{
		"admin":                 {roles([]string{"admin"}), " open report wipe asked "},
		"staff":                 {roles([]string{"user", "staff"}), " open report asked "},
		"staff, as words":       {roles("user staff"), " open report asked "},
		"nobody":                {p.of(nil), " open "},
		"a list of other kinds": {roles([]any{"admin", 1}), " open "},
		"a name with dots":      {p.of(map[string]any{"realm_access.roles": []string{"admin"}}), " open "},
		"a principal of ours":   {"tok-anna", " open "},
	}
	// unknown is what a door says of a tool, with the name taken out.
	unknown := func(answer, tool string) string { return strings.ReplaceAll(answer, tool, "NAME") }
	for name, caller := range callers {
		w := newMCPWeb(t, d, caller.token)
		list := w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		card := a2aAs(t, d, caller.token, "GetExtendedAgentCard", `{}`)
		callMCP := func(tool string) string {
			return w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `"}}`)
		}
		missingMCP, missingA2A := unknown(callMCP("nothing"), "nothing"), unknown(a2aAs(t, d, caller.token, "SendMessage", a2aCall("nothing")), "nothing")
		for _, tool := range []string{"open", "report", "wipe", "nobodys", "asked"} {
			has := strings.Contains(caller.has, " "+tool+" ")
			if strings.Contains(list, `"`+tool+`"`) != has || strings.Contains(card, `"`+tool+`"`) != has {
				t.Errorf("%s, %s: %v, and the lists are\n%s\n%s", name, tool, has, list, card)
			}
			if tool == "asked" && has {
				continue
			}
			mcp, a2a := callMCP(tool), a2aAs(t, d, caller.token, "SendMessage", a2aCall(tool))
			if has && (!strings.Contains(mcp, "done-"+tool) || !strings.Contains(a2a, "done-"+tool)) {
				t.Errorf("%s, %s: there is one, and\n%s\n%s", name, tool, mcp, a2a)
			}
			if !has && (unknown(mcp, tool) != missingMCP || unknown(a2a, tool) != missingA2A) {
				t.Errorf("%s, %s: there is none, and\n%s\n%s", name, tool, mcp, a2a)
			}
		}
	}
	// The card that everybody gets, and doors that verify nothing.
	if _, card := d.call("/.well-known/agent-card.json", ""); !strings.Contains(card, `"open"`) || strings.Contains(card, "report") {
		t.Errorf("everybody's card is %s", card)
	}
	for _, entry := range a.Configuration().Exposed(h.call("x").Workspace, h.call("x").Origin.Claims) {
		if entry.Tool.ID != "open" {
			t.Errorf("a bridge is offered %s", entry.Tool.ID)
		}
	}
	// A session is offered what the token of each request says.
	w := newMCPWeb(t, d, roles([]string{"admin"}))
	before := w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	w.token = roles([]string{"staff"})
	after := w.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if !strings.Contains(before, `"wipe"`) || strings.Contains(after, `"wipe"`) || !strings.Contains(after, `"report"`) {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	// What is found by searching is what the token of the request lets it have.
	h.write("a2a-acp.yaml", "expose: search\nserve:\n  oidc: {corp: "+p.setting("")+"}\n")
	w = newMCPWeb(t, d, roles([]string{"staff"}))
	search := func(tool, arguments string) string {
		return w.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`)
	}
	if found := search("find_tool", `{"query":""}`); !strings.Contains(found, "report") || strings.Contains(found, "wipe") || strings.Contains(found, "nobodys") {
		t.Errorf("the staff finds %s", found)
	}
	nothing := unknown(search("call_tool", `{"name":"nothing"}`), "nothing")
	if got := unknown(search("call_tool", `{"name":"wipe"}`), "wipe"); got != nothing || !strings.Contains(got, "there is no tool") {
		t.Errorf("called is what is not found: %s, want %s", got, nothing)
	}
	w.token = p.of(nil)
	if found := search("find_tool", `{"query":"report"}`); strings.Contains(found, "report") {
		t.Errorf("after the claim is gone, %s", found)
	}
	if got := unknown(search("call_tool", `{"name":"report"}`), "report"); got != nothing {
		t.Errorf("after the claim is gone, %s, want %s", got, nothing)
	}
	// A claim stands nowhere.
	err := filepath.WalkDir(h.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "canary-of-claims") || strings.Contains(string(text), "realm_access") && !strings.HasSuffix(path, "tools.yaml") {
			t.Errorf("a claim stands in %s", path)
		}
		return err
	})
	if err != nil || h.heard("canary-of-claims") {
		t.Errorf("claims are told, or %v", err)
	}
}

// TestAccessWhileWaiting has a call wait for its yes while its principal shows another token: it is refused where that lacks
// the claim, and else it runs. Another principal's yes is none of its.
func TestAccessWhileWaiting(t *testing.T) {
	t.Parallel()
	h, p := newHome(t), newTokens(t)
	h.write("tools.yaml", accessTools)
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies: [{id: all, applies_to: ['*'], decision: {type: approve}}]\n")
	h.write("a2a-acp.yaml", "serve:\n  oidc: {corp: "+p.setting("")+"}\n")
	a := h.new()
	h.runs(a)
	work := filepath.Join(h.dir, "work")
	d := h.daemon(a, func(o *DaemonOptions) { o.Workspace = work })
	staff := func(sub string) string {
		return p.of(map[string]any{"sub": sub, "realm_access": map[string]any{"roles": []string{"staff"}}})
	}
	type task struct {
		ID     string
		Status struct{ State string }
	}
	begin := func(token string) string {
		var got struct{ Result struct{ Task task } }
		answer := a2aAs(t, d, token, "SendMessage", a2aCall("asked"))
		if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Result.Task.Status.State != "TASK_STATE_INPUT_REQUIRED" {
			t.Fatalf("%s, %v", answer, err)
		}
		return got.Result.Task.ID
	}
	allow := func(token, id string) string {
		answer := a2aAs(t, d, token, "SendMessage", `{"message":{"role":"ROLE_USER","messageId":"y","taskId":"`+id+`","parts":[{"text":"allow"}]}}`)
		for {
			var got struct{ Result task }
			now := a2aAs(t, d, token, "GetTask", `{"id":"`+id+`"}`)
			if err := json.Unmarshal([]byte(now), &got); err != nil || got.Result.ID == "" {
				return answer
			}
			if s := got.Result.Status.State; s != "TASK_STATE_INPUT_REQUIRED" && s != "TASK_STATE_WORKING" {
				return now
			}
		}
	}
	ran := func() bool {
		_, err := os.Stat(filepath.Join(work, "asked"))
		return err == nil
	}
	first := staff("anna")
	id := begin(first)
	if answer := allow(staff("bob"), id); ran() || !strings.Contains(answer, `"error"`) {
		t.Errorf("another principal has said yes: %s", answer)
	}
	less := p.of(nil)
	if answer := allow(less, id); ran() || !strings.Contains(answer, "TASK_STATE_REJECTED") && !strings.Contains(answer, "TASK_STATE_FAILED") ||
		!strings.Contains(answer, "there is no tool") {
		t.Errorf("the claim is gone: %s", answer)
	}
	for what, token := range map[string]string{"that was issued before the other": first, "that is new": staff("anna")} {
		if answer := allow(token, begin(token)); !ran() {
			t.Errorf("a token %s: %s", what, answer)
		}
		if err := os.Remove(filepath.Join(work, "asked")); err != nil {
			t.Error(err)
		}
	}
}
