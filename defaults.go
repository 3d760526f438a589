// Package a2aacp is the root of the module. It only holds the files that the program brings along, so that
// they lie where people look for them and are still part of the one binary.
package a2aacp

import _ "embed"

// Tools is the tools file that the program brings along.
//
//go:embed tools.yaml
var Tools []byte

// Policies is the policy file that the program brings along: the careful preset.
//
//go:embed auto_approval_policies.yaml
var Policies []byte
