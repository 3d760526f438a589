package config

import (
	"regexp"
	"sync"
)

// late is an expression that only a mistake needs. It is compiled when the first one is found, and not at every start of the
// program.
func late(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
