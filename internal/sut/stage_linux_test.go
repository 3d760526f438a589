package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// The tokens of the daemon: one that may have tasks, one of somebody else, and one that may not.
const (
	token         = "0123456789abcdef0123456789abcdef"
	othersToken   = "abcdef0123456789abcdef0123456789"
	scantyToken   = "fedcba9876543210fedcba9876543210"
	nobodysTask   = "01a00000-0000-7000-8000-000000000000"
	daemonSetting = `
serve:
  push: {allow_addresses: [127.0.0.0/8]}
  principals:
    suite: {token: {env: SUITE_TOKEN}}
    other: {token: {env: OTHER_TOKEN}}
    scanty: {token: {env: SCANTY_TOKEN}, scopes: [audit]}
`
)

// build builds a program of ours, once for all tests that want it.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	binary := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/a2a-acp/a2a-acp/"+pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", pkg, err, said)
	}
	return binary
}

// stage is the real daemon with the scenarios' agent behind it, and whoever receives its pushes.
type stage struct {
	base string // the agent's place
	host string
	grpc pb.A2AServiceClient
	hook string // the URL of the receiver

	mu     sync.Mutex
	pushes []push
}

type push struct {
	header http.Header
	body   map[string]any
}

// newStage starts the daemon. It is killed with the test.
func newStage(t *testing.T) *stage {
	t.Helper()
	dir := t.TempDir()
	sut, daemon := build(t, dir, "internal/sut"), build(t, dir, "cmd/a2a-acp")
	work := filepath.Join(dir, "work")
	home, err := os.MkdirTemp("/var/tmp", "sut") // not beside the workspace: whoever wrote that could have written it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	config := filepath.Join(home, "a2a-acp")
	for _, name := range []string{work, config} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf(settings, sut, "600ms", work) + daemonSetting
	if err := os.WriteFile(filepath.Join(config, "a2a-acp.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), daemon, "serve", "--listen", "127.0.0.1:0")
	cmd.Dir, cmd.Stderr = work, testLog{t}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + home,
		"A2A_STATE_DIR=" + filepath.Join(dir, "state"), "SUITE_TOKEN=" + token, "OTHER_TOKEN=" + othersToken, "SCANTY_TOKEN=" + scantyToken}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // in order, so that what it has started is gone
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	var line struct{ Agents map[string]string }
	said, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(said, &line)
	}
	base, wrong := url.Parse(line.Agents[agentName])
	if err = errors.Join(err, wrong); err != nil || base.Host == "" {
		t.Fatalf("the daemon says %q: %v", said, err)
	}
	s := &stage{base: base.String(), host: base.Host}
	conn, err := grpc.NewClient(base.Host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s.grpc = pb.NewA2AServiceClient(conn)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		p := push{header: r.Header}
		if err := json.NewDecoder(r.Body).Decode(&p.body); err != nil {
			t.Errorf("a push that is no JSON: %v", err)
		}
		s.mu.Lock()
		s.pushes = append(s.pushes, p)
		s.mu.Unlock()
	}))
	t.Cleanup(receiver.Close)
	s.hook = receiver.URL
	return s
}

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Logf("%s", p)
	return len(p), nil
}

// failure is an error as all bindings tell it: which one of the protocol's it is, and what belongs to the binding.
type failure struct {
	reason  string // of google.rpc.ErrorInfo; "" for none
	message string
	status  int // of HTTP, or of gRPC
	code    int // of JSON-RPC
}

func (f *failure) String() string {
	if f == nil {
		return "no error"
	}
	return fmt.Sprintf("%s %d %d: %s", f.reason, f.status, f.code, f.message)
}

// binding carries operations out. Results are JSON.
type binding interface {
	name() string
	call(ctx context.Context, op string, params map[string]any) (map[string]any, *failure, error)
	// stream calls each with every event, until that returns false or the stream ends.
	stream(ctx context.Context, op string, params map[string]any, each func(map[string]any) bool) (*failure, error)
}

// raw makes a request, as somebody.
func (s *stage) raw(ctx context.Context, method, path, body string, header ...string) (int, http.Header, []byte, error) {
	response, err := s.open(ctx, method, path, body, header...)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, said, err
}

func (s *stage) open(ctx context.Context, method, path, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "suite") // clients of Go are told some things in other words
	for i := 0; i < len(header); i += 2 {
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return http.DefaultClient.Do(r)
}

var known = []string{"Authorization", "Bearer " + token, "A2A-Version", "1.0"}

