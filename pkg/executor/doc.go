// Package executor carries one tool call from request to result, in one direction: resolve, validate,
// render, authorise, fill, run, screen, map. Authorising records the decision before anything runs, and the
// end is recorded with the result.
//
// The order is the point. Rendering is pure and comes before the decision, so that what a person approves
// is the very script and the very values. The decision is on disk before the process starts, so that no
// effect is without its record. Nothing runs without a permissions.Permit that covers exactly what is about
// to run, asked once more right before it does.
//
// What a tool's author says about failing and repeating wraps the one step run, from the outside in: a kept
// result (cache.go), attempt after attempt (retry.go), the circuit breaker (breaker.go). Each of them asks
// again whether the permit holds before anything is run or given out.
//
// An Executor has no goroutines of its own: a call lives in the goroutine of its caller and ends with it.
// Those of a batch end with ExecuteBatch.
package executor
