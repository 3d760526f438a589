package a2aclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
)

// oracle is an agent of grpc-go's, which knows nothing of ours.
type oracle struct {
	pb.UnimplementedA2AServiceServer
}

func (oracle) SendMessage(ctx context.Context, r *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	if strings.Join(md.Get("authorization"), "") != "Bearer "+token {
		return nil, grpcstatus.Error(codes.Unauthenticated, "who are you? 50% of ü")
	}
	if r.GetMessage().GetTaskId() != "" {
		told, err := grpcstatus.New(codes.NotFound, "no such task").WithDetails(&errdetails.ErrorInfo{Reason: NotFound, Domain: "a2a-protocol.org"})
		if err != nil {
			return nil, err
		}
		return nil, told.Err()
	}
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: &pb.Message{MessageId: "m", Role: pb.Role_ROLE_AGENT,
		Parts: []*pb.Part{{Content: &pb.Part_Text{Text: fmt.Sprint(r.GetTenant(), md.Get("a2a-version"), r.GetMessage().GetParts()[0].GetText())}}}}}}, nil
}

func (oracle) SendStreamingMessage(r *pb.SendMessageRequest, s grpc.ServerStreamingServer[pb.StreamResponse]) error {
	event := func(state pb.TaskState) error {
		return s.Send(&pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{TaskId: "t", ContextId: "c",
			Status: &pb.TaskStatus{State: state}}}})
	}
	switch r.GetMessage().GetParts()[0].GetText() {
	case "refuse":
		return grpcstatus.Error(codes.InvalidArgument, "no")
	case "break":
		_ = event(pb.TaskState_TASK_STATE_WORKING)
		return grpcstatus.Error(codes.Unavailable, "gone")
	}
	if err := event(pb.TaskState_TASK_STATE_WORKING); err != nil {
		return err
	}
	return event(pb.TaskState_TASK_STATE_COMPLETED)
}

// serveGRPC serves a card that offers gRPC alone, and a handler beside it, with TLS or in the clear.
func serveGRPC(t *testing.T, secret bool, handler http.Handler) (*httptest.Server, Options) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == cardPaths[0] {
			fmt.Fprintf(w, `{"name":"o","capabilities":{"streaming":true},"supportedInterfaces":[
				{"url":%q,"protocolBinding":"GRPC","protocolVersion":"1.0","tenant":"ten"}]}`, r.Host)
			return
		}
		handler.ServeHTTP(w, r)
	})
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.EnableHTTP2 = true
	transport := NewTransport()
	if secret {
		s.StartTLS()
		transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		transport.TLSClientConfig.NextProtos = nil
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	over := ForGRPC(transport)
	t.Cleanup(over.CloseIdleConnections)
	t.Cleanup(transport.CloseIdleConnections)
	return s, Options{Transport: transport, GRPC: over, Credential: Credential{Secret: token}}
}

func dial(t *testing.T, s *httptest.Server, o Options) *Client {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	card, err := Discover(t.Context(), u, o)
	if err != nil {
		t.Fatal(err)
	}
	client, err := Connect(card, o, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func say(text string) *wire.SendMessageRequest {
	return &wire.SendMessageRequest{Message: wire.NewMessage(wire.MessageRoleUser, wire.NewTextPart(text))}
}

// TestGRPC speaks with a server of grpc-go whose card offers gRPC alone, with TLS and in the clear.
func TestGRPC(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]bool{"TLS": true, "in the clear": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := grpc.NewServer()
			pb.RegisterA2AServiceServer(server, oracle{})
			s, o := serveGRPC(t, secret, server)
			client := dial(t, s, o)
			event, err := client.Send(t.Context(), say("hi"))
			if m, ok := event.(*wire.Message); err != nil || !ok || m.Parts[0].Text() != "ten[1.0]hi" {
				t.Errorf("%+v, %v", event, err)
			}
			var said *Error
			missing := say("hi")
			missing.Message.TaskID = "none"
			if _, err = client.Send(t.Context(), missing); !errors.As(err, &said) || said.Reason != NotFound || said.Status != 404 || said.Message != "no such task" {
				t.Errorf("a task that is not there: %v", err)
			}
			stranger := o
			stranger.Credential = Credential{}
			if _, err = dial(t, s, stranger).Send(t.Context(), say("hi")); !errors.As(err, &said) || !said.Denied() || said.Message != "who are you? 50% of ü" {
				t.Errorf("a stranger: %v", err)
			}
			if _, err = client.Tasks(t.Context(), &wire.ListTasksRequest{}); !errors.As(err, &said) || said.Status != 501 {
				t.Errorf("what it cannot: %v", err)
			}
			if _, err = client.SendStreaming(t.Context(), say("refuse")); !errors.As(err, &said) || said.Message != "no" {
				t.Errorf("a stream that is refused: %v", err)
			}
			for text, want := range map[string]string{
				"go":    "TASK_STATE_WORKING TASK_STATE_COMPLETED EOF",
				"break": "TASK_STATE_WORKING the server says: gone",
			} {
				stream, err := client.SendStreaming(t.Context(), say(text))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for err == nil {
					if event, err = stream.Next(); err == nil {
						got = append(got, string(event.(*wire.TaskStatusUpdateEvent).Status.State))
					}
				}
				stream.Close()
				if all := strings.Join(got, " ") + " " + err.Error(); all != want {
					t.Errorf("%s: %q, want %q", text, all, want)
				}
			}
		})
	}
}

