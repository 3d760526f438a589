// Package httpcache keeps answers of HTTP servers for as long as the servers let a private cache keep them (RFC 9111),
// in memory.
//
// It is stricter than it need be. What says nothing of how long it is fresh is never fresh, a stale answer is given to
// nobody before the server has said that it still holds, and what sets a cookie, or depends on something that is
// not in the key, is not kept. What is in the key is its caller's business: all that decides what a server answers.
package httpcache
