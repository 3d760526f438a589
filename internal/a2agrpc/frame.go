package a2agrpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// ErrCompressed is about a message that is compressed, which nobody was offered.
var ErrCompressed = errors.New("the message is compressed; grpc-accept-encoding is identity")

// ReadFrame reads a message of at most so many bytes, with what stands before one. It returns io.EOF where nothing
// stands there any more.
func ReadFrame(r io.Reader, most int) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(head[1:])
	switch {
	case head[0] != 0:
		return nil, ErrCompressed
	case uint64(length) > uint64(most): //nolint:gosec // most is positive
		return nil, fmt.Errorf("the message is longer than %d bytes", most)
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(length))) // not in memory before it is there
	switch {
	case err != nil:
		return nil, fmt.Errorf("the message cannot be read to its end: %w", err)
	case len(body) != int(length):
		return nil, fmt.Errorf("the message is %d bytes long and says %d", len(body), length)
	}
	return body, nil
}

// Text returns a message as JSON. depth bounds how deep it is nested.
func Text(body []byte, kind protoreflect.MessageDescriptor, depth int) ([]byte, error) {
	message := dynamicpb.NewMessage(kind)
	if err := (proto.UnmarshalOptions{RecursionLimit: depth}).Unmarshal(body, message); err != nil {
		return nil, err
	}
	return protojson.Marshal(message)
}

// Frame returns JSON as a message, with what stands before one. The same JSON is the same bytes. What the message has
// no field for is left out.
func Frame(text []byte, kind protoreflect.MessageDescriptor) ([]byte, error) {
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
