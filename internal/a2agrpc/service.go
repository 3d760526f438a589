package a2agrpc

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	_ "google.golang.org/protobuf/types/known/emptypb"     // is named by the descriptor
	_ "google.golang.org/protobuf/types/known/structpb"    // likewise
	_ "google.golang.org/protobuf/types/known/timestamppb" // likewise
)

// descriptor is the .proto file of the protocol, compiled; TestDescriptor holds it against the module's.
//
//go:embed a2a.binpb
var descriptor []byte

// Prefix begins the path of each method.
const Prefix = "/lf.a2a.v1.A2AService/"

// Service knows the methods. The zero Service is ready to use, and safe for concurrent use.
type Service struct {
	once    sync.Once
	methods protoreflect.MethodDescriptors
	err     error
}

// ErrNoMethod says that the service has no method of a name.
var ErrNoMethod = errors.New("there is no such method")

// Method returns a method by its name; ErrNoMethod where there is none.
func (s *Service) Method(name string) (protoreflect.MethodDescriptor, error) {
	s.once.Do(func() {
		var file descriptorpb.FileDescriptorProto
		if s.err = proto.Unmarshal(descriptor, &file); s.err != nil {
			return
		}
		var made protoreflect.FileDescriptor
		if made, s.err = protodesc.NewFile(&file, protoregistry.GlobalFiles); s.err == nil {
			s.methods = made.Services().ByName("A2AService").Methods()
		}
	})
	if s.err != nil {
		return nil, s.err
	}
	method := s.methods.ByName(protoreflect.Name(name))
	if method == nil {
		return nil, fmt.Errorf("%w: %.60q", ErrNoMethod, name)
	}
	return method, nil
}
