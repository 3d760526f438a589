package a2aclient

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
)

// deepest bounds how deep messages of gRPC are nested.
const deepest = 256

// requestGRPC makes a request of gRPC, and returns the answer with the type of its messages. The caller closes its body.
func (c *Client) requestGRPC(ctx context.Context, op *operation, params any) (*http.Response,
	protoreflect.MessageDescriptor, error) {
	if c.x.o.GRPC == nil {
		return nil, nil, errors.New("gRPC is not spoken from here")
	}
	method, err := c.grpc.Method(op.name)
	if err != nil {
		return nil, nil, err
	}
	members, err := membersOf(params)
	if err != nil {
		return nil, nil, err
	}
	if c.Interface.Tenant != "" {
		members["tenant"] = c.Interface.Tenant
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, nil, err
	}
	frame, err := a2agrpc.Frame(text, method.Input())
	if err != nil {
		return nil, nil, err
	}
	header, err := c.header()
	if err != nil {
		return nil, nil, err
	}
	header.Del("Accept")
	header.Set("Content-Type", "application/grpc")
	header.Set("Te", "trailers")
	header.Set("Grpc-Accept-Encoding", "identity")
	u := *c.url
	u.Path, u.RawPath = a2agrpc.Prefix+op.name, ""
	x := c.x
	x.http = &http.Client{Transport: x.o.GRPC, CheckRedirect: x.http.CheckRedirect}
	answer, err := x.do(ctx, http.MethodPost, &u, header, frame)
	if err != nil {
		return nil, nil, err
	}
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/grpc") {
		_ = answer.Body.Close() // nothing of it is read
		return nil, nil, fmt.Errorf("%s: the server answers with %.60q, which is no gRPC", op.name, answer.Header.Get("Content-Type"))
	}
	return answer, method.Output(), nil
}

// callGRPC carries an operation out in gRPC, and returns its result as JSON.
func (c *Client) callGRPC(ctx context.Context, op *operation, params any) (json.RawMessage, error) {
	answer, kind, err := c.requestGRPC(ctx, op, params)
	if err != nil {
		return nil, err
	}
	events := &grpcReader{answer: answer, kind: kind, most: mostAnswer}
	defer answer.Body.Close() //nolint:errcheck // it was read to its end, or is too long
	body, _, err := events.next()
	if err == nil {
		if _, _, end := events.next(); !errors.Is(end, io.EOF) {
			err = errors.Join(end, errors.New("the answer has no end"))
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: the answer is empty", op.name)
	}
	return body, err
}

// openGRPC opens a stream in gRPC.
func (c *Client) openGRPC(ctx context.Context, op *operation, params any) (*Stream, error) {
	ctx, stop := context.WithCancel(ctx)
	answer, kind, err := c.requestGRPC(ctx, op, params) //nolint:bodyclose // Close closes it
	if err != nil {
		stop()
		return nil, err
	}
	s := &Stream{client: c, ctx: ctx, stop: stop, body: answer.Body}
	events := &grpcReader{answer: answer, kind: kind, most: mostEvent}
	s.events = events
	// What is wrong with the request is said in place of the first event.
	data, _, err := events.next()
	var said *Error
	if errors.As(err, &said) {
		s.Close()
		return nil, said
	}
	events.ahead = &aheadEvent{data, err}
	return s, nil
}

// grpcReader reads the messages of an answer.
type grpcReader struct {
	answer *http.Response
	kind   protoreflect.MessageDescriptor
	most   int         // bytes of each
	ahead  *aheadEvent // one that was read before
}

type aheadEvent struct {
	data []byte
	err  error
}

func (g *grpcReader) next() (data []byte, id string, err error) {
	if first := g.ahead; first != nil {
		g.ahead = nil
		return first.data, "", first.err
	}
	body, err := a2agrpc.ReadFrame(g.answer.Body, g.most)
	switch {
	case errors.Is(err, io.EOF):
		return nil, "", g.end()
	case err != nil:
		return nil, "", err
	}
	data, err = a2agrpc.Text(body, g.kind, deepest)
	return data, "", err
}

// end returns how an answer has ended: io.EOF, or an *Error.
func (g *grpcReader) end() error {
	trailer := g.answer.Trailer
	if trailer.Get("Grpc-Status") == "" { // an answer of nothing else has it in front
		trailer = g.answer.Header
	}
	code, err := strconv.Atoi(trailer.Get("Grpc-Status"))
	switch {
	case err != nil:
		return io.ErrUnexpectedEOF
	case code == 0:
		return io.EOF
	}
	status, ok := grpcStatus[code]
	if !ok {
		status = http.StatusInternalServerError
	}
	return &Error{Status: status, Message: grpcMessage(trailer.Get("Grpc-Message")),
		Reason: grpcReason(trailer.Get("Grpc-Status-Details-Bin"))}
}

// grpcStatus are the codes of gRPC as HTTP has them (google/rpc/code.proto).
var grpcStatus = map[int]int{1: 499, 3: 400, 4: 504, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400, 12: 501,
	14: 503, 16: 401}

// grpcMessage reads the text of a status, in which some bytes are written as %XX.
func grpcMessage(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if b, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				out.WriteByte(byte(b))
				i += 2
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// grpcReason finds the reason of an error in its details: google.rpc.Status, with google.rpc.ErrorInfo in it.
func grpcReason(text string) string {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return ""
	}
	for _, detail := range fieldsOf(raw, 3) {
		kind, value := fieldsOf(detail, 1), fieldsOf(detail, 2)
		if len(kind) == 0 || len(value) == 0 || !strings.HasSuffix(string(kind[0]), "/google.rpc.ErrorInfo") {
			continue
		}
		if reason := fieldsOf(value[0], 1); len(reason) > 0 {
			return string(reason[0])
		}
	}
	return ""
}

// fieldsOf returns the values of a field of bytes of a message; none where it cannot be read.
func fieldsOf(message []byte, number protowire.Number) (list [][]byte) {
	for len(message) > 0 {
		found, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(found, kind, message)
		if size < 0 {
			return nil
		}
		if found == number && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message)
			list = append(list, value)
		}
		message = message[size:]
	}
	return list
}