// details finds the reason of an error among its details.
func details(list []any) string {
	for _, one := range list {
		if about, _ := one.(map[string]any); strings.HasSuffix(fmt.Sprint(about["@type"]), "ErrorInfo") {
			return fmt.Sprint(about["reason"])
		}
	}
	return ""
}

type jsonRPC struct{ *stage }

func (jsonRPC) name() string { return "JSONRPC" }

func (b jsonRPC) call(ctx context.Context, op string, params map[string]any) (map[string]any, *failure, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": op, "params": params})
	if err != nil {
		return nil, nil, err
	}
	status, _, said, err := b.raw(ctx, "POST", "", string(body), known...)
	if err != nil {
		return nil, nil, err
	}
	result, failed, err := readRPC(said)
	if failed != nil {
		failed.status = status
	}
	return result, failed, err
}

func readRPC(said []byte) (map[string]any, *failure, error) {
	var answer struct {
		Version string `json:"jsonrpc"`
		Result  map[string]any
		Error   *struct {
			Code    int
			Message string
			Data    []any
		}
	}
	if err := json.Unmarshal(said, &answer); err != nil || answer.Version != "2.0" {
		return nil, nil, fmt.Errorf("%q is no JSON-RPC: %w", said, err)
	}
	if answer.Error != nil {
		return nil, &failure{reason: details(answer.Error.Data), message: answer.Error.Message, code: answer.Error.Code}, nil
	}
	return answer.Result, nil, nil
}

func (b jsonRPC) stream(ctx context.Context, op string, params map[string]any, each func(map[string]any) bool) (*failure, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": op, "params": params})
	if err != nil {
		return nil, err
	}
	response, err := b.open(ctx, "POST", "", string(body), known...)
	if err != nil {
		return nil, err
	}
	return readStream(response, each, readRPC)
}

// readStream reads server-sent events; an answer that is none holds an error.
func readStream(response *http.Response, each func(map[string]any) bool,
	read func([]byte) (map[string]any, *failure, error)) (*failure, error) {
	defer response.Body.Close()
	if response.Header.Get("Content-Type") != "text/event-stream" {
		said, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		_, failed, err := read(said)
		if failed == nil && err == nil {
			err = fmt.Errorf("neither a stream nor an error: %q", said)
		}
		return failed, err
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		event, failed, err := read(data)
		if failed != nil || err != nil {
			return failed, err
		}
		if !each(event) {
			return nil, nil
		}
	}
	return nil, lines.Err()
}

type rest struct{ *stage }

func (rest) name() string { return "HTTP+JSON" }

