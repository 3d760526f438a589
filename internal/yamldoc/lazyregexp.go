package yamldoc

import (
	"regexp"
	"sync"
)

// lazyRegexp is an expression that only a mistake needs. It is compiled when the first one is found, and not
// at every start of the program.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
