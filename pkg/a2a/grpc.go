package a2a

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// A request of gRPC becomes one of JSON and its answer one of gRPC again; see internal/a2agrpc.

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
		err = s.answerGRPC(ctx, w, r, strings.TrimPrefix(r.URL.Path, a2agrpc.Prefix))
	}
	if errors.Is(context.Cause(ctx), errDeadline) {
		err = &Error{kind: errorKind{grpc: 4}, text: errDeadline.Error()}
	}
	var e *Error
	switch {
	case err != nil && r.Context().Err() != nil: // the client has gone, and nobody is told as often as one goes
		e = asError(err)
	case err != nil:
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
	method, err := s.grpc.Method(name)
	switch {
	case errors.Is(err, a2agrpc.ErrNoMethod):
		return failf(errMethod, "%v", err)
	case err != nil:
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
	frame, err := a2agrpc.Frame(result, method.Output())
	if err != nil {
		return err
	}
	q.tellExtensions(w.Header())
	_, _ = w.Write(frame) // whoever has gone needs no answer
	return nil
}

// readGRPC reads the one message of a request, and returns it as JSON.
func readGRPC(r *http.Request, kind protoreflect.MessageDescriptor) ([]byte, error) {
	body, err := a2agrpc.ReadFrame(r.Body, mostBody)
	switch {
	case errors.Is(err, a2agrpc.ErrCompressed):
		return nil, failf(errMethod, "%v", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, failf(errRequest, "the message is missing")
	case err != nil:
		return nil, failf(errRequest, "%v", err)
	}
	var more [1]byte
	if n, _ := r.Body.Read(more[:]); n > 0 {
		return nil, failf(errRequest, "there is more behind the message")
	}
	text, err := a2agrpc.Text(body, kind, 2*mostDepth)
	if err != nil {
		return nil, failf(errParams, "the message cannot be read: %v", err)
	}
	params, failed := canonical(text)
	if failed != nil {
		return nil, failed
	}
	return params, nil
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
			frame, err := a2agrpc.Frame(n.body, kind)
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
