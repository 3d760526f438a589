package a2a

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	_ "google.golang.org/protobuf/types/known/emptypb"     // is named by the descriptor
	_ "google.golang.org/protobuf/types/known/structpb"    // likewise
	_ "google.golang.org/protobuf/types/known/timestamppb" // likewise

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// A request of gRPC becomes one of JSON and its answer one of gRPC again, by the descriptor of the protocol's
// .proto file: so this binding cannot differ from the others, and the program pays nothing for gRPC before
// somebody speaks it. (The generated code of the protocol's module links all of grpc-go, which costs every start
// of every command a millisecond and a half, and 9 MB of program.)

// descriptor is the .proto file of the protocol, compiled; TestDescriptor holds it against the module's.
//
//go:embed a2a.binpb
var descriptor []byte

// grpcPrefix begins the path of each method.
const grpcPrefix = "/lf.a2a.v1.A2AService/"

// grpcService knows the methods. The zero grpcService is ready to use.
type grpcService struct {
	once    sync.Once
	methods protoreflect.MethodDescriptors
	err     error
}

func (g *grpcService) method(name string) (protoreflect.MethodDescriptor, error) {
	g.once.Do(func() {
		var file descriptorpb.FileDescriptorProto
		if g.err = proto.Unmarshal(descriptor, &file); g.err != nil {
			return
		}
		var made protoreflect.FileDescriptor
		if made, g.err = protodesc.NewFile(&file, protoregistry.GlobalFiles); g.err == nil {
			g.methods = made.Services().ByName("A2AService").Methods()
		}
	})
	if g.err != nil {
		return nil, g.err
	}
	method := g.methods.ByName(protoreflect.Name(name))
	if method == nil {
		return nil, failf(errMethod, "there is no method %.60q", name)
	}
	return method, nil
}

// serveGRPC answers a request of gRPC.
func (s *Server) serveGRPC(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.ProtoMajor < 2 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		w.Header().Set("Accept-Post", "application/grpc")
		http.Error(w, "this is gRPC: POST with HTTP/2", http.StatusUnsupportedMediaType)
		return
	}
	ctx, cancel, err := grpcContext(r)
	defer cancel()
	w.Header().Set("Content-Type", "application/grpc")
	if err == nil {
		err = s.answerGRPC(ctx, w, r, strings.TrimPrefix(r.URL.Path, grpcPrefix))
	}
	if errors.Is(context.Cause(ctx), errDeadline) {
		err = &Error{kind: errorKind{grpc: 4}, text: errDeadline.Error()}
	}
	var e *Error
	if err != nil {
		e = s.explain(err)
	}
	writeGRPCStatus(w.Header(), e)
}

// errDeadline ends a request whose client does not want to wait any longer.
var errDeadline = errors.New("the client's time is up")

// grpcContext returns the context of a request, with the client's own deadline.
func grpcContext(r *http.Request) (context.Context, context.CancelFunc, error) {
	said := r.Header.Get("Grpc-Timeout")
	if said == "" {
		return r.Context(), func() {}, nil
	}
	units := map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond,
		'u': time.Microsecond, 'n': time.Nanosecond}
	unit, ok := units[said[len(said)-1]]
	n, err := strconv.ParseInt(said[:len(said)-1], 10, 64)
	if !ok || err != nil || n < 0 || len(said) > 9 {
		return r.Context(), func() {}, failf(errRequest, "grpc-timeout is %.20q", said)
	}
	if n > int64(1000*time.Hour/unit) {
		return r.Context(), func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), time.Duration(n)*unit, errDeadline)
	return ctx, cancel, nil
}

func (s *Server) answerGRPC(ctx context.Context, w http.ResponseWriter, r *http.Request, name string) error {
	method, err := s.grpc.method(name)
	if err != nil {
		return err
	}
	if said := saidVersion(r); said != "" {
		version, failed := versionOf(said)
		switch {
		case failed != nil:
			return failed
		case version != version10:
			return failf(errVersion, "the package of the method is that of A2A 1.0")
		}
	}
	op, q := operationNamed(name, version10), s.newQuery(r, s.root, version10)
	if q.params, err = readGRPC(r, method.Input()); err != nil {
		return err
	}
	if op.stream != nil {
		return s.streamGRPC(ctx, w, q, op, method.Output())
	}
	result, err := s.do(ctx, op, q)
	if err != nil {
		return err
	}
	if op.name == "DeleteTaskPushNotificationConfig" {
		result = []byte(`{}`)
	}
	frame, err := grpcFrame(result, method.Output())
	if err != nil {
		return err
	}
	q.tellExtensions(w.Header())
	_, _ = w.Write(frame) // whoever has gone needs no answer
	return nil
}

