package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestSharedSecrets checks that a secret which two servers would be shown is told, at the second, with the cure: whoever wrote
// a document has chosen its title, and an import names the secret after that.
func TestSharedSecrets(t *testing.T) {
	t.Parallel()
	source := func(name, base, auth string) string {
		return fmt.Sprintf("sources:\n  %s:\n    base_url: %s\n    auth: %s\ntools:\n  of_%s:\n    description: x\n    http: {source: %s, get: /x}\n",
			name, base, auth, name, name)
	}
	const (
		bearer = "{bearer: {secret: SHOP}}"
		key    = "{api_key: {in: header, name: X-Key, value: {secret: SHOP}}}"
		login  = "{client_credentials: {token_url: 'https://login.example/token', client_id: me, client_secret: {secret: SHOP}}}"
	)
	yours := source("shop", "https://shop.example/v1", bearer)
	for name, test := range map[string]struct{ yours, theirs, want string }{
		"another server": {yours, source("stranger", "https://evil.example", bearer),
			"flag.yaml:4:11: warning: the secret SHOP goes to https://evil.example, and by home/a2a-acp/tools.yaml:4 to https://shop.example"},
		"another port":   {yours, source("other", "https://shop.example:8443", bearer), "goes to https://shop.example:8443, and"},
		"in clear":       {yours, source("other", "http://shop.example", bearer), "goes to http://shop.example, and"},
		"in another way": {yours, source("other", "https://evil.example", key), "goes to https://evil.example, and"},
		"to log in":      {yours, source("other", "https://shop.example", login), "goes to https://login.example, and"},
		"one of several": {yours, source("other", "https://evil.example", "[{bearer: {secret: MINE}}, "+key+"]"), "goes to https://evil.example, and"},
		"a remote agent": {yours, "tools:\n  far:\n    description: x\n    a2a: {url: 'https://agent.example', token: {secret: SHOP}}\n",
			"flag.yaml:4:10: warning: the secret SHOP goes to https://agent.example, and"},
		"the same server":        {yours, source("again", "https://SHOP.example:443/v2", bearer), ""},
		"another secret":         {yours, source("other", "https://evil.example", "{bearer: {secret: OTHER}}"), ""},
		"a script":               {yours, "tools:\n  local:\n    description: x\n    script: echo\n    sandbox: {environment_variables: {SHOP: {secret: SHOP}}}\n", ""},
		"nobody's key goes away": {yours, source("other", "https://evil.example", "{bearer: {secret: OTHER}}\n    client_certificate: {certificate: {file: /x.pem}, key: {secret: SHOP}}"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			write(t, dir+"/home/a2a-acp/tools.yaml", test.yours)
			set, err := Load(Sources{ConfigHome: dir + "/home", Home: dir, Dir: dir, Env: env(), SystemDir: dir + "/etc",
				Tools: []string{write(t, dir+"/flag.yaml", test.theirs)}})
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, w := range set.Warnings {
				if strings.Contains(w.Error(), "the secret ") {
					told = append(told, strings.ReplaceAll(w.Error(), dir+"/", ""))
				}
			}
			switch {
			case test.want == "" && len(told) > 0, test.want != "" && (len(told) != 1 || !strings.Contains(told[0], test.want)):
				t.Errorf("%q, want %q", told, test.want)
			}
		})
	}
}
