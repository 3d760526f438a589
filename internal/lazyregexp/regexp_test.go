package lazyregexp

import "testing"

// TestMistakesAreFound: a test that has a package's variables made finds an expression that is none.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("nobody was told of a mistake")
		}
	}()
	New("(")
}
