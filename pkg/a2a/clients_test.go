package a2a

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	sdkgrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
)

// transports are the protocol's own clients for each binding and version that we speak.
func transports(t *testing.T, h *house) map[string]a2aclient.Transport {
	t.Helper()
	base, err := url.Parse(h.http.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(base.Host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	legacyREST, err := a2av0.NewRESTTransport(a2av0.RESTTransportConfig{URL: h.http.URL, Client: h.http.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]a2aclient.Transport{
		"JSON-RPC 1.0":  a2aclient.NewJSONRPCTransport(h.http.URL, h.http.Client()),
		"HTTP+JSON 1.0": a2aclient.NewRESTTransport(base, h.http.Client()),
		"gRPC 1.0":      sdkgrpc.NewGRPCTransport(conn),
		"JSON-RPC 0.3":  a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: h.http.URL, Client: h.http.Client()}),
		"HTTP+JSON 0.3": legacyREST,
	}
}

// TestClients has the protocol's own clients do everything, in each binding and version: they see the same.
func TestClients(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, client := range transports(t, h) {
		ctx := t.Context()
		params := a2aclient.ServiceParams{"authorization": {name}}
		if strings.HasSuffix(name, "1.0") {
			params["a2a-version"] = []string{"1.0"}
		}
		say := func(text string, of wire.TaskInfoProvider) *wire.SendMessageRequest {
			return &wire.SendMessageRequest{Message: wire.NewMessageForTask(wire.MessageRoleUser, of, wire.NewTextPart(text))}
		}
		nothing := wire.TaskInfo{}
		result, err := client.SendMessage(ctx, params, say("chunks", nothing))
		task, ok := result.(*wire.Task)
		if err != nil || !ok || task.Status.State != wire.TaskStateCompleted || task.Artifacts[0].Parts[0].Text() != "one two three" ||
			task.Status.Timestamp == nil || len(task.History) != 1 {
			t.Errorf("%s: sent: %+v, %v", name, result, err)
			continue
		}
		got, err := client.GetTask(ctx, params, &wire.GetTaskRequest{ID: task.ID})
		if err != nil || fmt.Sprint(got.Status) != fmt.Sprint(task.Status) || got.ContextID != task.ContextID {
			t.Errorf("%s: got: %+v, %v", name, got, err)
		}
		if result, err = client.SendMessage(ctx, params, say("answer", nothing)); err != nil || result.(*wire.Message).Parts[0].Text() != "an answer" {
			t.Errorf("%s: a direct answer: %+v, %v", name, result, err)
		}
		var told []string
		for event, err := range client.SendStreamingMessage(ctx, params, say("chunks", nothing)) {
			if err != nil {
				t.Errorf("%s: stream: %v", name, err)
				break
			}
			switch event := event.(type) {
			case *wire.Task:
				told = append(told, string(event.Status.State))
			case *wire.TaskArtifactUpdateEvent:
				told = append(told, fmt.Sprintf("%s,%t,%t", event.Artifact.Parts[0].Text(), event.Append, event.LastChunk))
			case *wire.TaskStatusUpdateEvent:
				told = append(told, string(event.Status.State))
			}
		}
		if want := "TASK_STATE_SUBMITTED|one ,false,false|two ,true,false|three,true,true|TASK_STATE_COMPLETED"; strings.Join(told, "|") != want {
			t.Errorf("%s: the stream tells %q", name, told)
		}
		result, err = client.SendMessage(ctx, params, say("ask", nothing))
		asked, ok := result.(*wire.Task)
		if err != nil || !ok || asked.Status.State != wire.TaskStateInputRequired || asked.Status.Message.Parts[0].Text() != "what?" {
			t.Errorf("%s: asked: %+v, %v", name, result, err)
			continue
		}
		for event, err := range client.SubscribeToTask(ctx, params, &wire.SubscribeToTaskRequest{ID: asked.ID}) {
			if err != nil || event.TaskInfo().TaskID != asked.ID {
				t.Errorf("%s: subscribed to what waits: %+v, %v", name, event, err)
			}
			break
		}
		if result, err = client.SendMessage(ctx, params, say("this", asked)); err != nil || result.(*wire.Task).Status.Message.Parts[0].Text() != "did this" {
			t.Errorf("%s: answered: %+v, %v", name, result, err)
		}
		if result, err = client.SendMessage(ctx, params, say("turn", nothing)); err == nil {
			canceled, err := client.CancelTask(ctx, params, &wire.CancelTaskRequest{ID: result.TaskInfo().TaskID})
			if err != nil || canceled.Status.State != wire.TaskStateCanceled {
				t.Errorf("%s: canceled: %+v, %v", name, canceled, err)
			}
		}
		if name != "JSON-RPC 0.3" { // it has no list
			list, err := client.ListTasks(ctx, params, &wire.ListTasksRequest{PageSize: 2})
			if err != nil || len(list.Tasks) != 2 || list.NextPageToken == "" {
				t.Errorf("%s: listed: %+v, %v", name, list, err)
			}
		}
		if card, err := client.GetExtendedAgentCard(ctx, params, &wire.GetExtendedAgentCardRequest{}); err != nil || card.Name != "Actor" {
			t.Errorf("%s: the extended card: %+v, %v", name, card, err)
		}
		if _, err := client.GetTask(ctx, params, &wire.GetTaskRequest{ID: "none"}); !errors.Is(err, wire.ErrTaskNotFound) {
			t.Errorf("%s: a task that does not exist: %v", name, err)
		}
		if _, err := client.CancelTask(ctx, params, &wire.CancelTaskRequest{ID: task.ID}); !errors.Is(err, wire.ErrTaskNotCancelable) {
			t.Errorf("%s: canceled after its end: %v", name, err)
		}
		if _, err := client.SendMessage(ctx, params, say("more", task)); !errors.Is(err, wire.ErrUnsupportedOperation) {
			t.Errorf("%s: a message after the end: %v", name, err)
		}
		if name != "gRPC 1.0" { // the client looks for errors within the stream only; see TestStreams
			continue
		}
		for _, err := range client.SubscribeToTask(ctx, params, &wire.SubscribeToTaskRequest{ID: task.ID}) {
			if !errors.Is(err, wire.ErrUnsupportedOperation) {
				t.Errorf("%s: subscribed after the end: %v", name, err)
			}
		}
	}
}

// TestMethods holds the operations against the methods of gRPC.
func TestMethods(t *testing.T) {
	t.Parallel()
	var service a2agrpc.Service
	for _, op := range operations {
		if _, err := service.Method(op.name); err != nil {
			t.Error(err)
		}
	}
	if n := a2apb.File_a2av1_proto.Services().ByName("A2AService").Methods().Len(); n != len(operations) {
		t.Errorf("the service has %d methods, and there are %d operations", n, len(operations))
	}
}
