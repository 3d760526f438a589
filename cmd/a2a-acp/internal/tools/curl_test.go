package tools

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestCurl checks which words a shell reads in the command line, where the credential stands in it, and that nothing in
// it acts on a terminal, or on the shell that it is pasted into.
func TestCurl(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request executor.RequestPreview
		auth    tool.Auth
		want    []string
	}{
		"hostile": {executor.RequestPreview{Method: "POST", URL: "https://a.example/x?q='$(id)!!\x60id\x60", Body: "a\n'!1\x1b[2J\u202e\\\xff",
			Headers: map[string]string{"X-A": "'; $IFS!$", "X-None": ""}, Given: map[string]string{"x": "a\nid"}}, tool.Auth{},
			[]string{"--request", "POST", "--header", "X-A: '; $IFS!$", "--header", "X-None;", "--header", "Content-Type:",
				"--data-raw", "a\n'!1\x1b[2J\u202e\\\xff", "https://a.example/x?q='$(id)!!\x60id\x60"}},
		"bearer": {executor.RequestPreview{Method: "GET", URL: "https://a.example"}, tool.Auth{Kind: tool.AuthBearer},
			[]string{"--request", "GET", "--header", "Authorization: Bearer C!", "https://a.example"}},
		"fetched": {executor.RequestPreview{Method: "GET", URL: "https://a.example"}, tool.Auth{Kind: tool.AuthTokenExchange},
			[]string{"--request", "GET", "--header", "Authorization: Bearer C!", "https://a.example"}},
		"basic": {executor.RequestPreview{Method: "GET", URL: "https://a.example"}, tool.Auth{Kind: tool.AuthBasic, User: "me"},
			[]string{"--request", "GET", "--user", "me:C!", "https://a.example"}},
		"header": {executor.RequestPreview{Method: "GET", URL: "https://a.example"}, tool.Auth{Kind: tool.AuthAPIKey, In: tool.InHeader, Name: "X-Key"},
			[]string{"--request", "GET", "--header", "X-Key: C!", "https://a.example"}},
		"cookie": {executor.RequestPreview{Method: "GET", URL: "https://a.example", Headers: map[string]string{"Cookie": "a=b"}},
			tool.Auth{Kind: tool.AuthAPIKey, In: tool.InCookie, Name: "k"},
			[]string{"--request", "GET", "--header", "Cookie: a=b; k=C!", "https://a.example"}},
		"query": {executor.RequestPreview{Method: "HEAD", URL: "https://a.example?a=b"}, tool.Auth{Kind: tool.AuthAPIKey, In: tool.InQuery, Name: "k&"},
			[]string{"--request", "HEAD", "--head", "https://a.example?a=b&k%26=C!"}},
		"several": {executor.RequestPreview{Method: "GET", URL: "https://a.example", Headers: map[string]string{"Cookie": "a=b"}},
			tool.Auth{Kind: tool.AuthBearer},
			[]string{"--request", "GET", "--header", "Authorization: Bearer C!", "--header", "X-Id: 2", "--header", "Cookie: a=b; k=4; l=6",
				"https://a.example?a=3&b=5"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			api := tool.API{Auth: test.auth}
			if name == "several" {
				key := func(in tool.Place, name string) tool.Auth {
					return tool.Auth{Kind: tool.AuthAPIKey, In: in, Name: name}
				}
				api.Also = []tool.Auth{key(tool.InHeader, "X-Id"), key(tool.InQuery, "a"), key(tool.InCookie, "k"), key(tool.InQuery, "b"),
					key(tool.InCookie, "l")}
			}
			if err := writeCurl(&out, &test.request, api); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
				t.Errorf("it acts on a terminal: %q", out.String())
			}
			file, err := syntax.NewParser().Parse(strings.NewReader(out.String()), "")
			if err != nil || len(file.Stmts) != 1 {
				t.Fatalf("%s: %v", out.String(), err)
			}
			call, _ := file.Stmts[0].Cmd.(*syntax.CallExpr)
			words, err := expand.Fields(&expand.Config{Env: expand.ListEnviron("CREDENTIAL=C!", "CREDENTIAL_2=2", "CREDENTIAL_3=3",
				"CREDENTIAL_4=4", "CREDENTIAL_5=5", "CREDENTIAL_6=6")}, call.Args...)
			if err != nil {
				t.Fatal(err)
			}
			if want := append([]string{"curl", "--globoff", "--path-as-is"}, test.want...); !slices.Equal(words, want) {
				t.Errorf("%s\ngot  %q\nwant %q", out.String(), words, want)
			}
		})
	}
	if err := writeCurl(&strings.Builder{}, &executor.RequestPreview{Body: "\x00"}, tool.API{}); err == nil {
		t.Error("a NUL byte stands in a command line")
	}
	if err := writeCurl(&strings.Builder{}, nil, tool.API{}); err == nil {
		t.Error("a script is a request")
	}
}
