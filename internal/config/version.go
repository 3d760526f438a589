package config

import (
	"strconv"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// The formats of tools and policy files. A file that says nothing is of the original format.
const (
	formatOriginal = 1
	formatStrict   = 2
)

// readVersion reads the version of a file's format.
func readVersion(v yamldoc.Value) (int, bool) {
	if v.Node.Tag == "!!int" || v.Node.Tag == "!!str" {
		if n, err := strconv.Atoi(v.Node.Value); err == nil && (n == formatOriginal || n == formatStrict) {
			return n, true
		}
	}
	v.Fail(yamldoc.RuleValue, "", "want 1 (the original format, the same as no version) or 2, found %s",
		yamldoc.Describe(v.Node))
	return formatOriginal, false
}
