// Package lazyregexp has regular expressions that are compiled when they are used first.
//
// A regular expression of a package variable that is compiled as the program starts is paid for by every
// start, also by that of a hook, which an agent waits for before each of its acts; few are used in any one
// process. The name is that of the Go project's own package for this.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression. It is safe for concurrent use. The methods are those of regexp.Regexp.
type Regexp struct {
	expression string
	compile    sync.Once
	compiled   *regexp.Regexp
}

// New returns the regular expression, which has to be valid: it panics when it is used first, in tests at
// once.
func New(expression string) *Regexp {
	r := &Regexp{expression: expression}
	if inTest {
		r.Get()
	}
	return r
}

// inTest reports whether this is the program of a package's tests, which are to find every mistake. To ask
// the package testing would link it.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// Get returns the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.compile.Do(func() { r.compiled = regexp.MustCompile(r.expression) })
	return r.compiled
}

// String returns the expression.
func (r *Regexp) String() string {
	return r.expression
}

// Match is regexp.Regexp.Match.
func (r *Regexp) Match(b []byte) bool {
	return r.Get().Match(b)
}

// MatchString is regexp.Regexp.MatchString.
func (r *Regexp) MatchString(s string) bool {
	return r.Get().MatchString(s)
}

// FindString is regexp.Regexp.FindString.
func (r *Regexp) FindString(s string) string {
	return r.Get().FindString(s)
}

// FindStringIndex is regexp.Regexp.FindStringIndex.
func (r *Regexp) FindStringIndex(s string) []int {
	return r.Get().FindStringIndex(s)
}

// FindStringSubmatch is regexp.Regexp.FindStringSubmatch.
func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.Get().FindStringSubmatch(s)
}

// FindAllString is regexp.Regexp.FindAllString.
func (r *Regexp) FindAllString(s string, n int) []string {
	return r.Get().FindAllString(s, n)
}

// FindAllStringIndex is regexp.Regexp.FindAllStringIndex.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.Get().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is regexp.Regexp.FindAllStringSubmatch.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.Get().FindAllStringSubmatch(s, n)
}

// ReplaceAllString is regexp.Regexp.ReplaceAllString.
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.Get().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is regexp.Regexp.ReplaceAllStringFunc.
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	return r.Get().ReplaceAllStringFunc(s, f)
}
