package tool

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Example is one call of a tool that its author gives: for whoever reads the entry and, when it is more
// than a text, as a test that `a2a-acp tools test` makes in a directory of its own.
type Example struct {
	Text string // an example in words; nothing else is set then

	Name      string          // for people; never empty
	Arguments json.RawMessage // one JSON object
	Files     []ExampleFile   // what lies in the directory before the call, in the order of their names
	Setup     string          // a bash script that makes what files cannot say, such as a repository; "" for none
	// Programs without which the call cannot work; where one is missing the example is skipped.
	Needs  []string
	Expect Expectation
	Line   int // of the tools file, from 1
}

// ExampleFile is one file of an example's directory.
type ExampleFile struct {
	Name    string // relative, clean, with no way out of the directory
	Content string
	Link    string // where a symbolic link leads; then there is no content
}

// Expectation says what a call must come to.
type Expectation struct {
	Exit   int         // the exit code, where Error is empty
	Error  FailureCode // why the call must not have run, or been ended; "" for one that ends by itself
	Stdout *TextMatch  // nil for any
	Stderr *TextMatch
	// Files are looked at when the call has ended. Unchanged says that the directory must be as it was.
	Files     []FileMatch
	Unchanged bool
}

// FileMatch says what a file must be.
type FileMatch struct {
	Name   string
	Absent bool
	Text   TextMatch
}

// TextMatch says what a text must be. What is not set is not asked for.
type TextMatch struct {
	Is       *string  // exactly
	Contains []string // all of them, anywhere
	Lacks    []string // none of them, anywhere
	Matches  string   // an expression that fits somewhere; the loader has checked it
}

// Misfit says in words why a text is not what it must be; "" when it is.
func (m *TextMatch) Misfit(text string) string {
	if m == nil {
		return ""
	}
	if m.Is != nil && text != *m.Is {
		return fmt.Sprintf("want %s, got %s", shown(*m.Is), shown(text))
	}
	for _, part := range m.Contains {
		if !strings.Contains(text, part) {
			return fmt.Sprintf("want %s in it, got %s", shown(part), shown(text))
		}
	}
	for _, part := range m.Lacks {
		if strings.Contains(text, part) {
			return fmt.Sprintf("want no %s in it, got %s", shown(part), shown(text))
		}
	}
	if m.Matches != "" && !regexp.MustCompile(m.Matches).MatchString(text) {
		return fmt.Sprintf("want a match of %s, got %s", m.Matches, shown(text))
	}
	return ""
}

// shown quotes a text for a message; of a long one the beginning and the length.
func shown(text string) string {
	const longest = 300 // bytes
	if len(text) <= longest {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q… (%d bytes)", text[:longest], len(text))
}

// FailureCodes lists the failure codes.
func FailureCodes() []FailureCode {
	return []FailureCode{
		FailValidation, FailDenied, FailApproval, FailTimeout, FailCancelled, FailOutput, FailNoJSON, FailResource,
		FailCircuitOpen, FailRateLimit,
		FailSandbox, FailTemplate, FailNotFound, FailInternal, FailUpstream, FailUpstreamTimeout, FailPollTimeout,
		FailTokenExchange, FailClientCredentials, FailScope,
	}
}