// paths are the operations' methods and paths.
var paths = map[string][2]string{
	"SendMessage": {"POST", "/message:send"}, "SendStreamingMessage": {"POST", "/message:stream"},
	"GetTask": {"GET", "/tasks/{id}"}, "ListTasks": {"GET", "/tasks"}, "CancelTask": {"POST", "/tasks/{id}:cancel"},
	"SubscribeToTask": {"POST", "/tasks/{id}:subscribe"}, "GetExtendedAgentCard": {"GET", "/extendedAgentCard"},
	"CreateTaskPushNotificationConfig": {"POST", "/tasks/{taskId}/pushNotificationConfigs"},
	"GetTaskPushNotificationConfig":    {"GET", "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	"ListTaskPushNotificationConfigs":  {"GET", "/tasks/{taskId}/pushNotificationConfigs"},
	"DeleteTaskPushNotificationConfig": {"DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}"},
}

func (b rest) open(ctx context.Context, op string, params map[string]any) (*http.Response, error) {
	method, path := paths[op][0], paths[op][1]
	query := url.Values{}
	for name, value := range params {
		if place := "{" + name + "}"; strings.Contains(path, place) {
			path = strings.ReplaceAll(path, place, url.PathEscape(fmt.Sprint(value)))
			continue
		}
		query.Set(name, fmt.Sprint(value))
	}
	if method == "POST" {
		body, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		return b.stage.open(ctx, method, path, string(body), known...)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return b.stage.open(ctx, method, path, "", known...)
}

func (b rest) call(ctx context.Context, op string, params map[string]any) (map[string]any, *failure, error) {
	response, err := b.open(ctx, op, params)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	if len(said) == 0 && response.StatusCode < 300 {
		return nil, nil, nil
	}
	result, failed, err := readREST(said)
	if failed != nil && failed.status != response.StatusCode {
		err = fmt.Errorf("status %d with %v", response.StatusCode, failed)
	}
	return result, failed, err
}

func readREST(said []byte) (map[string]any, *failure, error) {
	var answer map[string]any
	if err := json.Unmarshal(said, &answer); err != nil {
		return nil, nil, fmt.Errorf("%q: %w", said, err)
	}
	about, ok := answer["error"].(map[string]any)
	if !ok {
		return answer, nil, nil
	}
	f := &failure{message: fmt.Sprint(about["message"])}
	code, _ := about["code"].(float64)
	f.status = int(code)
	list, _ := about["details"].([]any)
	f.reason = details(list)
	return nil, f, nil
}

func (b rest) stream(ctx context.Context, op string, params map[string]any, each func(map[string]any) bool) (*failure, error) {
	response, err := b.open(ctx, op, params)
	if err != nil {
		return nil, err
	}
	return readStream(response, each, readREST)
}

type overGRPC struct{ *stage }

func (overGRPC) name() string { return "GRPC" }

// request makes a message of gRPC out of parameters.
func request[T any, P interface {
	*T
	proto.Message
}](params map[string]any) (P, error) {
	named := map[string]any{"tenant": agentName}
	for name, value := range params {
		named[name] = value
	}
	text, err := json.Marshal(named)
	if err != nil {
		return nil, err
	}
	message := P(new(T))
	return message, protojson.Unmarshal(text, message)
}

func (b overGRPC) context(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token, "a2a-version", "1.0")
}

func (b overGRPC) call(ctx context.Context, op string, params map[string]any) (map[string]any, *failure, error) {
	ctx = b.context(ctx)
	var message proto.Message
	var err error
	switch op {
	case "SendMessage":
		message, err = unary(ctx, params, b.grpc.SendMessage)
	case "GetTask":
		message, err = unary(ctx, params, b.grpc.GetTask)
	case "ListTasks":
		message, err = unary(ctx, params, b.grpc.ListTasks)
	case "CancelTask":
		message, err = unary(ctx, params, b.grpc.CancelTask)
	case "CreateTaskPushNotificationConfig":
		message, err = unary(ctx, params, b.grpc.CreateTaskPushNotificationConfig)
	case "GetTaskPushNotificationConfig":
		message, err = unary(ctx, params, b.grpc.GetTaskPushNotificationConfig)
	case "ListTaskPushNotificationConfigs":
		message, err = unary(ctx, params, b.grpc.ListTaskPushNotificationConfigs)
	case "DeleteTaskPushNotificationConfig":
		var empty *emptypb.Empty
		empty, err = unary(ctx, params, b.grpc.DeleteTaskPushNotificationConfig)
		message = empty
	case "GetExtendedAgentCard":
		message, err = unary(ctx, params, b.grpc.GetExtendedAgentCard)
	default:
		return nil, nil, fmt.Errorf("there is no %s", op)
	}
	if err != nil {
		failed, err := failureOf(err)
		return nil, failed, err
	}
	result, err := members(message)
	return result, nil, err
}

func unary[T any, P interface {
	*T
	proto.Message
}, R proto.Message](ctx context.Context, params map[string]any, call func(context.Context, P, ...grpc.CallOption) (R, error)) (R, error) {
	var none R
	message, err := request[T, P](params)
	if err != nil {
		return none, err
	}
	return call(ctx, message)
}

func members(message proto.Message) (map[string]any, error) {
	text, err := protojson.Marshal(message)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	return all, json.Unmarshal(text, &all)
}

func failureOf(err error) (*failure, error) {
	told, ok := status.FromError(err)
	if !ok {
		return nil, err
	}
	f := &failure{message: told.Message(), status: int(told.Code())}
	for _, detail := range told.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			f.reason = info.GetReason()
		}
	}
	return f, nil
}

