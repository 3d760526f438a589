// Package a2agrpc is what A2A 1.0 says in gRPC, for the door and for our client: by the descriptor of the protocol's .proto
// file a message of gRPC becomes one of JSON, and the other way round. So this binding cannot differ from the others, and
// the program pays nothing for gRPC before somebody speaks it. (The generated code of the protocol's module links all of
// grpc-go, which costs every start of every command a millisecond and a half, and 9 MB of program.)
package a2agrpc
