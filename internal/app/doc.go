// Package app is the one place where the program is put together: configuration, state, policies, sandbox,
// executor and doors, each given what it needs and nothing else. Verbs in cmd/a2a-acp call it; nothing
// imports it but them, and a test can run two Apps side by side.
package app