func (b overGRPC) stream(ctx context.Context, op string, params map[string]any, each func(map[string]any) bool) (*failure, error) {
	ctx, cancel := context.WithCancel(b.context(ctx))
	defer cancel()
	var events grpc.ServerStreamingClient[pb.StreamResponse]
	var err error
	if op == "SubscribeToTask" {
		events, err = unaryStream(ctx, params, b.grpc.SubscribeToTask)
	} else {
		events, err = unaryStream(ctx, params, b.grpc.SendStreamingMessage)
	}
	for err == nil {
		var message *pb.StreamResponse
		var event map[string]any
		if message, err = events.Recv(); err != nil {
			break
		}
		if event, err = members(message); err == nil && !each(event) {
			return nil, nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	return failureOf(err)
}

func unaryStream[T any, P interface {
	*T
	proto.Message
}](ctx context.Context, params map[string]any,
	call func(context.Context, P, ...grpc.CallOption) (grpc.ServerStreamingClient[pb.StreamResponse], error),
) (grpc.ServerStreamingClient[pb.StreamResponse], error) {
	message, err := request[T, P](params)
	if err != nil {
		return nil, err
	}
	return call(ctx, message)
}

// actor plays one rule on one binding.
type actor struct {
	*testing.T
	s     *stage
	b     binding
	begun []string // tasks that are to be ended
}

// end ends what the rule has left: it would have its process for good.
func (a *actor) end() {
	for _, id := range a.begun {
		if _, failed, err := a.b.call(context.WithoutCancel(a.Context()), "CancelTask", map[string]any{"id": id}); err != nil ||
			failed != nil && failed.reason != "TASK_NOT_CANCELABLE" {
			a.Errorf("ending task %s: %v, %v", id, failed, err)
		}
	}
}

// call carries an operation out that is to succeed.
func (a *actor) call(op string, params map[string]any) map[string]any {
	a.Helper()
	result, failed, err := a.b.call(a.Context(), op, params)
	if err != nil || failed != nil {
		a.Fatalf("%s %v: %v, %v", op, params, failed, err)
	}
	a.saw(result)
	return result
}

func (a *actor) saw(result map[string]any) {
	if id := text(result, "task.id"); id != "" && !slices.Contains(a.begun, id) {
		a.begun = append(a.begun, id)
	}
}

// refused carries an operation out that is to fail for a reason; "" for any.
func (a *actor) refused(op string, params map[string]any, reasons ...string) *failure {
	a.Helper()
	result, failed, err := a.b.call(a.Context(), op, params)
	a.saw(result)
	if err != nil || failed == nil || reasons != nil && !slices.Contains(reasons, failed.reason) || failed.message == "" {
		a.Errorf("%s %v: %v, %v, %v; want an error %v", op, params, result, failed, err, reasons)
		failed = &failure{}
	}
	return failed
}

// message makes the parameters of a message.
func message(said string, more ...any) map[string]any {
	m := map[string]any{"role": "ROLE_USER", "messageId": "m", "parts": []any{map[string]any{"text": said}}}
	params := map[string]any{"message": m}
	for i := 0; i < len(more); i += 2 {
		name := more[i].(string)
		if name == "taskId" || name == "contextId" || name == "parts" {
			m[name] = more[i+1]
		} else {
			params[name] = more[i+1]
		}
	}
	return params
}

// send sends a text, and returns the task. It has to be in one of the states.
func (a *actor) send(said string, more ...any) map[string]any {
	a.Helper()
	result := a.call("SendMessage", message(said, more...))
	task, ok := result["task"].(map[string]any)
	if !ok {
		a.Fatalf("%s: %v, which is no task", said, result)
	}
	return task
}

// at returns what stands in a value at a path: names of members, and numbers of elements.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i := 0
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

func text(v any, path string) string {
	said, _ := at(v, path).(string)
	return said
}

// is wants a text at a path to be one of these.
func (a *actor) is(v any, path string, wanted ...string) {
	a.Helper()
	if got := text(v, path); !slices.Contains(wanted, got) {
		a.Errorf("%s is %q, want one of %q, in %v", path, got, wanted, v)
	}
}

// has wants something at a path.
func (a *actor) has(v any, path string) {
	a.Helper()
	if at(v, path) == nil {
		a.Errorf("there is no %s in %v", path, v)
	}
}

// lacks wants nothing at a path, or nothing in it.
func (a *actor) lacks(v any, path string) {
	a.Helper()
	if list, ok := at(v, path).([]any); at(v, path) != nil && (!ok || len(list) > 0) {
		a.Errorf("%s is %v", path, at(v, path))
	}
}

// events returns what a stream tells.
func (a *actor) events(op string, params map[string]any) (list []map[string]any) {
	a.Helper()
	failed, err := a.b.stream(a.Context(), op, params, func(event map[string]any) bool {
		a.saw(event)
		list = append(list, event)
		return true
	})
	if failed != nil || err != nil || len(list) == 0 {
		a.Fatalf("%s %v: %v, %v, %d events", op, params, failed, err, len(list))
	}
	return list
}

// stateOf is the state that an event tells; "" for none.
func stateOf(event map[string]any) string {
	if state := text(event, "task.status.state"); state != "" {
		return state
	}
	return text(event, "statusUpdate.status.state")
}
