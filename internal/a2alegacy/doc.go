// Package a2alegacy is what A2A 0.3 says in JSON-RPC, and the way between that and the words of 1.0, for whoever
// serves (pkg/a2a) and whoever calls (internal/a2aclient).
//
// The HTTP+JSON of 0.3 is another language, which the protocol's own module reads and writes (pbjson). The module's
// reader for JSON-RPC brings along all of gRPC, which every start of the program would pay for.
package a2alegacy
