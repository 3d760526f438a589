package a2aclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// TestACTS reads what ACTS, the suite that is to follow the TCK, has clients read: answers as servers are to write them.
// CLIENT-PARSE, which these are, says what has to be found in each; the ids are given where they are known.
func TestACTS(t *testing.T) {
	t.Parallel()
	const task = `{"id":"abc-123","contextId":"ctx-456","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:00Z"},
		"artifacts":[{"artifactId":"art-1","parts":[{"text":"hello world"}]}]}`
	send := func(c *Client) (any, error) { return c.Send(t.Context(), hello()) }
	for name, test := range map[string]struct {
		answer string
		do     func(*Client) (any, error)
		want   []string // what stands in what was read, as JSON
		code   int      // of the error
	}{
		"CLIENT-PARSE-001: a task": {answer: `"result":{"task":` + task + `}`, do: send,
			want: []string{`"id":"abc-123"`, `"contextId":"ctx-456"`, `"state":"TASK_STATE_COMPLETED"`, `"text":"hello world"`}},
		"a message": {answer: `"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hello"}]}}`, do: send,
			want: []string{`"messageId":"m"`, `"role":"ROLE_AGENT"`, `"text":"hello"`}},
		"a task that is asked for": {answer: `"result":` + task,
			do:   func(c *Client) (any, error) { return c.Task(t.Context(), "abc-123") },
			want: []string{`"id":"abc-123"`, `"artifactId":"art-1"`}},
		"members that nobody knows": {answer: `"result":{"task":` + strings.Replace(task, "{", `{"x_new":{"a":[1]},`, 1) + `}`, do: send,
			want: []string{`"id":"abc-123"`}},
		"parts of each kind": {answer: `"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"data":{"key":"value"}},
			{"raw":"aGk=","mediaType":"text/plain","filename":"a"},{"url":"https://example.com/x"}]}}`, do: send,
			want: []string{`"data":{"key":"value"}`, `"raw":"aGk="`, `"filename":"a"`, `"url":"https://example.com/x"`}},
		"CLIENT-PARSE-004: an error": {answer: `"error":{"code":-32001,"message":"Task not found"}`,
			do:   func(c *Client) (any, error) { return c.Task(t.Context(), "acts") },
			want: []string{"Task not found"}, code: -32001},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, card10, func(w http.ResponseWriter, _ *http.Request, _ string) {
				fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,`+test.answer+`}`)
			})
			client, err := connect(t, s.URL, ConnectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := test.do(client)
			said, _ := json.Marshal(got)
			if failed := (*Error)(nil); test.code != 0 {
				if !errors.As(err, &failed) || failed.Code != test.code {
					t.Fatalf("%s, %v", said, err)
				}
				said = []byte(failed.Error())
			} else if err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(string(said), want) {
					t.Errorf("%s has not %s", said, want)
				}
			}
		})
	}
	// CLIENT-CAP-001: who says that it does not stream is not asked to.
	s := serve(t, strings.Replace(card10, `"streaming": true`, `"streaming": false, "pushNotifications": false`, 1),
		func(w http.ResponseWriter, _ *http.Request, _ string) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"task":`+task+`}}`)
		})
	client, err := connect(t, s.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	end, err := (&Talk{Client: client, Tell: func(wire.Event) {}}).Send(t.Context(), hello())
	if asked := strings.Join(s.asked(), " "); err != nil || end.Status.State != wire.TaskStateCompleted || strings.Contains(asked, "Streaming") {
		t.Errorf("%+v, %v, asked %s", end, err, asked)
	}
}
