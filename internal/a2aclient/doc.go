// Package a2aclient is a client of A2A servers: of 1.0 and 0.3, over JSON-RPC and HTTP+JSON. Servers are strangers.
//
// Discover reads a card, Connect takes one of the interfaces that it names, and a Client carries out the protocol's
// operations there. Whatever a server speaks, everything is in the words of 1.0. A Talk sends a message and follows
// what comes of it to its end: through streams that break off, and through what the task asks on its way.
//
// What a card says is not believed: an interface at another origin than the card's own gets a request, and a
// credential, only where a person has said so (ConnectOptions.Allow). Redirects are followed within an origin, and
// only where something is read. Answers, events of streams and cards are bounded.
//
// gRPC is not spoken: its library would cost each start of the program, and every server has another binding.
//
// A Client has no goroutines. Its streams end when they are closed.
package a2aclient
