// Package conformance runs the conformance suites of MCP, and clients that people use, against the MCP door, and the
// SDKs' clients of A2A against `a2a-acp serve`, with `make test-conformance`. HTTP tools are held against others' libraries
// there, too: styles against swagger-client and url-template, tokens against oidc-provider.
package conformance
