// Package governor asks programs, URLs, expressions and counters what they think of an act, after the
// policies and before any person, and of its output before anybody sees it.
//
// A governor can stop an act that a policy approves, and have a person asked about it. It can answer in a
// person's place only where its file says so (auto_decision: all_approve) and nothing but the default asks
// (permissions.Decision.Govern). What does not answer never approves: a crash, a time-out, an answer that
// cannot be read, an open circuit breaker each count as on_error and on_timeout say, which is a question,
// or a rejection where nobody can be asked.
//
// A newcomer reads spec.go (what a file says), governors.go (how they are asked together), then one kind:
// script.go, http.go, cel.go, limit.go or secrets.go.
package governor
