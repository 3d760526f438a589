package app

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestA2ALateConfirmation confirms a tool call a second time by its id alone, as the original's clients do, when it is over
// and another task of the same client asks: that is no answer to what the other asks.
func TestA2ALateConfirmation(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]string{
		"a text":           `{"kind":"text","text":"/ask"}`,
		"a call":           `{"kind":"data","data":{"toolId":"ask"}}`,
		"a call of a name": `{"kind":"data","data":{"toolCalls":[{"id":"mine","toolId":"ask"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := asksAnna(t)
			a := h.new()
			h.runs(a)
			d := h.daemon(a, nil)
			post := func(message string) string {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.first["a2a"].(string)+"/a2a/message/send",
					strings.NewReader(`{"message":{"kind":"message","role":"user","messageId":"m",`+message+`}}`))
				if err != nil {
					t.Fatal(err)
				}
				r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer tok-anna"}}
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				body, err := io.ReadAll(answer.Body)
				if err != nil {
					t.Fatal(err)
				}
				return string(body)
			}
			id := func(body, member string) string {
				_, rest, _ := strings.Cut(body, `"`+member+`":"`)
				id, _, _ := strings.Cut(rest, `"`)
				return id
			}
			confirm := func(call, task string) string {
				return post(`"parts":[],` + task + `"metadata":{"development-tool":{"tool_call_confirmation":{"tool_call_id":"` + call +
					`","selected_option_id":"allow_once"}}}`)
			}
			asked := post(`"parts":[` + ask + `]`)
			call := id(asked, "requestId")
			if !strings.Contains(asked, `"input-required"`) || call == "" {
				t.Fatalf("it asks so: %s", asked)
			}
			if strings.Contains(name, "of a name") { // another task may bear it, so it is said which is meant
				if got := confirm(call, ""); !strings.Contains(got, "say which task is meant") {
					t.Errorf("a name of the client's: %s", got)
				}
				if got := confirm(call, `"taskId":"`+id(asked, "id")+`",`); !strings.Contains(got, `"completed"`) {
					t.Errorf("with its task: %s", got)
				}
			} else if got := confirm(call, ""); !strings.Contains(got, `"completed"`) {
				t.Fatalf("it is confirmed so: %s", got)
			}
			if asked := post(`"parts":[` + ask + `]`); !strings.Contains(asked, `"input-required"`) {
				t.Fatalf("the second asks so: %s", asked)
			}
			if got := confirm(call, ""); strings.Contains(got, `"completed"`) {
				t.Errorf("the second is confirmed by the answer to the first: %s", got)
			}
		})
	}
}
