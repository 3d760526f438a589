package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

const (
	newSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	oldSecret = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="
)

// TestSigned checks that each of a subscription's keys signs, as Standard Webhooks wants it.
func TestSigned(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.vault["NEW"], h.vault["OLD"], h.vault["PLAIN"] = newSecret, oldSecret, "as it is, and long enough"
	r := newReceiver(t, nil)
	h.put("ä € \u2028 <&>")
	h.deliverer(h.sub("one", r.URL, func(s *Subscription) {
		s.Target.Signing = Signing{Secrets: []Value{stored("NEW"), stored("OLD"), stored("PLAIN")}, Ed25519: true}
	}))
	got := r.next()
	signatures := strings.Split(got.header.Get("webhook-signature"), " ")
	at := got.header.Get("webhook-timestamp")
	if at != strconv.FormatInt(h.clock.now().Unix(), 10) || len(signatures) != 4 {
		t.Fatalf("got %v", got.header)
	}
	content := got.id + "." + at + "." + got.body
	for i, secret := range []string{newSecret, oldSecret, h.vault["PLAIN"]} {
		key := []byte(secret)
		if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
			key, _ = base64.StdEncoding.DecodeString(encoded)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(content))
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); signatures[i] != want {
			t.Errorf("signature %d is %s, want %s", i, signatures[i], want)
		}
	}
	public, err := (&Keys{Dir: h.dir}).Public() // as another process has it
	if err != nil || len(public) != 1 {
		t.Fatal(public, err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(public[0], "whpk_"))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signatures[3], "v1a,"))
	if err != nil || !ed25519.Verify(key, []byte(content), signature) {
		t.Errorf("the signature %s is not by %s (%v)", signatures[3], public[0], err)
	}
}

// TestKeys checks that the keys are ours alone, made once, and served without their private halves.
func TestKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var made sync.Map
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() {
			public, err := (&Keys{Dir: dir}).Public()
			if err != nil {
				t.Error(err)
				return
			}
			made.Store(strings.Join(public, " "), true)
		})
	}
	done.Wait()
	var all []string
	made.Range(func(key, _ any) bool { all = append(all, key.(string)); return true })
	if len(all) != 1 {
		t.Fatalf("several were made: %v", all)
	}
	path := filepath.Join(dir, keysName)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	private, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A second one, in front of it, signs as well.
	if err := os.WriteFile(path, append([]byte("whsk_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n"), private...), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := &Keys{Dir: dir}
	w := httptest.NewRecorder()
	keys.ServeHTTP(w, httptest.NewRequest(http.MethodGet, KeysPath, nil))
	var set struct {
		Keys []struct{ Kty, Crv, Kid, Use, X, Whpk string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil || len(set.Keys) != 2 || set.Keys[1].Whpk != all[0] || set.Keys[0].Kty != "OKP" || set.Keys[0].Kid == set.Keys[1].Kid {
		t.Errorf("got %s (%v)", w.Body, err)
	}
	if x, err := base64.RawURLEncoding.DecodeString(set.Keys[1].X); err != nil || "whpk_"+base64.StdEncoding.EncodeToString(x) != all[0] {
		t.Errorf("x is %s", set.Keys[1].X)
	}
	seed := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(private)), "whsk_"), "=")
	if strings.Contains(w.Body.String(), seed) || strings.Contains(w.Body.String(), "whsk_") {
		t.Error("a private key is served")
	}
	w = httptest.NewRecorder()
	keys.ServeHTTP(w, httptest.NewRequest(http.MethodPost, KeysPath, nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST is answered with %d", w.Code)
	}
	if err := os.WriteFile(path, []byte("whsk_short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Keys{Dir: dir}).Public(); err == nil || strings.Contains(err.Error(), "short") {
		t.Errorf("got %v", err)
	}
}

// TestSecretsStayHidden has a receiver tell in its answers all that it was sent. Nothing of that is kept or said.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.vault["TOKEN"], h.vault["KEY"], h.vault["URL"] = "geheim-token-1234567890", newSecret, ""
	var secrets []string
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		w.WriteHeader(500)
		w.Write([]byte(q.Header.Get("Authorization") + " " + q.Header.Get("X-Key") + " " + q.URL.String()))
	})
	h.vault["URL"] = r.URL + "/services/geheimpfad1234567890?t=geheim-query-1234"
	secrets = append(secrets, "geheim-token-1234567890", newSecret, "geheimpfad1234567890", "geheim-query-1234", "geheim-literal-123456",
		base64.StdEncoding.EncodeToString([]byte("alice:geheim-token-1234567890")))
	h.put("a")
	h.deliverer(
		h.sub("bearer", "", func(s *Subscription) {
			s.Target.URL, s.Target.Auth = stored("URL"), Auth{Kind: AuthBearer, Value: stored("TOKEN")}
			s.Target.Signing.Secrets = []Value{stored("KEY")}
			s.Retry.Attempts = 1
		}),
		h.sub("basic", h.vault["URL"], func(s *Subscription) {
			s.Target.Auth = Auth{Kind: AuthBasic, Name: "alice", Value: stored("TOKEN")}
		}),
		h.sub("header", h.vault["URL"], func(s *Subscription) {
			s.Target.Auth = Auth{Kind: AuthHeader, Name: "X-Key", Value: Value{Literal: "geheim-literal-123456"}}
		}))
	rows := []store.Webhook{
		h.row("bearer", func(w store.Webhook) bool { return w.Dead == 1 }),
		h.row("basic", func(w store.Webhook) bool { return w.Error != "" }), h.row("header", func(w store.Webhook) bool { return w.Error != "" }),
	}
	letters, err := h.store().Letters(t.Context(), rows[0].WebhookKey)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	text, err := json.Marshal([]any{rows, letters, h.said, h.noted})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "[secret]") || !strings.Contains(string(text), "HTTP status 500") {
		t.Errorf("got %s", text)
	}
	for _, secret := range secrets {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s stands in %s", secret, text)
		}
	}
	target := Target{URL: Value{Literal: h.vault["URL"]}}
	if shown := target.Shown(); strings.Contains(shown, "geheim") || !strings.HasSuffix(shown, "/…") {
		t.Errorf("the URL is shown as %s", shown)
	}
}