// TestHostileGRPC is about servers that are none, or that would have us wait, or fill our memory.
func TestHostileGRPC(t *testing.T) {
	t.Parallel()
	answer := func(header http.Header, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			for name, values := range header {
				w.Header()[name] = values
			}
			_, _ = io.WriteString(w, body)
		})
	}
	ended := http.Header{http.TrailerPrefix + "Grpc-Status": {"0"}}
	deep := ""
	for range 2000 { // google.protobuf.Value { list_value { values … } }
		n := len(deep)
		inner := "\x0a" + varint(n) + deep
		deep = "\x32" + varint(len(inner)) + inner
	}
	data := "\x22" + varint(len(deep)) + deep           // Part.data
	message := "\x2a" + varint(len(data)) + data        // Message.parts
	response := "\x12" + varint(len(message)) + message // SendMessageResponse.message
	for name, test := range map[string]struct {
		handler http.Handler
		want    string
	}{
		"a page":              {answer(http.Header{"Content-Type": {"text/html"}}, "<p>"), "is no gRPC"},
		"nothing":             {answer(ended, ""), "the answer is empty"},
		"no end":              {answer(nil, "\x00\x00\x00\x00\x00"), "unexpected EOF"},
		"cut off":             {answer(ended, "\x00\x00\x00\x00\x09abc"), "is 3 bytes long and says 9"},
		"endless":             {answer(ended, "\x00\xff\xff\xff\xffabc"), "is longer than"},
		"compressed":          {answer(ended, "\x01\x00\x00\x00\x01a"), "compressed"},
		"no message":          {answer(ended, "\x00\x00\x00\x00\x02\xff\xff"), "proto:"},
		"two answers":         {answer(ended, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "has no end"},
		"deep":                {answer(ended, "\x00"+string([]byte{0, byte(len(response) >> 16), byte(len(response) >> 8), byte(len(response))})+response), "depth"},
		"a code that is none": {answer(http.Header{http.TrailerPrefix + "Grpc-Status": {"x"}}, ""), "unexpected EOF"},
		"broken details": {answer(http.Header{"Grpc-Status": {"5"}, "Grpc-Message": {"%zz%"}, "Grpc-Status-Details-Bin": {"////"}}, ""),
			"the server says: %zz%"},
		"elsewhere": {http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect), "sends us on"},
	} {
		s, o := serveGRPC(t, false, test.handler)
		if event, err := dial(t, s, o).Send(t.Context(), say("hi")); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v; want %q", name, event, err, test.want)
		}
	}
}

func varint(n int) string {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return string(append(b, byte(n)))
}

// TestGRPCElsewhere is about which addresses of gRPC are of the card's origin, and which are spoken to without TLS.
func TestGRPCElsewhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ card, at, allow, want string }{
		{"https://a.example/", "a.example:443", "", "https://a.example:443"},
		{"https://a.example/", "a.example", "", "https://a.example"},
		{"http://127.0.0.1:8642/", "127.0.0.1:8642", "", "http://127.0.0.1:8642"},
		{"https://a.example/", "a.example:50051", "", "https://a.example:50051, which was not asked for"},
		{"https://a.example/", "a.example:50051", "https://a.example:50051", "https://a.example:50051"},
		{"https://a.example/", "a.example:50051", "http://a.example:50051", "http://a.example:50051"},
		{"https://a.example/", "grpc://a.example:443", "", "http://a.example:443, which was not asked for"},
		{"https://a.example/", "grpcs://a.example", "", "https://a.example"},
		{"https://a.example/", "unix:/run/x", "", "the card offers"},
		{"https://a.example/", "user@a.example:443", "", "the card offers"},
		{"https://a.example/", "dns:///a.example", "", "the card offers"},
		{"http://127.0.0.1:1/", "169.254.169.254:80", "", "which was not asked for"},
	} {
		home, err := url.Parse(test.card)
		if err != nil {
			t.Fatal(err)
		}
		c := ConnectOptions{}
		if test.allow != "" {
			c.Allow = []string{test.allow}
		}
		card := &Card{URL: home, Interfaces: []Interface{{URL: test.at, Binding: GRPC, Version: "1.0"}}}
		got := ""
		if client, err := Connect(card, Options{}, c); err != nil {
			got = err.Error()
		} else {
			got = client.URL().String()
		}
		if !strings.Contains(got, test.want) || strings.HasPrefix(test.want, "http") && strings.HasPrefix(got, "http") && got != test.want {
			t.Errorf("%v: %s", test, got)
		}
	}
}
