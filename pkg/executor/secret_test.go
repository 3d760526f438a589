package executor

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const secretValue = "hunter22\nsk-do-not-show"

// TestSecrets checks that the value of a secret parameter reaches the tool, and neither a person nor the
// record, also where the tool says it again.
func TestSecrets(t *testing.T) {
	t.Parallel()
	secret := tool.Parameter{Name: "token", Type: tool.TypeString, Required: true, Secret: true}
	for _, test := range []struct {
		name   string
		text   string
		change func(*tool.Tool)
	}{
		{"a plain one", `printf %s {{token}}`, func(*tool.Tool) {}},
		{"in the author's question", `printf %s {{token}}`, func(w *tool.Tool) { w.Sandbox.ConfirmationMessage = "Use {{token}}?" }},
		{"in a complaint", `printf %s {{token}}; echo "cat: /etc/"{{token}}": Read-only file system" >&2; exit 3`, func(*tool.Tool) {}},
		{"taken for a path", `printf %s {{path}}`, func(w *tool.Tool) { w.Parameters[0].Name = "path" }},
		{"taken for several paths", `printf %s {{#paths}}{{.}} {{/paths}}`, func(w *tool.Tool) { w.Parameters[0].Name, w.Parameters[0].Type = "paths", tool.TypeArray }},
		{"the words of a command", `env {{#words}}{{.}} {{/words}} || printf %s {{#words}}{{.}} {{/words}}`, func(w *tool.Tool) {
			w.AllowDynamicCommand, w.Parameters[0].Name, w.Parameters[0].Type = true, "words", tool.TypeArray
		}},
		{"part of a command", `bash -c {{token}} || :; printf %s {{token}}`, func(w *tool.Tool) { w.AllowDynamicCommand = true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			written := &allowed{}
			h.authority = permissions.New(permissions.Options{ApprovalLog: written})
			work := script(test.text)
			work.Parameters = []tool.Parameter{secret}
			test.change(work)
			h.has(work)
			var asked approval.Question
			h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
				asked = q
				return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Always: 1}, nil
			}
			value := quoted(t, secretValue)
			if work.Parameters[0].Type == tool.TypeArray {
				value = "[" + value + "]"
			}
			result := h.execute(t.Context(), `{"`+work.Parameters[0].Name+`":`+value+`}`)
			if !strings.Contains(result.Stdout, hidden) { // which stands where it was printed
				t.Fatalf("the tool was not given the value: %q, %v", result.Stdout, result.Error)
			}
			whole, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			shown, err := json.Marshal(asked)
			if err != nil {
				t.Fatal(err)
			}
			metadata, err := json.Marshal(result.Metadata)
			if err != nil {
				t.Fatal(err)
			}
			if written.words == "" {
				t.Error("what was allowed for the session is not written down")
			}
			for where, text := range map[string]string{
				"the question": string(shown), "the record": h.recorded(), "the metadata": string(metadata), "the result": string(whole), "the list of what is allowed": written.words,
			} {
				for _, part := range strings.Split(secretValue, "\n") {
					if strings.Contains(text, part) {
						t.Errorf("%s holds the secret: %s", where, text)
					}
				}
			}
			if !strings.Contains(h.recorded(), hidden) {
				t.Errorf("the record does not say that something is hidden: %s", h.recorded())
			}
			// Nor does a call that is refused for it.
			if refused := h.execute(t.Context(), `{"`+work.Parameters[0].Name+`":{"x":`+quoted(t, secretValue)+`}}`); refused.Error == nil || strings.Contains(refused.Error.Error(), "hunter2") {
				t.Errorf("got error %v, want one without the value", refused.Error)
			}
			preview, failure := h.executor.Preview(h.call(`{"` + work.Parameters[0].Name + `":` + value + `}`))
			if failure != nil {
				t.Fatal(failure)
			}
			if encoded, _ := json.Marshal(preview); strings.Contains(string(encoded), "hunter2") {
				t.Errorf("the preview holds the secret: %s", encoded)
			}
		})
	}
}