// TestAuth checks what receivers are shown.
func TestAuth(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.vault["TOKEN"] = "tok-123456"
	for _, test := range []struct {
		auth  Auth
		name  string
		value string
	}{
		{Auth{Kind: AuthBearer, Value: stored("TOKEN")}, "Authorization", "Bearer tok-123456"},
		{Auth{Kind: AuthBasic, Name: "alice", Value: stored("TOKEN")}, "Authorization", "Basic YWxpY2U6dG9rLTEyMzQ1Ng=="},
		{Auth{Kind: AuthAPIKey, Name: "X-API-Key", Value: stored("TOKEN")}, "X-Api-Key", "tok-123456"},
		{Auth{Kind: AuthHeader, Name: "X-Mine", Value: Value{Literal: "lit"}}, "X-Mine", "lit"},
		{Auth{}, "Authorization", ""},
	} {
		r := newReceiver(t, nil)
		target := Target{URL: Value{Literal: r.URL}, Auth: test.auth, Allow: loopback, Header: map[string]string{"X-A2A-Notification-Token": "t"}}
		s := &sender{vault: h.vault, now: h.clock.now}
		a := s.send(t.Context(), &target, &Item{ID: "id", Body: []byte("{}"), ContentType: "application/a2a+json",
			Header: http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}})
		got := r.next()
		if !a.ok() || got.header.Get(test.name) != test.value || got.header.Get("Traceparent") == "" || got.header.Get("X-A2a-Notification-Token") != "t" ||
			got.header.Get("Content-Type") != "application/a2a+json" || got.header.Get("Webhook-Signature") != "" {
			t.Errorf("%+v: got %+v, %v", test.auth, a, got.header)
		}
		s.forget()
	}
}

// TestStandardWebhooks has the official library check signatures of ours, as npm has it. make test-agents installs
// it; where REQUIRE_STANDARD_WEBHOOKS is set, it must be there.
func TestStandardWebhooks(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Abs("../../test/agents/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "standardwebhooks")); err != nil {
		if os.Getenv("REQUIRE_STANDARD_WEBHOOKS") != "" {
			t.Fatal(err)
		}
		t.Skip("standardwebhooks is not installed: cd test/agents && npm ci")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t)
	h.clock.at = realNow()
	h.vault["NEW"], h.vault["OLD"], h.vault["PLAIN"] = newSecret, oldSecret, "as it is, and long enough"
	r := newReceiver(t, nil)
	for _, detail := range []string{"a", "ä € \u2028 \U0001f600 <&>", strings.Repeat("x", 100000)} {
		h.event(events.Event{Type: events.ToolEnded, Detail: detail})
	}
	var want []string
	for _, format := range []Format{FormatSeed, FormatCloudEvents, FormatRecord} {
		h.deliverer(h.sub(format.String(), r.URL, func(s *Subscription) {
			s.Stream = h.record.Stream(Filter{}, format)
			s.Target.Signing = Signing{Secrets: []Value{stored("NEW"), stored("OLD"), stored("PLAIN")}, Ed25519: true}
		}))
		want = append(want, "ok", "ok", "ok")
	}
	type request struct {
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	var requests []request
	for range want {
		got := r.next()
		headers := map[string]string{}
		for name := range got.header {
			headers[name] = got.header.Get(name)
		}
		requests = append(requests, request{headers, got.body})
	}
	input, err := json.Marshal(map[string]any{"requests": requests, "secrets": []string{newSecret, oldSecret}, "raw": h.vault["PLAIN"]})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/verify.mjs")
	cmd.Env = append(os.Environ(), "MODULES="+modules)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(input)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
