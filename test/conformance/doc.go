// Package conformance runs the conformance suites of MCP against the MCP door, with `make test-conformance`.
package conformance
