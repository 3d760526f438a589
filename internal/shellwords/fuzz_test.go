package shellwords

import (
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// Whatever the words are, the reading speaks about every word once and points at no other.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"ls -l", "env A=b timeout 5 bash -c 'x' y", "find . -exec rm {} +", "xargs -0 -I@ sh -c @", "docker docker docker run sh -c x", "perl -lne x -p", "sudo", "bash -c", "git rebase -x", "awk -f",
		"find . -exec find . -exec find", "eval", "curl -", "psql --c", "[ -v", "sqlite3 -cmd", "test", "trap --", "xargs -I",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
		if err != nil {
			return
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok {
				check(t, StaticAll(c.Args))
			}
			return true
		})
	})
}

func check(t *testing.T, words []Word) {
	t.Helper()
	r := Read(words, nil)
	if len(r.Roles) != len(words) {
		t.Fatalf("%d words have %d roles", len(words), len(r.Roles))
	}
	for _, p := range r.Programs {
		if p.At < 0 || p.At >= p.End || p.End > len(words) {
			t.Errorf("%+v: program %+v", words, p)
		}
	}
	for _, text := range r.Code {
		if text.At < 0 || text.At >= len(words) {
			t.Errorf("%+v: code %+v", words, text)
		}
		for _, i := range text.Parameters {
			if i <= text.At || i >= len(words) {
				t.Errorf("%+v: parameters %+v", words, text)
			}
		}
	}
}

// Programs in front of programs cost no more than the square of their number.
func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"docker", "env", "find -exec", "xargs", "xargs -0 -I x", "bash -c", "no-such-program bash -c", "docker sh -c"} {
		words := Fixed(strings.Fields(strings.Repeat(word+" ", 2000))...)
		started := time.Now()
		check(t, words)
		if took := time.Since(started); took > 10*time.Second {
			t.Errorf("2000 times %q took %v", word, took)
		}
	}
}
