package config

import "strconv"

// The formats of tools and policy files. A file that says nothing is of the original format.
const (
	formatOriginal = 1
	formatStrict   = 2
)

// readVersion reads the version of a file's format.
func readVersion(v value) (int, bool) {
	if v.node.Tag == "!!int" || v.node.Tag == "!!str" {
		if n, err := strconv.Atoi(v.node.Value); err == nil && (n == formatOriginal || n == formatStrict) {
			return n, true
		}
	}
	v.fail(ruleValue, "", "want 1 (the original format, the same as no version) or 2, found %s", describe(v.node))
	return formatOriginal, false
}
