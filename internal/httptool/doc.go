// Package httptool sends the requests of tools, and reads the answers.
//
// It is given a finished request and never changes what stands in it: it adds the credential of the source that the
// request goes to, which goes to that origin and to no other. Addresses are looked at when a connection is made
// (internal/netguard), no proxy of the environment is used, a redirect is followed only where its source says so and
// only to the same origin, and of an answer no more is read than the call may have, counted after decompression.
//
// A request is sent once. Go's transport sends some again that it thinks harmless, without telling; here only one
// of which no byte has left is.
package httptool
