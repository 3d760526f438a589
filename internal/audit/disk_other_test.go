//go:build !linux

package audit

import "fmt"

// childLimited runs the roles that need a process of their own: there is none here.
func childLimited(role, _ string) error { return fmt.Errorf("no role %q", role) }