// allowed is where what is allowed for a session is written down.
type allowed struct{ words string }

func (a *allowed) Granted(_, _, _, words string) error {
	a.words += words + "\n"
	return nil
}

func (a *allowed) Holds(string, string) bool { return true }

func (a *allowed) Ended(string) {}

// TestSecretInDetail checks that the author's words about an exit code do not give a secret away either.
func TestSecretInDetail(t *testing.T) {
	t.Parallel()
	h := newHouse(t, rule(permissions.Approve))
	work := script(`: {{token}}; exit 3`)
	work.Parameters = []tool.Parameter{{Name: "token", Type: tool.TypeString, Required: true, Secret: true}}
	work.ErrorMapping = map[int]tool.MappedError{3: {Code: -32002, Message: "Refused", Detail: "the server refused {{token}}"}}
	h.has(work)
	result := h.execute(t.Context(), `{"token":"hunter2"}`)
	if result.MCPError == nil || result.MCPError.Detail != "the server refused "+hidden {
		t.Errorf("got %+v, want the detail without the value", result.MCPError)
	}
}

// TestPieces checks which words of a command are taken for a secret's: those that only it brings in.
func TestPieces(t *testing.T) {
	t.Parallel()
	a := &act{tool: &tool.Tool{}, secrets: []string{"deploy --key s3cr3t\npush"}, invocation: &tool.Invocation{Work: &scriptWork{dynamic: []tool.DynamicCommand{
		{Text: "git push; deploy --key s3cr3t\npush"}, {Argv: []string{"git", "-C", "deploy --key s3cr3t\npush"}},
	}}}}
	a.scanDynamic()
	if got, want := a.mask("git push, deploy, --key s3cr3t"), "git push, [secret], [secret] [secret]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLongestSecretFirst checks that of two secrets that begin alike nothing stays of the longer one.
func TestLongestSecretFirst(t *testing.T) {
	t.Parallel()
	arguments := map[string]any{"a": "key", "b": map[string]any{"x": []any{"key-1234", json.Number("17")}}, "c": "open"}
	a := &act{secrets: permissions.SecretTexts(arguments, map[string]bool{"a": true, "b": true})}
	if got, want := a.mask("key-1234 key 17 open"), "[secret] [secret] [secret] open"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

// TestSecretsOnRecord checks that a short secret cannot be tried out on what is on record of a call: of two
// processes that are told the same, the records differ where it is given, and only there.
func TestSecretsOnRecord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		arguments  string
		secret     bool
	}{
		{"a secret text", `printf %s {{pin}}`, `{"pin":"4711"}`, true},
		{"a secret of a script for another program", "#!/usr/bin/env python3\n", `{"pin":"4711"}`, true},
		{"the same, not secret", `printf %s {{pin}}`, `{"pin":"4711"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var digests []string
			for range 2 {
				h := newHouse(t)
				work := script(test.text)
				work.Parameters = []tool.Parameter{{Name: "pin", Type: tool.TypeString, Required: true, Secret: test.secret}}
				h.has(work)
				var asked approval.Question
				h.answers = func(_ context.Context, q approval.Question) (approval.Answer, error) {
					asked = q
					return approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson}, nil
				}
				call := h.call(test.arguments)
				call.Dir, call.Workspace = "/", tool.Workspace{}
				h.executor.Execute(t.Context(), call, person{h})
				if asked.Digest == "" || !strings.Contains(h.recorded(), asked.Digest) {
					t.Fatalf("the question's digest %q is not on record: %s", asked.Digest, h.recorded())
				}
				digests = append(digests, asked.Digest)
			}
			if same := digests[0] == digests[1]; same == test.secret {
				t.Errorf("the digests are %v, want them to differ: %t", digests, test.secret)
			}
		})
	}
}
