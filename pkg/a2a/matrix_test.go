package a2a

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
)

// deed is an operation on a task, as one binding of one version has it. ID stands for the task.
type deed struct {
	name, method, path, body, version string
}

// deeds are all operations on one task, in all bindings.
func deeds() (list []deed) {
	const config = `"url":"https://example.com/hook"`
	params := map[string]string{
		"SendMessage":                      `{"message":{"role":"ROLE_USER","messageId":"m","taskId":"ID","parts":[{"text":"turn"}]}}`,
		"SendStreamingMessage":             `{"message":{"role":"ROLE_USER","messageId":"m","taskId":"ID","parts":[{"text":"turn"}]}}`,
		"GetTask":                          `{"id":"ID"}`,
		"CancelTask":                       `{"id":"ID"}`,
		"SubscribeToTask":                  `{"id":"ID"}`,
		"CreateTaskPushNotificationConfig": `{"taskId":"ID","id":"p",` + config + `}`,
		"GetTaskPushNotificationConfig":    `{"taskId":"ID","id":"p"}`,
		"ListTaskPushNotificationConfigs":  `{"taskId":"ID"}`,
		"DeleteTaskPushNotificationConfig": `{"taskId":"ID","id":"p"}`,
	}
	old := map[string]string{
		"message/send":                        `{"message":{"kind":"message","role":"user","messageId":"m","taskId":"ID","parts":[{"kind":"text","text":"turn"}]}}`,
		"message/stream":                      `{"message":{"kind":"message","role":"user","messageId":"m","taskId":"ID","parts":[{"kind":"text","text":"turn"}]}}`,
		"tasks/get":                           `{"id":"ID"}`,
		"tasks/cancel":                        `{"id":"ID"}`,
		"tasks/resubscribe":                   `{"id":"ID"}`,
		"tasks/pushNotificationConfig/set":    `{"taskId":"ID","pushNotificationConfig":{"id":"p",` + config + `}}`,
		"tasks/pushNotificationConfig/get":    `{"id":"ID","pushNotificationConfigId":"p"}`,
		"tasks/pushNotificationConfig/list":   `{"id":"ID"}`,
		"tasks/pushNotificationConfig/delete": `{"id":"ID","pushNotificationConfigId":"p"}`,
	}
	for _, op := range operations {
		if p, ok := params[op.name]; ok {
			list = append(list, deed{op.name, "GRPC", "", p, version10})
			list = append(list, deed{op.name, "POST", "", `{"jsonrpc":"2.0","id":1,"method":"` + op.name + `","params":` + p + `}`, version10})
		}
		if p, ok := old[op.legacy]; ok {
			list = append(list, deed{op.legacy, "POST", "", `{"jsonrpc":"2.0","id":1,"method":"` + op.legacy + `","params":` + p + `}`, version03})
		}
	}
	for _, prefix := range []string{"", "/v1"} {
		version := version10
		if prefix != "" {
			version = version03
		}
		list = append(list,
			deed{"GET task", "GET", prefix + "/tasks/ID", "", version},
			deed{"cancel", "POST", prefix + "/tasks/ID:cancel", `{}`, version},
			deed{"subscribe", "POST", prefix + "/tasks/ID:subscribe", `{}`, version},
			deed{"list configs", "GET", prefix + "/tasks/ID/pushNotificationConfigs", "", version},
			deed{"get config", "GET", prefix + "/tasks/ID/pushNotificationConfigs/p", "", version},
			deed{"delete config", "DELETE", prefix + "/tasks/ID/pushNotificationConfigs/p", "", version},
		)
	}
	return list
}

