package a2agrpc

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

var update = flag.Bool("update", false, "write the descriptor anew from the protocol's module")

// TestDescriptor holds the descriptor that gRPC is spoken by against the protocol's module. What it says for
// documentation and for HTTP is left out.
func TestDescriptor(t *testing.T) {
	t.Parallel()
	file := protodesc.ToFileDescriptorProto(a2apb.File_a2av1_proto)
	file.Dependency = slices.DeleteFunc(file.Dependency, func(name string) bool { return strings.HasPrefix(name, "google/api/") })
	file.Options, file.SourceCodeInfo = nil, nil
	for _, service := range file.Service {
		for _, method := range service.Method {
			method.Options = nil
		}
	}
	var bare func(*descriptorpb.DescriptorProto)
	bare = func(message *descriptorpb.DescriptorProto) {
		for _, field := range message.Field {
			field.Options = nil
		}
		for _, nested := range message.NestedType {
			bare(nested)
		}
	}
	for _, message := range file.MessageType {
		bare(message)
	}
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("a2a.binpb", want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(descriptor, want) {
		t.Error("it is not that of the protocol's module; go test ./internal/a2agrpc -run TestDescriptor -update")
	}
	var service Service
	if _, err := service.Method("SendMessage"); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Method("Send"); !errors.Is(err, ErrNoMethod) {
		t.Errorf("a method that is not there: %v", err)
	}
}
