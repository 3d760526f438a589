// Package executor carries one tool call from request to result, in one direction: resolve, validate,
// render, authorise, fill, run, screen, map. Authorising records the decision before anything runs, and the
// end is recorded with the result.
//
// The order matters. Rendering has no effect and comes before the decision, so that a person approves the
// script and the values that will run. The decision is on disk before the process starts, so that there is
// no effect without a record. Nothing runs without a permissions.Permit that covers exactly what is about to
// run, and the permit is checked again right before the process starts.
//
// The steps that a tool's author can ask for wrap the step run, from the outside in: a kept result
// (cache.go), repeated attempts (retry.go), the circuit breaker (breaker.go), the token (token.go), an answer that the
// server lets be kept (httpcache.go) and the turn at its source (rate.go). Each checks the permit again before it runs
// or returns anything.
//
// An Executor has no goroutines of its own: a call lives in the goroutine of its caller and ends with it.
// Those of a batch end with ExecuteBatch.
package executor
