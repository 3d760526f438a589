package a2a

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2a-acp/a2a-acp/internal/jcs"
)

// cardAs gets the card as a client that says these headers.
func (h *house) cardAs(path string, headers ...string) []byte {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.http.URL+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("User-Agent", "test")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := h.http.Client().Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	body, err := readAll(response)
	if err != nil || response.StatusCode != http.StatusOK {
		h.t.Fatalf("%s: %d, %v", path, response.StatusCode, err)
	}
	return body
}

func readAll(response *http.Response) ([]byte, error) {
	body, err := io.ReadAll(response.Body)
	return body, errors.Join(err, response.Body.Close())
}

// TestCardIsProtoJSON reads cards as the strictest client does, by the protocol's .proto file; and as its
// module for Go does, which reads scopes in another way.
func TestCardIsProtoJSON(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for path, headers := range map[string][]string{
		"/.well-known/agent-card.json": {"A2A-Version", "1.0"},
		"/extendedAgentCard":           {"A2A-Version", "1.0", "Authorization", "me"},
	} {
		var card a2apb.AgentCard
		if err := protojson.Unmarshal(h.cardAs(path, headers...), &card); err != nil {
			t.Errorf("%s: %v", path, err)
		} else if scopes := card.GetSecurityRequirements()[0].GetSchemes()["bearer"].GetList(); len(scopes) != 1 || scopes[0] != "tasks" {
			t.Errorf("%s: the scopes are %q", path, scopes)
		}
		for _, version := range []string{"1.0", ""} {
			if version == "" && path == "/extendedAgentCard" {
				continue
			}
			headers[1] = version
			var bare wire.AgentCard
			if err := json.Unmarshal(h.cardAs(path, append(headers, "User-Agent", "Go-http-client/1.1")...), &bare); err != nil {
				t.Errorf("%s for the module for Go: %v", path, err)
			} else if scopes := bare.SecurityRequirements[0]["bearer"]; len(scopes) != 1 || scopes[0] != "tasks" {
				t.Errorf("%s for the module for Go: the scopes are %q", path, scopes)
			}
		}
	}
}

// TestSignatures checks the signatures of a card: over the card as it is, and, where something in it is
// empty, over what clients of the SDKs look at.
func TestSignatures(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.actor.card.Capabilities.Extensions = []wire.AgentExtension{{URI: "urn:a", Params: map[string]any{"of": map[string]any{}, "n": 1, "o": ""}}}
	var document map[string]any
	if err := json.Unmarshal(h.cardAs("/.well-known/agent-card.json", "A2A-Version", "1.0"), &document); err != nil {
		t.Fatal(err)
	}
	signatures, _ := document["signatures"].([]any)
	delete(document, "signatures")
	if len(signatures) != 2 {
		t.Fatalf("there are %d signatures", len(signatures))
	}
	text := `"extensions":[{"params":{"n":1,"o":"","of":{}},"uri":"urn:a"}]`
	for i, value := range []any{document, jcs.WithoutEmpty(document)} {
		payload, err := jcs.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(payload), text) {
			t.Errorf("what is signed is %s", payload)
		}
		text = `"extensions":[{"params":{"n":1},"uri":"urn:a"}]`
		if one, _ := signatures[i].(map[string]any); !signed(t, &h.signer.key.PublicKey, payload, one) {
			t.Errorf("signature %d is not one of %s", i, payload)
		}
	}
}

func signed(t *testing.T, key *ecdsa.PublicKey, payload []byte, signature map[string]any) bool {
	t.Helper()
	protected, _ := signature["protected"].(string)
	encoded, _ := signature["signature"].(string)
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(raw) != 64 {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(protected + "." + base64.RawURLEncoding.EncodeToString(payload)))
	return ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:]))
}

// TestGRPCText encodes nothing that may stand in a trailer: grpc-js does not decode it.
func TestGRPCText(t *testing.T) {
	t.Parallel()
	if got, want := grpcText("50% of a;b, \u00e4\n"), "50%25 of a;b, %C3%A4%0A"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLegacyErrors tells clients of 0.3 errors as their SDKs read them.
func TestLegacyErrors(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, test := range []struct{ path, body, accept, contentType, want string }{
		{"/v1/tasks/none:cancel", "", "application/json", "application/json", `"code":-32001`},
		{"/v1/tasks/none:cancel", "", "application/json", "application/json", `"error":{"code":404`},
		{"/", `{"jsonrpc":"2.0","id":7,"method":"tasks/resubscribe","params":{"id":"none"}}`, "text/event-stream", "text/event-stream",
			`data: {"jsonrpc":"2.0","id":7,"error":{"code":-32001`},
		{"/", `{"jsonrpc":"2.0","id":7,"method":"tasks/resubscribe","params":{"id":"none"}}`, "application/json, text/event-stream",
			"application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-32001`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.http.URL+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", test.accept)
		response, err := h.http.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := readAll(response)
		if kind := response.Header.Get("Content-Type"); err != nil || kind != test.contentType || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s: %s %s, %v", test.path, test.accept, kind, body, err)
		}
	}
}

// TestLegacyConfig takes what HTTP+JSON of 0.3 says of push notifications and of waiting as its .proto file
// does.
func TestLegacyConfig(t *testing.T) {
	t.Parallel()
	op := named("CreateTaskPushNotificationConfig")
	for _, body := range []string{
		`{"pushNotificationConfig":{"id":"a","url":"https://example.com/"}}`,
		`{"config":{"pushNotificationConfig":{"id":"a","url":"https://example.com/"}}}`,
	} {
		got, failed := legacyRESTParams(op, []byte(body))
		if failed != nil || !strings.Contains(string(got), `"id":"a"`) || !strings.Contains(string(got), `"url":"https://example.com/"`) {
			t.Errorf("%s: %s, %v", body, got, failed)
		}
	}
	op = named("SendMessage")
	for body, immediately := range map[string]bool{
		`{"request":{"role":"ROLE_USER","messageId":"1","content":[{"text":"a"}]}}`:                                           false,
		`{"request":{"role":"ROLE_USER","messageId":"1","content":[{"text":"a"}]},"configuration":{}}`:                        true,
		`{"request":{"role":"ROLE_USER","messageId":"1","content":[{"text":"a"}]},"configuration":{"blocking":true}}`:         false,
		`{"request":{"role":"ROLE_USER","messageId":"1","content":[{"text":"blocking"}]},"configuration":{"blocking":false}}`: true,
	} {
		got, failed := legacyRESTParams(op, []byte(body))
		if failed != nil || strings.Contains(string(got), `"returnImmediately":true`) != immediately {
			t.Errorf("%s: %s, %v", body, got, failed)
		}
	}
}
