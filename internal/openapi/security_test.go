package openapi

import (
	"fmt"
	"strings"
	"testing"
)

// TestSecurity checks what the security schemes of a document become: the first alternative that can be made, all of its
// credentials at once, with references to secrets; or why there is none, with what to write in its place.
func TestSecurity(t *testing.T) {
	t.Parallel()
	const schemes = `"securitySchemes":{
		"id":{"type":"apiKey","in":"header","name":"X-App-Id"},"key":{"type":"apiKey","in":"query","name":"key"},
		"client":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://login.example.com/token","scopes":{}}}},
		"own":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"/oauth/token","scopes":{}}}},
		"login":{"type":"oauth2","flows":{"authorizationCode":{"authorizationUrl":"https://a","tokenUrl":"https://login.example.com/token","scopes":{}}}},
		"oidc":{"type":"openIdConnect","openIdConnectUrl":"https://login.example.com"},"tls":{"type":"mutualTLS"},
		"digest":{"type":"http","scheme":"digest"},
		"clear":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"http://login.example.com/token","scopes":{}}}},
		"user":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://me:pw@login.example.com/token","scopes":{}}}},
		"tag":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://login.example.com/{{x}}","scopes":{}}}},
		"file":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"file:///etc/passwd","scopes":{}}}},
		"nowhere":{"type":"oauth2","flows":{"clientCredentials":{"scopes":{}}}},
		"bearer":{"type":"http","scheme":"Bearer"},"basic":{"type":"http","scheme":"basic"}}`
	for name, test := range map[string]struct {
		security string
		want     string // in the file, or in the reason
		told     string // what is passed over
		secrets  string
	}{
		"client credentials": {`[{"client":["b","a"]}]`, "client_credentials:\n        token_url: https://login.example.com/token\n" +
			"        client_id: client # check: the name of your client there; the document cannot say\n" +
			"        client_secret: {secret: API_CLIENT}\n        scopes: [a, b]\n", "", "API_CLIENT"},
		"without scopes":              {`[{"client":[]}]`, "client_secret: {secret: API_CLIENT}\n  api:", "", "API_CLIENT"},
		"an endpoint of the server":   {`[{"own":[]}]`, "token_url: https://api.example.com/oauth/token\n", "", "API_OWN"},
		"two keys at once":            {`[{"key":[],"id":[]}]`, "auth:\n      - {api_key: {in: header, name: X-App-Id, value: {secret: API_ID_KEY_ID}}}\n      - {api_key: {in: query, name: key, value: {secret: API_ID_KEY_KEY}}}\n", "", "API_ID_KEY_ID API_ID_KEY_KEY"},
		"a key and a token":           {`[{"id":["role"],"client":["a"]}]`, "scopes: [a]\n", "", "API_CLIENT_ID_CLIENT API_CLIENT_ID_ID"},
		"the first that can be":       {`[{"oidc":[]},{"login":["a"]},{"id":[]},{"key":[]}]`, "auth: {api_key: {in: header, name: X-App-Id, value: {secret: API_ID}}}", "openIdConnect", "API_ID"},
		"not all of them":             {`[{"id":[],"digest":[]},{"key":[]}]`, "name: key", "id and digest: it wants \"digest\"", "API_KEY"},
		"nothing":                     {`[{"oidc":[]},{}]`, "source: api\n", "openIdConnect", ""},
		"a person logs in":            {`[{"login":[]}]`, "without the flow clientCredentials", "", ""},
		"OpenID":                      {`[{"oidc":[]}]`, "subject: caller", "", ""},
		"a certificate":               {`[{"tls":[]}]`, "client_certificate", "", ""},
		"digest":                      {`[{"digest":[]}]`, "bearer: {command: [get-token]}", "", ""},
		"in clear":                    {`[{"clear":[]}]`, "is reached in clear", "", ""},
		"a user":                      {`[{"user":[]}]`, "no URL that a secret can go to", "", ""},
		"a tag":                       {`[{"tag":[]}]`, "no URL that a secret can go to", "", ""},
		"a file":                      {`[{"file":[]}]`, "no URL that a secret can go to", "", ""},
		"no endpoint":                 {`[{"nowhere":[]}]`, "no URL that a secret can go to", "", ""},
		"a scope that is none":        {`[{"client":["a b"]}]`, "cannot be asked for", "", ""},
		"a scope with a tag":          {`[{"client":["{{x}}"]}]`, "cannot be asked for", "", ""},
		"two that say Authorization":  {`[{"bearer":[],"basic":[]}]`, "the same place", "", ""},
		"a name with a NUL":           {`[{"id\u0000key":[]}]`, "whose name holds what is not seen", "", ""},
		"a scheme that is none":       {`[{"missing":[]}]`, "no security scheme", "", ""},
		"and one that is, behind it":  {`[{"missing":[]},{"key":[]}]`, "name: key", "no security scheme", "API_KEY"},
		"two that are the same again": {`[{"id":[]},{"id":[]}]`, "X-App-Id", "", "API_ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := makeOf(t, around(`{"/x":{"get":{"operationId":"x","security":`+test.security+`}},
				"/y":{"get":{"operationId":"sound"}},"/z":{"get":{"operationId":"sound2"}}}`, schemes))
			if err != nil {
				t.Fatal(err)
			}
			data, err := made.unmarked()
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			for _, s := range made.Skipped {
				text += "\n" + s.Why
			}
			if !strings.Contains(text, test.want) {
				t.Errorf("want %q in\n%s", test.want, text)
			}
			var secrets []string
			for _, s := range made.Sources {
				for _, one := range s.Secrets {
					secrets = append(secrets, one.Name)
				}
			}
			if got := strings.Join(secrets, " "); got != test.secrets {
				t.Errorf("secrets %q, want %q", got, test.secrets)
			}
			if told := fmt.Sprintf("%+v", made.Tools[0].Security); test.told != "" && !strings.Contains(told, test.told) {
				t.Errorf("told %s, want %q", told, test.told)
			}
		})
	}
}

// TestScopes checks that a source asks for the scopes of the operations that are selected, and for no others.
func TestScopes(t *testing.T) {
	t.Parallel()
	document := `{"swagger":"2.0","host":"api.example.com","securityDefinitions":{"c":{"type":"oauth2","flow":"application",
		"tokenUrl":"https://login.example.com/token"}},"paths":{"/a":{"get":{"operationId":"a","security":[{"c":["read"]}]}},
		"/b":{"get":{"operationId":"b","security":[{"c":["list","read"]}]}},"/c":{"delete":{"operationId":"c","security":[{"c":["admin"]}]}}}}`
	made, err := Make(Request{Data: []byte(document), Tokens: size, Select: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := made.unmarked()
	if err != nil || !strings.Contains(string(data), "scopes: [list, read]\n") {
		t.Errorf("want the scopes list and read: %v\n%s", err, data)
	}
}

// TestSecretNames checks that no document gets a secret that is not its own by the name that its author gives it.
func TestSecretNames(t *testing.T) {
	t.Parallel()
	const schemes = `"securitySchemes":{"a":{"type":"http","scheme":"bearer"},"b":{"type":"apiKey","in":"header","name":"X-B"},
		"login":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://login.example.com/token","scopes":{}}}}}`
	operation := func(id, rest string) string { return `"/` + id + `":{"get":{"operationId":"` + id + `",` + rest + `}}` }
	for name, test := range map[string]struct {
		paths string
		taken []string // the names that are in use, each with who gets it
		want  string
	}{
		"free":                  {operation("x", `"security":[{"a":[]}]`), nil, "API to https://api.example.com"},
		"the same server's":     {operation("x", `"security":[{"a":[]}]`), []string{"API https://api.example.com"}, "API to https://api.example.com"},
		"another's":             {operation("x", `"security":[{"a":[]}]`), []string{"API https://shop.example"}, "API_API_EXAMPLE_COM to https://api.example.com, not API"},
		"and the other name's":  {operation("x", `"security":[{"a":[]}]`), []string{"API x", "API_API_EXAMPLE_COM x"}, "API_API_EXAMPLE_COM_ to https://api.example.com, not API"},
		"a token endpoint's":    {operation("x", `"security":[{"login":[]}]`), []string{"API https://api.example.com"}, "API_LOGIN_EXAMPLE_COM to https://login.example.com, not API"},
		"where both go":         {operation("x", `"security":[{"b":[],"login":[]}]`), nil, "API_B to https://api.example.com; API_LOGIN to https://login.example.com"},
		"two of one document's": {operation("x", `"security":[{"a":[],"b":[]}]`) + "," + operation("x1", `"security":[{"a":[],"b":[]}]`) + "," + operation("y", `"security":[{"a":[]}]`), nil, "API_A to https://api.example.com; API_B to https://api.example.com; API_A_ to https://api.example.com, not API_A"},
		"a server of its own":   {operation("x", `"security":[{"a":[]}]`) + "," + operation("x1", `"security":[{"a":[]}]`) + "," + operation("y", `"servers":[{"url":"https://evil.example"}],"security":[{"a":[]}]`), []string{"API https://api.example.com"}, "API to https://api.example.com; API_EVIL_EXAMPLE_A to https://evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			free := func(secret, to string) bool {
				for _, one := range test.taken {
					if by, gets, _ := strings.Cut(one, " "); by == secret && gets != to {
						return false
					}
				}
				return true
			}
			made, err := Make(Request{Data: []byte(around("{"+test.paths+"}", schemes)), Tokens: size, Free: free})
			if err != nil {
				t.Fatal(err)
			}
			data, err := made.File()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, source := range made.Sources {
				for _, s := range source.Secrets {
					told := s.Name + " to " + s.To
					if s.InsteadOf != "" {
						told += ", not " + s.InsteadOf
					}
					if got = append(got, told); !strings.Contains(string(data), "{secret: "+s.Name+"}") {
						t.Errorf("the file has no %s", s.Name)
					}
				}
			}
			if told := strings.Join(got, "; "); told != test.want {
				t.Errorf("%s, want %s", told, test.want)
			}
		})
	}
}