// TestOthersAreUnseen makes every operation on every sort of task, at its endpoint and at another one, as everybody: to whom
// it does not belong gets, to the last byte, what he gets for a task that was never there, and nothing happens to it.
func TestOthersAreUnseen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.close()
	h.open(h.pushing)
	tasks := map[string]map[string]any{}
	for _, text := range []string{"do it", "ask", "turn"} {
		tasks[text] = h.send("anna", text)
		id := tasks[text]["id"]
		if _, failure := h.rpc("anna", "CreateTaskPushNotificationConfig",
			fmt.Sprintf(`{"taskId":%q,"id":"p","url":"http://127.0.0.1:1/hook"}`, id)); failure != nil && text != "do it" {
			t.Fatal(failure)
		}
	}
	over := http.Transport{Protocols: new(http.Protocols)}
	over.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(over.CloseIdleConnections)
	do := func(who string, d deed, place, id string) (status int, body string) {
		if d.method == "GRPC" {
			said := strings.ReplaceAll(d.body, "ID", id)
			if place != "" {
				said = `{"tenant":"` + strings.TrimPrefix(place, "/agents/") + `",` + said[1:]
			}
			return h.grpc(&over, who, d.name, said, id)
		}
		response := h.request(who, d.method, place+strings.ReplaceAll(d.path, "ID", id), strings.ReplaceAll(d.body, "ID", id), "A2A-Version", d.version)
		defer response.Body.Close()
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		if err != nil {
			t.Error(err)
		}
		return response.StatusCode, strings.ReplaceAll(string(text), id, "ID")
	}
	look := func() string {
		result, failure := h.rpc("admin", "ListTasks", `{"includeArtifacts":true}`)
		if failure != nil {
			t.Fatal(failure)
		}
		return fmt.Sprint(result)
	}
	const never = "01a00000-0000-7000-8000-000000000000"
	before, tried := look(), 0
	for _, d := range deeds() {
		for text, task := range tasks {
			for _, at := range []struct{ who, place string }{
				{"bob", ""}, {"", ""}, {"Anna", ""}, {"bob", "/agents/other"}, {"anna", "/agents/other"}, {"admin", "/agents/other"},
			} {
				gotStatus, got := do(at.who, d, at.place, task["id"].(string))
				wantStatus, want := do(at.who, d, at.place, never)
				if tried++; got != want || gotStatus != wantStatus || gotStatus == http.StatusOK && !strings.Contains(got, "error") {
					t.Errorf("%s %s on %q as %q at %q:\n%d %s\nfor one that was never there:\n%d %s", d.name, d.version, text, at.who, at.place, gotStatus, got, wantStatus, want)
				}
			}
		}
	}
	if after := look(); after != before {
		t.Errorf("something has happened:\n%s\nwas\n%s", after, before)
	}
	for _, who := range []string{"bob", "", "Anna"} {
		result, _ := h.rpc(who, "ListTasks", `{}`)
		if len(result["tasks"].([]any)) != 0 || result["totalSize"] != 0.0 {
			t.Errorf("%q sees %v", who, result)
		}
	}
	if tried < 500 {
		t.Errorf("%d were tried", tried)
	}
}

// grpc makes a request of gRPC as somebody. It returns its status, and all else that is told, where ID stands for the task.
func (h *house) grpc(over *http.Transport, who, op, params, id string) (status int, said string) {
	h.t.Helper()
	method, err := h.door.grpc.Method(op)
	if err != nil {
		h.t.Fatal(err)
	}
	frame, err := a2agrpc.Frame([]byte(params), method.Input())
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.http.URL+a2agrpc.Prefix+op, bytes.NewReader(frame))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", who)
	r.Header.Set("Content-Type", "application/grpc")
	response, err := over.RoundTrip(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		h.t.Error(err)
	}
	details, err := base64.RawStdEncoding.DecodeString(response.Trailer.Get("Grpc-Status-Details-Bin"))
	if err != nil {
		h.t.Error(err)
	}
	told := fmt.Sprintf("%s %q %q", response.Trailer.Get("Grpc-Message"), details, body)
	if code := response.Trailer.Get("Grpc-Status"); code != "0" {
		told = "error " + code + ": " + told
	}
	return response.StatusCode, strings.ReplaceAll(told, id, "ID")
}