// readGRPC reads the one message of a request, and returns it as JSON.
func readGRPC(r *http.Request, kind protoreflect.MessageDescriptor) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r.Body, head[:]); err != nil {
		return nil, failf(errRequest, "the message is missing")
	}
	length := binary.BigEndian.Uint32(head[1:])
	switch {
	case head[0] != 0:
		return nil, failf(errMethod, "the message is compressed; grpc-accept-encoding is identity")
	case length > mostBody:
		return nil, failf(errRequest, "the message is longer than %d bytes", mostBody)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(length)+1))
	switch {
	case err != nil:
		return nil, failf(errRequest, "the message cannot be read to its end")
	case len(body) != int(length):
		return nil, failf(errRequest, "the message is %d bytes long and says %d", len(body), length)
	}
	message := dynamicpb.NewMessage(kind)
	if err := (proto.UnmarshalOptions{RecursionLimit: 2 * mostDepth}).Unmarshal(body, message); err != nil {
		return nil, failf(errParams, "the message cannot be read: %v", err)
	}
	text, err := protojson.Marshal(message)
	if err != nil {
		return nil, failf(errParams, "the message cannot be read: %v", err)
	}
	params, failed := canonical(text)
	if failed != nil {
		return nil, failed
	}
	return params, nil
}

// grpcFrame returns JSON as a message of gRPC, with what stands before one.
func grpcFrame(text []byte, kind protoreflect.MessageDescriptor) ([]byte, error) {
	message := dynamicpb.NewMessage(kind)
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, message); err != nil {
		return nil, fmt.Errorf("as a %s: %w", kind.Name(), err)
	}
	frame, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(make([]byte, 5, 5+len(text)), message)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(frame[1:], uint32(len(frame)-5)) //nolint:gosec // no task is as long
	return frame, nil
}

func (s *Server) streamGRPC(ctx context.Context, w http.ResponseWriter, q *query, op *operation,
	kind protoreflect.MessageDescriptor) error {
	from, err := s.open(ctx, op, q)
	if err != nil {
		return err
	}
	defer from.close()
	q.tellExtensions(w.Header())
	s.o.Streams(ctx)
	control := http.NewResponseController(w)
	for {
		list, err := from.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, tasklog.ErrClosed):
			return failf(errStopping, "%v", errEnds)
		case err != nil:
			return err
		}
		for _, n := range list {
			frame, err := grpcFrame(n.body, kind)
			if err != nil {
				return err
			}
			_ = control.SetWriteDeadline(time.Now().Add(writePatience)) // what has none needs none
			if _, err := w.Write(frame); err != nil {
				return err
			}
		}
		if err := control.Flush(); err != nil {
			return err
		}
	}
}

// writeGRPCStatus says in the trailers how a request has ended; nil is well.
func writeGRPCStatus(header http.Header, e *Error) {
	set := func(name, value string) { header.Set(http.TrailerPrefix+name, value) }
	if e == nil {
		set("Grpc-Status", "0")
		return
	}
	set("Grpc-Status", strconv.Itoa(e.kind.grpc))
	set("Grpc-Message", grpcText(e.Error()))
	set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(e.grpcDetails()))
}

// grpcText returns a text as it stands in a trailer: nothing but what must not stand there is encoded, since
// not every client decodes more than that.
func grpcText(text string) string {
	var out strings.Builder
	for i := range len(text) {
		if c := text[i]; c >= ' ' && c <= '~' && c != '%' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// grpcDetails returns an error as google.rpc.Status in protobuf.
func (e *Error) grpcDetails() []byte {
	code := uint64(e.kind.grpc) //nolint:gosec // it is positive
	status := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), code)
	status = appendText(status, 2, e.Error())
	detail := func(kind string, value []byte) {
		any := appendText(nil, 1, kind)
		any = protowire.AppendBytes(protowire.AppendTag(any, 2, protowire.BytesType), value)
		status = protowire.AppendBytes(protowire.AppendTag(status, 3, protowire.BytesType), any)
	}
	if e.kind.reason != "" {
		info := appendText(appendText(nil, 1, e.kind.reason), 2, wire.ProtocolDomain)
		for name, value := range e.about {
			entry := appendText(appendText(nil, 1, name), 2, value)
			info = protowire.AppendBytes(protowire.AppendTag(info, 3, protowire.BytesType), entry)
		}
		detail(typeErrorInfo, info)
	}
	if wrong := e.violations(); wrong != nil {
		var request []byte
		for _, v := range wrong {
			one := appendText(appendText(nil, 1, v.Field), 2, v.Description)
			request = protowire.AppendBytes(protowire.AppendTag(request, 1, protowire.BytesType), one)
		}
		detail(typeBadRequest, request)
	}
	return status
}

func appendText(to []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(to, field, protowire.BytesType), text)
}
